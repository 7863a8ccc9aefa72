// RUN: teloom-opt %s -p expand-math --cpu znver4 | filecheck %s --check-prefixes WIDE,ALL
// RUN: teloom-opt %s -p expand-math --cpu znver3 | filecheck %s --check-prefixes ANY,ALL
// RUN: teloom-opt %s -p expand-math | filecheck %s --check-prefixes ANY,ALL

// AVX-512 multiplies whole registers of floats by powers of two; all else has two factors for it.
// ALL-LABEL: func.func @powers
func.func @powers(%x: vector<16xf32>, %y: vector<8xf64>, %z: vector<8xf32>, %s: f32) -> f32 {
  %0 = math.exp %x : vector<16xf32>
  %1 = math.tanh %y : vector<8xf64>
  %2 = math.exp %z : vector<8xf32>
  %3 = math.exp %s : f32
  func.return %3 : f32
}

// ALL-LABEL: func.func private @teloom_exp_f32x16
// WIDE-NOT:  arith.shli
// WIDE:      %[[MASK:.*]] = arith.constant -1 : i16
// WIDE-NEXT: %[[ROUNDED:.*]] = arith.constant 4 : i32
// WIDE-NEXT: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"(%[[R:.*]], %{{.*}}, %[[R]], %[[MASK]], %[[ROUNDED]]) : (vector<16xf32>, vector<16xf32>, vector<16xf32>, i16, i32) -> vector<16xf32>
// WIDE-NEXT: func.return
// ANY:       arith.shli
// ANY:       arith.shli
// ANY:       arith.mulf
// ANY:       arith.mulf
// ANY-NEXT:  func.return

// ALL-LABEL: func.func private @teloom_tanh_f64x8
// WIDE:      llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.pd.512"
// ANY:       arith.shli

// ALL-LABEL: func.func private @teloom_exp_f32x8
// ALL-NOT:   llvm
// ALL-LABEL: func.func private @teloom_exp_f32
// ALL-NOT:   llvm
