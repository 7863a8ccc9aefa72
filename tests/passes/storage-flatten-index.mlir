// RUN: teloom-opt %s -p 'storage-flatten' | filecheck %s

// Offsets cancel, and a quotient with its remainder is the number itself.
// CHECK-LABEL: func.func @folded
func.func @folded(%n: index, %x: f32) {
  loop.for %y = 0 to 8 {
    %t = loop.realize "t" [%y * 8 : 8, %y * 4 - 1 : 32] : !loop.tensor<2, f32>
    loop.for %i = 0 to %n {
      // CHECK: affine.apply affine_map<(d0) -> (((d0 * 32) + 1))> (%i)
      loop.store %x, %t[%y * 8 + %i, %y * 4] : f32
      // CHECK: affine.apply affine_map<(d0) -> ((d0 * 33))> (%i)
      loop.store %x, %t[%i + %y * 8, (%i floordiv 4) * 4 + %i mod 4 + %y * 4 - 1] : f32
      // CHECK: affine.apply affine_map<(d0) -> (((d0 mod 8) + 1))> (%i)
      loop.store %x, %t[%y * 8, (%i + 16) mod 8 + %y * 4] : f32
      // CHECK: affine.apply affine_map<(d0) -> (((d0 floordiv 6) + 65))> (%i)
      loop.store %x, %t[%y * 8 + 2, (%i floordiv 2) floordiv 3 + %y * 4] : f32
      // CHECK: affine.apply affine_map<(d0) -> (((d0 ceildiv 3) + 1))> (%i)
      loop.store %x, %t[%y * 8, %i ceildiv 3 + %y * 4] : f32
    }
  }
  func.return
}

// Symbolic strides are multiplied once, where the region begins.
// CHECK-LABEL: func.func @symbolic
func.func @symbolic(%n: index, %m: index, %data: memref<?xf32>, %x: f32) {
  // CHECK-NEXT: %[[NM:.*]] = arith.muli %m, %n : index
  // CHECK-NEXT: loop.for %i
  %A = loop.bind %data [0 : 4, 0 : %n, 0 : 2, 0 : %m] : memref<?xf32>
  loop.for %i = 0 to %n {
    // CHECK-NEXT: %[[J:.*]] = affine.apply affine_map<(d0) -> ((d0 * 2))> (%i)
    // CHECK-NEXT: %[[HIGH:.*]] = arith.muli %[[J]], %[[NM]] : index
    // CHECK-NEXT: %[[K:.*]] = affine.apply affine_map<(d0) -> (((d0 * 2) + 1))> (%i)
    // CHECK-NEXT: %[[LOW:.*]] = arith.muli %[[K]], %m : index
    // CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[HIGH]], %[[LOW]] : index
    // CHECK-NEXT: %[[AT:.*]] = arith.addi %[[SUM]], %i : index
    // CHECK-NEXT: memref.store %x, %data[%[[AT]]]
    loop.store %x, %A[%i, %i, 1, %i] : f32
  }
  func.return
}

// A loop of constant extent starts at 0, and the offset of the region cancels; what else
// uses the number of the iteration gets it computed.
// CHECK-LABEL: func.func @from_zero
func.func @from_zero(%x: f32) {
  loop.for %y = 0 to 8 {
    %t = loop.realize "t" [%y * 8 : 8] : !loop.tensor<1, f32>
    // CHECK: loop.for %i = 0 to 4 unrolled {
    loop.for %i = %y * 8 to %y * 8 + 4 unrolled {
      // CHECK-NEXT: memref.store %x, %{{.*}}[%i]
      loop.store %x, %t[%i] : f32
    }
    // CHECK: loop.for %[[I:.*]] = 0 to 4 {
    // CHECK-NEXT: %[[AT:.*]] = affine.apply affine_map<(d0, d1) -> (((d0 * 8) + d1))> (%y, %[[I]])
    // CHECK-NEXT: "test.op"(%[[AT]])
    loop.for %i = %y * 8 to %y * 8 + 4 {
      "test.op"(%i) : (index) -> ()
    }
  }
  func.return
}

// Ranges of loops decide quotients: of a number below the divisor, or below what the
// other terms are multiples of.
// CHECK-LABEL: func.func @ranges
func.func @ranges(%n: index, %data: memref<?xf32>, %x: f32) {
  %A = loop.bind %data [0 : %n] : memref<?xf32>
  loop.for %y = 0 to %n {
    loop.for %i = 0 to min(16, %n) {
      // CHECK: memref.store %x, %data[%y]
      loop.store %x, %A[(%y * 16 + %i) floordiv 16] : f32
      // CHECK: memref.store %x, %data[%i]
      loop.store %x, %A[(%y * 16 + %i) mod 16] : f32
      // CHECK: %[[H:.*]] = affine.apply affine_map<(d0) -> ((d0 floordiv 4))> (%y)
      // CHECK-NEXT: memref.store %x, %data[%[[H]]]
      loop.store %x, %A[(%y * 16 + %i) floordiv 64] : f32
      // CHECK: %[[K:.*]] = affine.apply affine_map<(d0, d1) -> ((((d0 * 16) + d1) floordiv 15))> (%y, %i)
      // CHECK-NEXT: memref.store %x, %data[%[[K]]]
      loop.store %x, %A[(%y * 16 + %i) floordiv 15] : f32
    }
  }
  func.return
}

// The bounds of a loop are numbers if the ranges of loops around say so: LLVM would not see it.
// CHECK-LABEL: func.func @known_by_ranges
// CHECK:         loop.for %f = 0 to 4 {
// CHECK-NEXT:      loop.for %i = 0 to 5 unrolled {
func.func @known_by_ranges(%A: memref<5xf32>) {
  %a = loop.bind %A [0 : 5] : memref<5xf32>
  %one = arith.constant 1.0 : f32
  loop.for %f = 0 to 4 {
    loop.for %i = %f floordiv 4 * 5 to %f floordiv 4 * 5 + 5 unrolled {
      loop.store %one, %a[%i] : f32
    }
  }
  func.return
}
