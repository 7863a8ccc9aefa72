// RUN: teloom-opt %s -p lower-scf | filecheck %s

// The induction variable and the carried values are arguments of the block that tests
// the bound; the results of the loop are those arguments when the test fails.
// CHECK-LABEL: @sum
func.func @sum(%n: index, %A: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  // CHECK: cf.br ^[[header:.*]](%c0, %zero : index, f32)
  // CHECK: ^[[header]](%i: index, %acc: f32):
  // CHECK-NEXT: %[[more:.*]] = arith.cmpi slt, %i, %n : index
  // CHECK-NEXT: cf.cond_br %[[more]], ^[[body:.*]], ^[[end:[^(]*]]
  // CHECK: ^[[body]]:
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) {
    %a = memref.load %A[%i] : memref<?xf32>
    // CHECK: %s = arith.addf %acc, %a
    %s = arith.addf %acc, %a : f32
    // CHECK-NEXT: %[[next:.*]] = arith.addi %i, %c1 overflow<nsw> : index
    // CHECK-NEXT: cf.br ^[[header]](%[[next]], %s : index, f32)
    scf.yield %s : f32
  }
  // CHECK: ^[[end]]:
  // CHECK-NEXT: func.return %acc : f32
  func.return %sum : f32
}

// A loop that runs by its constant bounds tests behind each iteration whether there is another one:
// the results of the loop are what the last one has yielded.
// CHECK-LABEL: @eight
func.func @eight(%A: memref<8xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  // CHECK: cf.br ^[[body:.*]](%c0, %zero : index, f32)
  // CHECK: ^[[body]](%i: index, %acc: f32):
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> (f32) {
    %a = memref.load %A[%i] : memref<8xf32>
    // CHECK: %s = arith.addf %acc, %a
    %s = arith.addf %acc, %a : f32
    // CHECK-NEXT: %[[next:.*]] = arith.addi %i, %c1 overflow<nsw> : index
    // CHECK-NEXT: %[[more:.*]] = arith.cmpi slt, %[[next]], %c8 : index
    // CHECK-NEXT: cf.cond_br %[[more]], ^[[body]](%[[next]], %s : index, f32), ^[[end:[^( ]*]]
    scf.yield %s : f32
  }
  // CHECK: ^[[end]]:
  // CHECK-NEXT: func.return %s : f32
  func.return %sum : f32
}

// One that has a branch in its body tests in front, for LLVM 22 would jump from there to a branch
// behind the loop that tests the same; one with a loop that has the branch does not.
// CHECK-LABEL: @branch
func.func @branch(%c: i1, %A: memref<8xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: ^{{.*}}(%i: index):
  // CHECK-NEXT: cf.br ^[[header:.*]](%c0 : index)
  scf.for %i = %c0 to %c8 step %c1 {
    // CHECK: ^[[header]](%j: index):
    // CHECK-NEXT: arith.cmpi slt, %j, %c8
    scf.for %j = %c0 to %c8 step %c1 {
      // CHECK: cf.cond_br %c
      scf.if %c {
        memref.store %x, %A[%j] : memref<8xf32>
      }
    }
    // CHECK: %[[next:.*]] = arith.addi %i, %c1
    // CHECK-NEXT: arith.cmpi slt, %[[next]], %c8
  }
  func.return
}

// One that has no iteration by them tests in front.
// CHECK-LABEL: @none
func.func @none(%A: memref<8xf32>) {
  %c1 = arith.constant 1 : index
  // CHECK: cf.br ^[[header:.*]](%c1 : index)
  // CHECK: ^[[header]](%i: index):
  // CHECK-NEXT: arith.cmpi slt, %i, %c1
  scf.for %i = %c1 to %c1 step %c1 {
  }
  func.return
}

// A counter that is not an index may wrap, so nothing is said of overflow.
// CHECK-LABEL: @small
func.func @small(%n: i8) {
  %one = arith.constant 1 : i8
  // CHECK: arith.addi %i, %one : i8
  scf.for %i = %one to %n step %one : i8 {
  }
  func.return
}

// 200 is -56 in 8 bits: this loop has no iteration.
// CHECK-LABEL: @negative
func.func @negative() {
  %zero = arith.constant 0 : i8
  %one = arith.constant 1 : i8
  %end = arith.constant 200 : i8
  // CHECK: ^{{.*}}(%i: i8):
  // CHECK-NEXT: arith.cmpi slt, %i, %end
  scf.for %i = %zero to %end step %one : i8 {
  }
  func.return
}
