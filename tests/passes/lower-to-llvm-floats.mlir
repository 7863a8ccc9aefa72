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
  // CHECK: llvm.bitcast %x : bf16 to i16
  // CHECK: llvm.shl {{.*}} : i32
  // CHECK-NOT: llvm.fpext
  // CHECK: llvm.fdiv %{{.*}}, %{{.*}} : f32
  // CHECK-NOT: llvm.fptrunc
  // CHECK: %z = llvm.bitcast %{{.*}} : i16 to bf16
  %z = arith.divf %x, %y : bf16
  func.return %z : bf16
}

// An f64 keeps what a rounding to f16 needs of it when it becomes an f32.
// CHECK-LABEL: @once
func.func private @once(%x: f64) -> f16 {
  // CHECK: llvm.and {{.*}} : i64
  // CHECK: llvm.add {{.*}} : i64
  // CHECK: llvm.or {{.*}} : i64
  // CHECK: llvm.and {{.*}} : i64
  // CHECK: %[[odd:.*]] = llvm.bitcast %{{.*}} : i64 to f64
  // CHECK: %[[single:.*]] = llvm.fptrunc %[[odd]] : f64 to f32
  // CHECK: %{{.*}} = llvm.fptrunc %[[single]] : f32 to f16
  %z = arith.truncf %x : f64 to f16
  func.return %z : f16
}

// LLVM may not approximate a power: it would call llvm.powi.
// CHECK-LABEL: @power
func.func private @power(%x: f32) -> f32 {
  // CHECK: llvm.call_intrinsic "llvm.pow"
  // CHECK-NOT: afn
  %z = math.powf %x, %x fastmath<fast> : f32
  func.return %z : f32
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
