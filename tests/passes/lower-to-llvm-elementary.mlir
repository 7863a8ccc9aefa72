// RUN: teloom-opt %s -p lower-to-llvm | filecheck %s

// What `expand-math` writes is inlined, and only what says so is contracted there.
// CHECK-LABEL: llvm.func internal @elementary
// CHECK-SAME:    passthrough = ["alwaysinline", "teloom.vectorized"]
// CHECK:         llvm.fmul %{{.*}}, %{{.*}} : f32
// CHECK:         llvm.call_intrinsic "llvm.fma"(
// CHECK:         llvm.call_intrinsic "llvm.fmuladd"(
func.func private @elementary(%x: f32) -> f32 attributes {teloom.elementary} {
  %0 = arith.mulf %x, %x : f32
  %1 = math.fma %0, %x, %x : f32
  %2 = math.fma %1, %x, %x fastmath<contract> : f32
  func.return %2 : f32
}

// CHECK-LABEL: llvm.func internal @other
// CHECK-NOT:     alwaysinline
// CHECK:         llvm.fmul %{{.*}}, %{{.*}} {fastmathFlags = #llvm.fastmath<contract>} : f32
func.func private @other(%x: f32) -> f32 {
  %0 = arith.mulf %x, %x : f32
  func.return %0 : f32
}

// A sine in a branch of an elementary function is a call, which LLVM makes in the branch only.
// CHECK-LABEL: llvm.func internal @far
// CHECK:         llvm.call @sinf(
// CHECK:         llvm.call @sinf(
func.func private @far(%x: vector<2xf32>) -> vector<2xf32> attributes {teloom.elementary} {
  %0 = math.sin %x : vector<2xf32>
  func.return %0 : vector<2xf32>
}

// So is a remainder, with both operands of a lane.
// CHECK-LABEL: llvm.func internal @remainder
// CHECK:         %[[A:.*]] = llvm.extractelement %x[
// CHECK:         %[[B:.*]] = llvm.extractelement %y[
// CHECK:         llvm.call @fmod(%[[A]], %[[B]])
// CHECK:         llvm.call @fmod(
func.func private @remainder(%x: vector<2xf64>, %y: vector<2xf64>) -> vector<2xf64> attributes {teloom.elementary} {
  %0 = llvm.frem %x, %y : vector<2xf64>
  func.return %0 : vector<2xf64>
}
