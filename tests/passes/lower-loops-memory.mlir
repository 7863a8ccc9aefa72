// RUN: teloom-opt %s -p lower-loops | filecheck %s

// Other tools know nothing of a memory's limit. What was in that memory says so still.
// CHECK-NOT: loop.memory
// CHECK-LABEL: func.func @forgotten
// CHECK: memref<8xf32, "global.vtcm">
loop.memory "global.vtcm" limit 1024
func.func @forgotten(%x: f32, %i: index) {
  %a = memref.alloc() : memref<8xf32, "global.vtcm">
  memref.store %x, %a[%i] : memref<8xf32, "global.vtcm">
  memref.dealloc %a : memref<8xf32, "global.vtcm">
  func.return
}
