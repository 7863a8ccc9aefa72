// RUN: teloom-opt %s -p lower-to-llvm | filecheck %s

// Accesses compute an address by elements and have the alignment of one.
// CHECK-LABEL: @access
func.func @access(%i: index, %A: memref<?xf64>, %F: memref<?xi1>) {
  // CHECK: %[[p:.*]] = llvm.getelementptr inbounds %A[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  // CHECK-NEXT: llvm.load %[[p]] {alignment = 8 : i64} : !llvm.ptr -> vector<4xf64>
  %v = vector.load %A[%i] : memref<?xf64>, vector<4xf64>
  // CHECK: llvm.store %v, %{{.*}} {alignment = 8 : i64, nontemporal} : vector<4xf64>, !llvm.ptr
  vector.store %v, %A[%i] {nontemporal = true} : memref<?xf64>, vector<4xf64>
  // A truth value is one byte in memory.
  // CHECK: %[[q:.*]] = llvm.getelementptr inbounds %F[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  // CHECK-NEXT: %[[byte:.*]] = llvm.load %[[q]] {alignment = 1 : i64} : !llvm.ptr -> i8
  // CHECK: %f = llvm.icmp "ne" %[[byte]], %{{.*}} : i8
  %f = memref.load %F[%i] : memref<?xi1>
  // CHECK: llvm.zext %f : i1 to i8
  memref.store %f, %F[%i] : memref<?xi1>
  func.return
}

// A stack buffer stands in the entry block, wherever it was, and so does a constant, once.
// CHECK-LABEL: @stack
// CHECK: %c1 = llvm.mlir.constant(1) : i64
// CHECK-NEXT: %t = llvm.alloca %c1 x !llvm.array<256 x f32> {alignment = 64 : i64} : (i64) -> !llvm.ptr
// CHECK: llvm.cond_br
func.func @stack(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloca() : memref<256xf32>
    memref.store %x, %t[%i] : memref<256xf32>
  }
  func.return
}

// A heap buffer is aligned, and lies in the workspace that the caller passes; where that
// gives no memory, the function returns 1.
// CHECK-LABEL: @heap
// CHECK-SAME: (%workspace: !llvm.ptr {llvm.nonnull, teloom.workspace}) -> i32
func.func @heap() {
  // CHECK: %[[size:.*]] = llvm.mlir.constant(448) : i64
  // CHECK-NEXT: %[[alignment:.*]] = llvm.mlir.constant(64) : i64
  // CHECK: %T = llvm.call @teloom_take(%workspace, %[[alignment]], %[[size]]) : (!llvm.ptr, i64, i64) -> !llvm.ptr
  // CHECK: llvm.cond_br %{{.*}}, ^[[failure:bb\d+]]({{.*}} : i32), ^[[next:bb\d+]]
  // CHECK: ^[[next]]:
  %T = memref.alloc() : memref<100xf32>
  // CHECK-NEXT: llvm.call @teloom_give(%workspace, %T) : (!llvm.ptr, !llvm.ptr) -> ()
  memref.dealloc %T : memref<100xf32>
  // CHECK: ^[[failure]](%[[status:.*]]: i32):
  // CHECK-NEXT: llvm.return %[[status]] : i32
  func.return
}

// A function that calls one which allocates passes its workspace on; another has none.
// CHECK-LABEL: @caller
// CHECK-SAME: !llvm.ptr {llvm.nonnull, teloom.workspace})
// CHECK: llvm.call @middle(%workspace{{.*}}) : (!llvm.ptr) -> i32
// CHECK: llvm.call @alone(%{{.*}}) : (f32) -> i32
func.func @caller(%x: f32) {
  func.call @middle() : () -> ()
  func.call @alone(%x) : (f32) -> ()
  func.return
}
// CHECK-LABEL: internal @middle
// CHECK: llvm.call @heap(%workspace{{.*}}) : (!llvm.ptr) -> i32
func.func private @middle() {
  func.call @heap() : () -> ()
  func.return
}
// CHECK-LABEL: internal @alone
// CHECK-SAME: (%{{[^%]*}}: f32) -> i32
func.func private @alone(%x: f32) {
  func.return
}

// A view is an address so many bytes further on.
// CHECK-LABEL: @view
// CHECK: %[[shift:.*]] = llvm.mlir.constant(128) : i64
// CHECK: %part = llvm.getelementptr inbounds %{{.*}}[%[[shift]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-NEXT: llvm.getelementptr inbounds %part[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f32
func.func @view(%i: index, %x: f32, %A: memref<256xi8>) {
  %shift = arith.constant 128 : index
  %part = memref.view %A[%shift][] : memref<256xi8> to memref<32xf32>
  memref.store %x, %part[%i] : memref<32xf32>
  func.return
}

// What `teloom_take` gives overlaps nothing that the code knows.
// CHECK: llvm.func @teloom_take(!llvm.ptr, i64, i64) -> (!llvm.ptr {llvm.noalias})
// CHECK-NEXT: llvm.func @teloom_give(!llvm.ptr, !llvm.ptr)
