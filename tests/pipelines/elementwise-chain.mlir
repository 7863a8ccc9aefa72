// RUN: teloom-opt %s -p 'apply-schedule,infer-bounds,build-loops,storage-flatten' | filecheck %s --check-prefix=APART
// RUN: teloom-opt %s -p te-to-memref | filecheck %s

// A chain of five elementwise stages has four temporary tensors, which are one buffer.

// APART-LABEL:   func.func @chain
// APART-COUNT-4: memref.alloc(
// APART-NOT:     memref.alloc
// APART:         func.return

// CHECK-LABEL:   func.func @chain
// CHECK:         %S1 = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi32>
// CHECK-NOT:     memref.alloc
// CHECK:         memref.load %A
// CHECK:         memref.store %{{.*}}, %S1
// CHECK-COUNT-3: memref.store %{{.*}}, %S1
// CHECK:         memref.load %S1
// CHECK:         memref.store %{{.*}}, %S5
// CHECK:         memref.dealloc %S1
// CHECK-NOT:     memref.dealloc
te.func @chain(%n: index, %A: tensor<?xi32>[%n]) -> (tensor<?xi32>) {
  %S1 = te.compute "S1" (%i = %n) : tensor<?xi32> {
    %a = te.read %A[%i] : i32
    %one = arith.constant 1 : i32
    %s = arith.addi %a, %one : i32
    te.yield %s : i32
  }
  %S2 = te.compute "S2" (%i = %n) : tensor<?xi32> {
    %a = te.read %S1[%i] : i32
    %two = arith.constant 2 : i32
    %s = arith.muli %a, %two : i32
    te.yield %s : i32
  }
  %S3 = te.compute "S3" (%i = %n) : tensor<?xi32> {
    %a = te.read %S2[%i] : i32
    %three = arith.constant 3 : i32
    %s = arith.subi %a, %three : i32
    te.yield %s : i32
  }
  %S4 = te.compute "S4" (%i = %n) : tensor<?xi32> {
    %a = te.read %S3[%i] : i32
    %s = arith.muli %a, %a : i32
    te.yield %s : i32
  }
  %S5 = te.compute "S5" (%i = %n) : tensor<?xi32> {
    %a = te.read %S4[%i] : i32
    %five = arith.constant 5 : i32
    %s = arith.addi %a, %five : i32
    te.yield %s : i32
  }
  te.return %S5 : tensor<?xi32>
}
