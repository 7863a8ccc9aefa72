// RUN: teloom-opt %s -p lower-to-llvm | filecheck %s

// Accesses of disjoint views never meet: %a has no byte in common with %b, which has none
// in common with %a and %c. Those of %a and %c do meet.
// CHECK-LABEL: @views
// CHECK: llvm.store %x, %{{.*}} {alias_scopes = [#llvm.alias_scope<id = "0.0", domain = <id = "views">>], noalias_scopes = [#llvm.alias_scope<id = "0.1", domain = <id = "views">>], alignment = 4 : i64}
// CHECK: llvm.store %x, %{{.*}} {alias_scopes = [#llvm.alias_scope<id = "0.1", domain = <id = "views">>], noalias_scopes = [#llvm.alias_scope<id = "0.0", domain = <id = "views">>, #llvm.alias_scope<id = "0.2", domain = <id = "views">>], alignment = 4 : i64}
// CHECK: llvm.load %{{.*}} {alias_scopes = [#llvm.alias_scope<id = "0.2", domain = <id = "views">>], noalias_scopes = [#llvm.alias_scope<id = "0.1", domain = <id = "views">>], alignment = 2 : i64}
func.func @views(%i: index, %x: f32) {
  %storage = memref.alloc() : memref<1024xi8>
  %0 = arith.constant 0 : index
  %512 = arith.constant 512 : index
  %64 = arith.constant 64 : index
  %a = memref.view %storage[%0][] : memref<1024xi8> to memref<128xf32>
  %b = memref.view %storage[%512][] : memref<1024xi8> to memref<128xf32>
  %c = memref.view %storage[%64][] : memref<1024xi8> to memref<32xi16>
  memref.store %x, %a[%i] : memref<128xf32>
  memref.store %x, %b[%i] : memref<128xf32>
  %h = memref.load %c[%i] : memref<32xi16>
  memref.dealloc %storage : memref<1024xi8>
  func.return
}

// So do accesses of vectors, masked or not.
// CHECK-LABEL: @vectors
// CHECK: llvm.load %{{.*}} {{{.*}}noalias_scopes
// CHECK: llvm.intr.masked.load {{.*}} {{{.*}}noalias_scopes
// CHECK: llvm.intr.masked.store {{.*}} {{{.*}}noalias_scopes
// CHECK: llvm.store %{{.*}} {{{.*}}noalias_scopes
func.func @vectors(%i: index, %m: vector<4xi1>) {
  %storage = memref.alloc() : memref<1024xi8>
  %0 = arith.constant 0 : index
  %512 = arith.constant 512 : index
  %a = memref.view %storage[%0][] : memref<1024xi8> to memref<128xf32>
  %b = memref.view %storage[%512][] : memref<1024xi8> to memref<128xf32>
  %v = vector.load %a[%i] : memref<128xf32>, vector<4xf32>
  %w = vector.maskedload %b[%i], %m, %v : memref<128xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.maskedstore %a[%i], %m, %w : memref<128xf32>, vector<4xi1>, vector<4xf32>
  vector.store %w, %b[%i] : memref<128xf32>, vector<4xf32>
  memref.dealloc %storage : memref<1024xi8>
  func.return
}

// Of views that overlap, and of a view at a place that is not known, nothing is said.
// CHECK-LABEL: @not_known
// CHECK-NOT: alias_scopes
// CHECK: llvm.return
func.func @not_known(%i: index, %x: f32) {
  %storage = memref.alloc() : memref<1024xi8>
  %0 = arith.constant 0 : index
  %508 = arith.constant 508 : index
  %a = memref.view %storage[%0][] : memref<1024xi8> to memref<128xf32>
  %b = memref.view %storage[%508][] : memref<1024xi8> to memref<128xf32>
  %c = memref.view %storage[%i][] : memref<1024xi8> to memref<1xf32>
  memref.store %x, %a[%i] : memref<128xf32>
  memref.store %x, %b[%i] : memref<128xf32>
  memref.store %x, %c[%0] : memref<1xf32>
  memref.dealloc %storage : memref<1024xi8>
  func.return
}
