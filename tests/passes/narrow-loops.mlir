// RUN: teloom-opt %s -p narrow-loops | filecheck %s

// Conditions on both counters: the inner loop runs between its bounds, what it does not compare is
// asked in front of it, and is bounds of the outer loop.
// CHECK-LABEL: func.func @both
// CHECK: %m = loop.load %b[0] : i64
// CHECK-NEXT: %0 = arith.index_cast %m : i64 to index
// CHECK-NEXT: loop.for %i = 0 to min(8, %0) {
// CHECK-NEXT:   %n = loop.load %b[1] : i64
// CHECK-NEXT:   %1 = arith.index_cast %n : i64 to index
// CHECK-NEXT:   loop.for %j = max(0, %1) to 8 {
// CHECK-NEXT:     loop.store %x, %a[%i, %j] : f32
func.func @both(%x: f32, %N: memref<2xi64>, %A: memref<64xf32>) {
  %b = loop.bind %N [0 : 2] : memref<2xi64>
  %a = loop.bind %A [0 : 8, 0 : 8] : memref<64xf32>
  loop.for %i = 0 to 8 {
    loop.for %j = 0 to 8 {
      %zero = arith.constant 0 : i64
      %k = arith.index_cast %i : index to i64
      %l = arith.index_cast %j : index to i64
      %m = loop.load %b[0] : i64
      %n = loop.load %b[1] : i64
      %c = arith.cmpi sge, %k, %zero : i64
      %d = arith.cmpi slt, %k, %m : i64
      %e = arith.cmpi sle, %n, %l : i64
      %g = arith.andi %c, %d : i1
      %h = arith.andi %g, %e : i1
      scf.if %h {
        loop.store %x, %a[%i, %j] : f32
      }
    }
  }
  func.return
}

// A loop that may have no iteration reads nothing then. In the branch is left what is no bound.
// CHECK-LABEL: func.func @left
// CHECK: loop.if (%n - 1 >= 0) {
// CHECK-NEXT: %last = loop.load %b[0] : i16
// CHECK-NEXT: %0 = arith.index_cast %last : i16 to index
// CHECK-NEXT: loop.for %i = 0 to min(%n, 32768, %0 + 1) {
// CHECK: scf.if %other {
func.func @left(%n: index, %x: f32, %N: memref<1xi16>, %C: memref<?xi1>, %A: memref<?xf32>) {
  %b = loop.bind %N [0 : 1] : memref<1xi16>
  %c = loop.bind %C [0 : %n] : memref<?xi1>
  %a = loop.bind %A [0 : %n] : memref<?xf32>
  loop.for %i = 0 to min(%n, 32768) {
    %last = loop.load %b[0] : i16
    %other = loop.load %c[%i] : i1
    %k = arith.index_cast %i : index to i16
    %is = arith.cmpi sge, %last, %k : i16
    %both = arith.andi %is, %other : i1
    scf.if %both {
      loop.store %x, %a[%i] : f32
    }
  }
  func.return
}

// A bound that the branch may write, another type than that of all counters, a comparison without
// sign, one behind the largest number, and another branch: all stay.
// CHECK-LABEL: func.func @stay
// CHECK-NOT: min(
// CHECK-NOT: max(
// CHECK: func.return
func.func @stay(%n: index, %m: index, %x: i32, %N: memref<1xi32>) {
  %b = loop.bind %N [0 : 1] : memref<1xi32>
  loop.for %i = 0 to 8 {
    %end = loop.load %b[0] : i32
    %k = arith.index_cast %i : index to i32
    %is = arith.cmpi slt, %k, %end : i32
    scf.if %is {
      loop.store %x, %b[0] : i32
    }
  }
  loop.for %i = 0 to %n {
    %k = arith.index_cast %i : index to i32
    %is = arith.cmpi slt, %k, %x : i32
    scf.if %is {
      loop.store %k, %b[0] : i32
    }
  }
  loop.for %i = 0 to 8 {
    %is = arith.cmpi ult, %i, %m : index
    scf.if %is {
      loop.store %x, %b[0] : i32
    }
  }
  loop.for %i = 0 to 8 {
    %is = arith.cmpi sle, %i, %m : index
    scf.if %is {
      loop.store %x, %b[0] : i32
    }
  }
  loop.for %i = 0 to 8 {
    %is = arith.cmpi slt, %i, %m : index
    scf.if %is {
      loop.store %x, %b[0] : i32
    } else {
      loop.store %x, %b[0] : i32
    }
  }
  loop.for %i = 0 to 8 parallel {
    %is = arith.cmpi slt, %i, %m : index
    scf.if %is {
      loop.store %x, %b[0] : i32
    }
  }
  func.return
}
