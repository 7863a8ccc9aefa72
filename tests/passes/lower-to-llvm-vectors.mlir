// RUN: teloom-opt %s -p lower-to-llvm | filecheck %s

// A scalar in every lane: a constant if it is one, else one lane that is spread.
// CHECK-LABEL: @broadcast
func.func private @broadcast(%x: f32) -> vector<4xf32> {
  %c = arith.constant 2.0 : f32
  // CHECK: llvm.mlir.constant(dense<2.000000e+00> : vector<4xf32>) : vector<4xf32>
  %a = vector.broadcast %c : f32 to vector<4xf32>
  // CHECK: %[[one:.*]] = llvm.insertelement %x, %{{.*}}[%{{.*}} : i64] : vector<4xf32>
  // CHECK-NEXT: %b = llvm.shufflevector %[[one]], %[[one]] [0, 0, 0, 0] : vector<4xf32>
  %b = vector.broadcast %x : f32 to vector<4xf32>
  // CHECK: llvm.call_intrinsic "llvm.fma"(%a, %b, %b)
  %r = vector.fma %a, %b, %b : vector<4xf32>
  func.return %r : vector<4xf32>
}

// A mask compares lane numbers in 32 bits with a count that was clamped to the lanes.
// CHECK-LABEL: @mask
func.func private @mask(%n: index) -> vector<4xi1> {
  // CHECK: %[[numbers:.*]] = llvm.mlir.constant(dense<[0, 1, 2, 3]> : vector<4xi32>)
  // CHECK: llvm.call_intrinsic "llvm.smin"(%n,
  // CHECK: llvm.call_intrinsic "llvm.smax"
  // CHECK: llvm.icmp "slt" %[[numbers]], %{{.*}} : vector<4xi32>
  %m = vector.create_mask %n : vector<4xi1>
  func.return %m : vector<4xi1>
}

// Comparisons and selections work lane by lane.
// CHECK-LABEL: @compare
func.func private @compare(%x0: vector<4xindex>, %y0: vector<4xindex>) -> vector<4xindex> {
  // CHECK: llvm.icmp "slt" %x0, %y0 : vector<4xi64>
  %less = arith.cmpi slt, %x0, %y0 : vector<4xindex>
  // CHECK-NEXT: llvm.select %less, %x0, %y0 : vector<4xi1>, vector<4xi64>
  %z0 = arith.select %less, %x0, %y0 : vector<4xi1>, vector<4xindex>
  func.return %z0 : vector<4xindex>
}

// A gather has an address for each lane.
// CHECK-LABEL: @gather
func.func private @gather(%A: memref<?xf32>, %i: index, %at: vector<4xindex>, %m: vector<4xi1>, %v: vector<4xf32>) -> vector<4xf32> {
  // CHECK: %[[begin:.*]] = llvm.getelementptr inbounds %A[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  // CHECK-NEXT: %[[each:.*]] = llvm.getelementptr inbounds %[[begin]][%at] : (!llvm.ptr, vector<4xi64>) -> vector<4x!llvm.ptr>, f32
  // CHECK-NEXT: llvm.intr.masked.gather %[[each]], %m{{.*}}, %v {alignment = 4 : i32}
  %x = vector.gather %A[%i] [%at], %m, %v : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  func.return %x : vector<4xf32>
}

// Ops of the llvm dialect pass as they are.
// CHECK-LABEL: @passed
func.func private @passed(%x1: i64) -> i64 {
  // CHECK: llvm.freeze %x1 : i64
  %y1 = llvm.freeze %x1 : i64
  func.return %y1 : i64
}
