// RUN: teloom-opt %s -p lower-to-llvm | filecheck %s

// Sums and products may be contracted; nothing else is given up unasked.
// CHECK-LABEL: @contract
func.func private @contract(%a: f32, %b: f32) -> f32 {
  // CHECK: llvm.fmul %a, %b {fastmathFlags = #llvm.fastmath<contract>} : f32
  %p = arith.mulf %a, %b : f32
  // CHECK: llvm.fadd %p, %b {fastmathFlags = #llvm.fastmath<reassoc,contract>} : f32
  %s = arith.addf %p, %b fastmath<reassoc> : f32
  // CHECK: llvm.fdiv %s, %b : f32
  %q = arith.divf %s, %b : f32
  func.return %q : f32
}

// Arithmetic in bf16 is done in f32 and rounded by integer operations.
// CHECK-LABEL: @short
func.func private @short(%x: bf16, %y: bf16) -> bf16 {
  // CHECK: llvm.fpext %x : bf16 to f32
  // CHECK: llvm.fdiv %{{.*}}, %{{.*}} : f32
  // CHECK-NOT: llvm.fptrunc
  // CHECK: %z = llvm.bitcast %{{.*}} : i16 to bf16
  %z = arith.divf %x, %y : bf16
  func.return %z : bf16
}

// Functions are intrinsics where LLVM has one, else calls of the C library per lane.
// CHECK-LABEL: @functions
func.func private @functions(%v: vector<2xf32>) -> vector<2xf32> {
  // CHECK: llvm.call_intrinsic "llvm.exp"(%v) {{.*}}: (vector<2xf32>) -> vector<2xf32>
  %e = math.exp %v : vector<2xf32>
  // CHECK: %[[lane:.*]] = llvm.extractelement %e[%{{.*}} : i64] : vector<2xf32>
  // CHECK: llvm.call @erff(%[[lane]]) : (f32) -> f32
  // CHECK: llvm.call @erff
  %w = math.erf %e : vector<2xf32>
  func.return %w : vector<2xf32>
}
// CHECK: llvm.func @erff(f32) -> f32
