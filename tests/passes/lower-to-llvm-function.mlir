// RUN: teloom-opt %s -p lower-to-llvm | filecheck %s

// A public function returns a status and gets buffers that do not overlap; what else the
// caller promised is kept.
// CHECK-LABEL: llvm.func @public(
// CHECK-SAME: %n: i64, %A: !llvm.ptr {llvm.noalias, llvm.nonnull, llvm.readonly},
// CHECK-SAME: %x: f32) -> i32
// CHECK-NEXT: %[[ok:.*]] = llvm.mlir.constant(0 : i32)
// CHECK-NEXT: llvm.return %[[ok]] : i32
func.func @public(%n: index, %A: memref<?xf32> {llvm.readonly}, %x: f32) {
  func.return
}

// Inside the module, two buffers may be one.
// CHECK-LABEL: llvm.func internal @private(%P: !llvm.ptr) -> i32
func.func private @private(%P: memref<?xf32>) {
  func.return
}

// A private function with a result just returns it.
// CHECK-LABEL: llvm.func internal @value(%v: f32) -> f32
// CHECK-NEXT: llvm.return %v : f32
func.func private @value(%v: f32) -> f32 {
  func.return %v : f32
}

// A declaration stays as it is: it is C's.
// CHECK: llvm.func @hypotf(f32, f32) -> f32
func.func private @hypotf(f32, f32) -> f32

// The status of a called function is looked at.
// CHECK-LABEL: llvm.func @caller
// CHECK: %[[status:.*]] = llvm.call @private(%C) : (!llvm.ptr) -> i32
// CHECK: %[[failed:.*]] = llvm.icmp "ne" %[[status]], %{{.*}} : i32
// CHECK: llvm.cond_br %[[failed]], ^[[failure:.*]](%[[status]] : i32), ^{{.*}}
// CHECK: ^[[failure]](%[[given:.*]]: i32):
// CHECK-NEXT: llvm.return %[[given]] : i32
func.func @caller(%C: memref<?xf32>) {
  func.call @private(%C) : (memref<?xf32>) -> ()
  func.return
}
