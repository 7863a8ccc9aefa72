// RUN: teloom-opt %s --split-input-file -p apply-pragmas | filecheck %s
// RUN: teloom-opt %s --split-input-file -p apply-pragmas 2>&1 | filecheck %s --check-prefix=REMARK

// LLVM's names become a loop annotation, with and without its prefix; others stay.
// REMARK: remark: pragma "import_c" of axis i does nothing, as it has no hook
// CHECK-LABEL: func.func @annotated
// CHECK: loop.for %i = 0 to %n attributes {llvm.loop_annotation = #llvm.loop_annotation<vectorize = <disable = true, width = 8 : i32>, unroll = <runtimeDisable = true>>, loop.pragmas = {import_c = "x"}} {
func.func @annotated(%n: index, %A: memref<?xf32>, %x: f32) {
  loop.for %i = 0 to %n attributes {loop.pragmas = {"import_c" = "x", "vectorize.enable" = false, "vectorize.width" = 8 : i64, "llvm.loop.unroll.runtime.disable" = true}} {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  func.return
}

// -----

// To unroll a loop is no business of LLVM alone, which warns of what it cannot unroll.
// CHECK-LABEL: func.func @unrolled
func.func @unrolled(%n: index, %A: memref<?xf32>, %x: f32) {
  // CHECK-NEXT: loop.for %i = 0 to %n unrolled {
  loop.for %i = 0 to %n attributes {loop.pragmas = {"unroll.full" = true}} {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  // CHECK: loop.for %j = 0 to %n {
  loop.for %j = 0 to %n attributes {loop.pragmas = {"unroll.full" = false}} {
    memref.store %x, %A[%j] : memref<?xf32>
  }
  // CHECK: loop.for %k = 0 to 8 parallel {
  loop.for %k = 0 to 8 parallel attributes {loop.pragmas = {"llvm.loop.unroll.full" = true}} {
    memref.store %x, %A[%k] : memref<?xf32>
  }
  func.return
}
// REMARK: remark: axis k is not unrolled: it is parallel

// -----

// Loops of few iterations are unrolled, those inside counted; then their copies are written.
// CHECK-LABEL: func.func @short
// CHECK:      loop.for %i = 0 to 100 {
// CHECK-NEXT:   loop.for %j = 0 to %i {
// CHECK-NEXT:     memref.store
// CHECK-NEXT:   }
// CHECK-NEXT:   arith.constant 0 : index
// CHECK-NEXT:   arith.constant 0 : index
// CHECK-NEXT:   memref.store
// CHECK:        memref.store
// CHECK:        memref.store
// CHECK:        memref.store
// CHECK-NOT:    memref.store
func.func @short(%A: memref<?xf32>, %B: memref<2x2xf32>, %x: f32) {
  loop.for %i = 0 to 100 attributes {loop.pragmas = {"unroll_explicit" = true, "auto_unroll_max_step" = 4 : i64}} {
    loop.for %j = 0 to %i {
      memref.store %x, %A[%j] : memref<?xf32>
    }
    loop.for %k = 0 to 2 {
      loop.for %l = 0 to 2 {
        memref.store %x, %B[%k, %l] : memref<2x2xf32>
      }
    }
  }
  func.return
}

// -----

// Too many copies to write are a matter of `unroll-loops`, which refuses them with a remark.
// CHECK-LABEL: func.func @long
// CHECK:         loop.for %i = 0 to 1000000 unrolled {
func.func @long(%A: memref<?xf32>, %x: f32) {
  loop.for %i = 0 to 1000000 unrolled attributes {loop.pragmas = {"unroll_explicit" = true}} {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  func.return
}
