// RUN: teloom-translate %s --to c | filecheck %s
// RUN: teloom-translate %s --to c --vectors loops | filecheck %s --check-prefix=LOOPS
// RUN: teloom-opt %s -p te-to-memref | teloom-translate --to c | filecheck %s --check-prefix=STDIN
// RUN: teloom-translate %s --to llvm-ir | filecheck %s --check-prefix=LLVM
// RUN: teloom-translate %s --to asm | filecheck %s --check-prefix=ASM

// Names of tensors, sizes and axes stay. What is used once stands where it is used.

// CHECK:       typedef float f32x16 __attribute__((vector_size(64)));
// CHECK:       /* scaled:
// CHECK-NEXT:      n: a size, from 0 to 2^40
// CHECK-NEXT:      image: float32 [n, 40]
// CHECK-NEXT:      weights: uint8 [n]
// CHECK-NEXT:      out: float32 [n, 40], written
// CHECK-NEXT:    Returns 0. */
// CHECK-NEXT:  int32_t scaled(int64_t n, const float *restrict image, const uint8_t *restrict weights, float *restrict out) {
// CHECK-NEXT:  #ifdef _OPENMP
// CHECK-NEXT:  #pragma omp parallel for
// CHECK-NEXT:  #endif
// CHECK-NEXT:    for (int64_t i = 0; i < n; ++i) {
// CHECK-NEXT:      TELOOM_UNROLL(2)
// CHECK-NEXT:      for (int64_t j = 0; j < 2; ++j) {
// CHECK-NEXT:        const float f = (float)weights[i];
// CHECK-NEXT:        *(f32x16_at4 *)&out[i * 40 + j * 16] = *(const f32x16_at4 *)&image[i * 40 + j * 16] * f;
// CHECK-NEXT:      }

// LOOPS-NOT:   vector_size
// LOOPS:       for (int lane = 0; lane < 16; ++lane) out[i * 40 + j * 16 + lane] = image[i * 40 + j * 16 + lane] * f;

// STDIN:       int32_t scaled(
// LLVM:        define {{.*}}scaled
// ASM:         scaled
te.func @scaled(%n: index, %image: tensor<?x40xf32>[%n, 40], %weights: tensor<?xui8>[%n]) -> (tensor<?x40xf32>) {
  %out = te.compute "out" (%i = %n, %j = 40) : tensor<?x40xf32> {
    %a = te.read %image[%i, %j] : f32
    %w = te.read %weights[%i] : i8
    %f = arith.uitofp %w : i8 to f32
    %b = arith.mulf %a, %f : f32
    te.yield %b : f32
  }
  te.return %out : tensor<?x40xf32>
}
schedule.sequence @rows on @scaled {
  %out = schedule.get "out"
  %i, %j = schedule.axes 2 of %out
  schedule.parallel %i
  schedule.vectorize %j
}
