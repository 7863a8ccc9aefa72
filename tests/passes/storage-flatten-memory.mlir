// RUN: teloom-opt %s -p storage-flatten | filecheck %s

// CHECK: loop.memory "global.vtcm" limit 65536 alignment 128
loop.memory "global.vtcm" limit 65536 alignment 128
loop.memory "shared.bank" limit 1024

// A buffer of a tagged scope is never on the stack, whatever its size. It has the alignment
// of the scope's memory, or the usual one where that says none or is not declared.
// CHECK-LABEL: func.func @tagged
func.func @tagged(%n: index, %x: f32) {
  // CHECK: %a = memref.alloc() {alignment = 128 : i64} : memref<4xf32, "global.vtcm">
  %a = loop.realize "a" [0 : 4] in "global.vtcm" : !loop.tensor<1, f32>
  // CHECK: %b = memref.alloc() {alignment = 64 : i64} : memref<4xf32, "shared.bank">
  %b = loop.realize "b" [0 : 4] in "shared.bank" : !loop.tensor<1, f32>
  // CHECK: %c = memref.alloc() {alignment = 64 : i64} : memref<4xf32, "global.other">
  %c = loop.realize "c" [0 : 4] in "global.other" : !loop.tensor<1, f32>
  // CHECK: %d = memref.alloc({{.*}}) {alignment = 128 : i64} : memref<?xf32, "global.vtcm">
  %d = loop.realize "d" [0 : %n] in "global.vtcm" : !loop.tensor<1, f32>
  // CHECK: %e = memref.alloca() {alignment = 16 : i64} : memref<4xf32, "shared">
  %e = loop.realize "e" [0 : 4] in "shared" : !loop.tensor<1, f32>
  loop.store %x, %a[0] : f32
  loop.store %x, %b[0] : f32
  loop.store %x, %c[0] : f32
  loop.store %x, %d[0] : f32
  loop.store %x, %e[0] : f32
  // CHECK: memref.dealloc
  func.return
}
