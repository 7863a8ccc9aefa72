// RUN: teloom-opt %s --split-input-file -p keep-elements | filecheck %s

// Each iteration of k changes the row i, and reads rows before it. The branch is for k in no range.
// CHECK-LABEL: func.func @rows
func.func @rows(%A: memref<64xf64>) {
  %a = loop.bind %A [0 : 8, 0 : 8] : memref<64xf64>
  // CHECK:      loop.for %i = 0 to 8 {
  // CHECK-NEXT:   loop.if (%i - 1 >= 0) {
  // CHECK-NEXT:     %a_kept = loop.realize "a.kept" [0 : 8] : !loop.tensor<1, f64>
  // CHECK-NEXT:     loop.for %j = 0 to 8 vectorized {
  // CHECK-NEXT:       %0 = loop.load %a[%i, %j] : f64
  // CHECK-NEXT:       loop.store %0, %a_kept[%j] : f64
  // CHECK-NEXT:     }
  // CHECK-NEXT:     loop.for %k = 0 to %i {
  // CHECK-NEXT:       loop.for %j_1 = 0 to 8 vectorized {
  // CHECK-NEXT:         %old = loop.load %a_kept[%j_1] : f64
  // CHECK-NEXT:         %row = loop.load %a[%k, %j_1] : f64
  // CHECK-NEXT:         %new = arith.subf %old, %row : f64
  // CHECK-NEXT:         loop.store %new, %a_kept[%j_1] : f64
  // CHECK-NEXT:       }
  // CHECK-NEXT:     }
  // CHECK-NEXT:     loop.for %j_2 = 0 to 8 vectorized {
  // CHECK-NEXT:       %1 = loop.load %a_kept[%j_2] : f64
  // CHECK-NEXT:       loop.store %1, %a[%i, %j_2] : f64
  // CHECK-NEXT:     }
  // CHECK-NEXT:   }
  // CHECK-NEXT: }
  loop.for %i = 0 to 8 {
    loop.for %k = 0 to %i {
      loop.for %j = 0 to 8 vectorized {
        %old = loop.load %a[%i, %j] : f64
        %row = loop.load %a[%k, %j] : f64
        %new = arith.subf %old, %row : f64
        loop.store %new, %a[%i, %j] : f64
      }
    }
  }
  func.return
}

// -----

// A tile of an elimination, behind the rows and columns of its steps: two unrolled rows of lanes,
// which begin anywhere. Two stores of an element go together.
// CHECK-LABEL: func.func @tile
func.func @tile(%A: memref<4096xf64>) {
  %a = loop.bind %A [0 : 64, 0 : 64] : memref<4096xf64>
  loop.for %io = 2 to 8 {
    // CHECK:      loop.realize "a.kept" [0 : 2, 0 : 16] : !loop.tensor<2, f64>
    // CHECK:      loop.for %k = 0 to 8 {
    // CHECK:        %old = loop.load %a_kept[%i_1 - 1, %j_1 - %io] : f64
    // CHECK:        loop.store %new, %a_kept[%i_1 - 1, %j_1 - %io] : f64
    // CHECK:        loop.store %twice, %a_kept[%i_1 - 1, %j_1 - %io] : f64
    // CHECK:      loop.store %{{[0-9]+}}, %a[%io * 4 + %i_2, %j_2 + 16] : f64
    loop.for %k = 0 to 8 {
      loop.for %i = 1 to 3 unrolled {
        loop.for %j = %io to %io + 16 vectorized {
          %old = loop.load %a[%io * 4 + %i, %j + 16] : f64
          %left = loop.load %a[%io * 4 + %i, %k] : f64
          %up = loop.load %a[%k, %j + 16] : f64
          %product = arith.mulf %left, %up : f64
          %new = arith.subf %old, %product : f64
          loop.store %new, %a[%io * 4 + %i, %j + 16] : f64
          %twice = arith.addf %new, %new : f64
          loop.store %twice, %a[%io * 4 + %i, %j + 16] : f64
        }
      }
    }
  }
  func.return
}

// -----

// The outermost loop that changes the same element again, here of no axis.
// CHECK-LABEL: func.func @total
// CHECK:       loop.realize "s.kept" [] : !loop.tensor<0, f32>
// CHECK:       loop.for %i = 0 to 8 {
// CHECK-NEXT:    loop.for %j = 0 to 8 {
func.func @total(%A: memref<64xf32>, %S: memref<4xf32>) {
  %a = loop.bind %A [0 : 8, 0 : 8] : memref<64xf32>
  %s = loop.bind %S [0 : 4] : memref<4xf32>
  loop.for %i = 0 to 8 {
    loop.for %j = 0 to 8 {
      %old = loop.load %s[2] : f32
      %v = loop.load %a[%i, %j] : f32
      %new = arith.addf %old, %v : f32
      loop.store %new, %s[2] : f32
    }
  }
  func.return
}

// -----

// What happens in the inner loop may be nothing: the elements may not exist.
// CHECK-LABEL: func.func @inner_may_be_empty
// CHECK:       loop.for %i = 0 to 8 {
// CHECK-NEXT:    loop.if (%n - 1 >= 0) {
// CHECK-NEXT:      loop.realize "s.kept"
func.func @inner_may_be_empty(%n: index, %S: memref<4xf32>) {
  %s = loop.bind %S [0 : 4] : memref<4xf32>
  loop.for %i = 0 to 8 {
    loop.for %j = 0 to %n {
      %old = loop.load %s[2] : f32
      %new = arith.addf %old, %old : f32
      loop.store %new, %s[2] : f32
    }
  }
  func.return
}
