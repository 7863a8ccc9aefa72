// RUN: teloom-opt %s -p 'lower-loops' | filecheck %s

// Quotients round down, remainders are not negative; powers of two are shifts and masks.
// CHECK-LABEL: func.func @divisions
func.func @divisions(%i: index) {
  // CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
  // CHECK-DAG: %[[C7:.*]] = arith.constant 7 : index
  // CHECK-DAG: %[[C6:.*]] = arith.constant 6 : index
  // CHECK: arith.shrsi %i, %[[C3]] : index
  %a = affine.apply affine_map<(d0) -> (d0 floordiv 8)> (%i)
  // CHECK-NEXT: arith.andi %i, %[[C7]] : index
  %b = affine.apply affine_map<(d0) -> (d0 mod 8)> (%i)
  // CHECK-NEXT: %[[Q:.*]] = arith.floordivsi %i, %[[C7]] : index
  %c = affine.apply affine_map<(d0) -> (d0 floordiv 7)> (%i)
  // CHECK-NEXT: %[[P:.*]] = arith.muli %[[Q]], %[[C7]] : index
  // CHECK-NEXT: arith.subi %i, %[[P]] : index
  %d = affine.apply affine_map<(d0) -> (d0 mod 7)> (%i)
  // CHECK-NEXT: %[[UP:.*]] = arith.addi %i, %[[C6]] : index
  // CHECK-NEXT: arith.floordivsi %[[UP]], %[[C7]] : index
  %e = affine.apply affine_map<(d0) -> (d0 ceildiv 7)> (%i)
  "test.op"(%a, %b, %c, %d, %e) : (index, index, index, index, index) -> ()
  func.return
}

// What is computed already is used again, inside of loops as well.
// CHECK-LABEL: func.func @again
func.func @again(%n: index, %A: memref<?xf32>, %x: f32) {
  // CHECK: arith.muli %n
  %a = affine.apply affine_map<(d0) -> (d0 * 4 + 1)> (%n)
  memref.store %x, %A[%a] : memref<?xf32>
  // CHECK: scf.for
  loop.for %i = 0 to %n {
    // CHECK-NOT: arith.muli
    // CHECK: arith.addi
    // CHECK-NOT: arith.addi
    %b = affine.apply affine_map<(d0, d1) -> (d0 * 4 + d1)> (%n, %i)
    memref.store %x, %A[%b] : memref<?xf32>
    %c = affine.apply affine_map<(d0, d1) -> (d0 * 4 + d1)> (%n, %i)
    memref.store %x, %A[%c] : memref<?xf32>
  }
  // CHECK: func.return
  func.return
}

// The least of several.
// CHECK-LABEL: func.func @least
func.func @least(%n: index, %m: index) -> index {
  // CHECK: %[[LESS:.*]] = arith.minsi %n, %m : index
  // CHECK-NEXT: arith.minsi %[[LESS]], %{{.*}} : index
  %a = affine.min affine_map<(d0, d1) -> (d0, d1, 4)> (%n, %m)
  func.return %a : index
}

// Symbols of a map stand behind its dimensions.
// CHECK-LABEL: func.func @symbols
func.func @symbols(%i: index, %n: index) {
  // CHECK: %[[C3:.*]] = arith.constant 3 : index
  // CHECK: %[[P:.*]] = arith.muli %n, %[[C3]] : index
  // CHECK-NEXT: arith.addi %i, %[[P]] : index
  %a = affine.apply affine_map<(d0)[s0] -> (d0 + s0 * 3)> (%i)[%n]
  "test.op"(%a) : (index) -> ()
  func.return
}
