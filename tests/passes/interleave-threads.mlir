// RUN: teloom-opt %s --split-input-file -p interleave-threads 2>&1 | filecheck %s

// A loop that does not depend on the thread is around all; what is stored is so for each thread,
// counted from where its region began. What computes an index goes with its statement.
// CHECK-LABEL: func.func @stored
// CHECK:         %t = loop.realize "t" [0 : 2, 0 : 4] : !loop.tensor<2, f32>
// CHECK-NEXT:    loop.for %j = 0 to 4 {
// CHECK-NEXT:      loop.for %v = 0 to 2 unrolled {
// CHECK-NEXT:        %at = affine.apply
// CHECK-NEXT:        %x = loop.load %a[%at] : f32
// CHECK-NEXT:        loop.store %x, %t[%v, %j] : f32
// CHECK:         loop.for %j_1 = 0 to 4 {
// CHECK-NEXT:      loop.for %v_1 = 0 to 2 unrolled {
// CHECK-NEXT:        %y = loop.load %t[%v_1, %j_1] : f32
// CHECK-NEXT:        loop.store %y, %c[%v_1 * 4 + %j_1] : f32
func.func @stored(%A: memref<8xf32>, %C: memref<8xf32>) {
  %a = loop.bind %A [0 : 8] : memref<8xf32>
  %c = loop.bind %C [0 : 8] : memref<8xf32>
  loop.for %v = 0 to 2 vthread {
    %t = loop.realize "t" [%v * 4 : 4] : !loop.tensor<1, f32>
    loop.for %j = 0 to 4 {
      %at = affine.apply affine_map<(d0, d1) -> (d0 * 4 + d1)> (%v, %j)
      %x = loop.load %a[%at] : f32
      loop.store %x, %t[%v * 4 + %j] : f32
    }
    loop.for %j = 0 to 4 {
      %y = loop.load %t[%v * 4 + %j] : f32
      loop.store %y, %c[%v * 4 + %j] : f32
    }
  }
  func.return
}

// -----

// A branch that asks for the thread stays in the loop over threads, one that does not is around it.
// CHECK-LABEL: func.func @branches
// CHECK:         loop.if (%n - 1 >= 0) {
// CHECK-NEXT:      loop.for %v = 1 to 3 unrolled {
// CHECK-NEXT:        loop.if (%v - 2 >= 0) {
func.func @branches(%n: index, %C: memref<8xf32>, %x: f32) {
  %c = loop.bind %C [0 : 8] : memref<8xf32>
  loop.for %v = 1 to 3 vthread {
    loop.if (%n - 1 >= 0) {
      loop.if (%v - 2 >= 0) {
        loop.store %x, %c[%v] : f32
      }
    }
  }
  func.return
}

// -----

// CHECK: remark: axis v: its virtual threads are not interleaved: a value that one statement reads is used in another
// CHECK-LABEL: func.func @read_once
// CHECK:         loop.for %v = 0 to 2 unrolled {
// CHECK-NEXT:      %x = loop.load %a[%v] : f32
func.func @read_once(%A: memref<8xf32>, %C: memref<8xf32>) {
  %a = loop.bind %A [0 : 8] : memref<8xf32>
  %c = loop.bind %C [0 : 8] : memref<8xf32>
  loop.for %v = 0 to 2 vthread {
    %x = loop.load %a[%v] : f32
    loop.for %j = 0 to 4 {
      loop.store %x, %c[%v * 4 + %j] : f32
    }
  }
  func.return
}
