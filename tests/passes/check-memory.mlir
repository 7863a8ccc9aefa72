// RUN: teloom-opt %s -p check-memory | filecheck %s

loop.memory "global.vtcm" limit 512
loop.memory "local.acc" limit 256
loop.memory "shared.bank" alignment 64

// Buffers of which one is freed before the next is there need room for one.
// CHECK-LABEL: func.func @one_after_another
func.func @one_after_another(%x: f32, %i: index) {
  %a = memref.alloc() : memref<128xf32, "global.vtcm">
  memref.store %x, %a[%i] : memref<128xf32, "global.vtcm">
  memref.dealloc %a : memref<128xf32, "global.vtcm">
  %b = memref.alloc() : memref<128xf32, "global.vtcm">
  memref.store %x, %b[%i] : memref<128xf32, "global.vtcm">
  memref.dealloc %b : memref<128xf32, "global.vtcm">
  func.return
}

// So do those of iterations that run one after the other, and of the two sides of a branch;
// on the stack one ends with its block.
// CHECK-LABEL: func.func @blocks
func.func @blocks(%n: index, %x: f32) {
  loop.for %i = 0 to %n {
    loop.if (%i - 4 >= 0) {
      %a = memref.alloca() : memref<128xf32, "global.vtcm">
      memref.store %x, %a[%i] : memref<128xf32, "global.vtcm">
    } else {
      %b = memref.alloca() : memref<128xf32, "global.vtcm">
      memref.store %x, %b[%i] : memref<128xf32, "global.vtcm">
    }
  }
  func.return
}

// An iteration runs in one thread, which has its own memory of what is local.
// CHECK-LABEL: func.func @own
func.func @own(%n: index, %x: f32) {
  loop.for %i = 0 to %n parallel {
    %a = memref.alloc() : memref<64xf32, "local.acc">
    memref.store %x, %a[%i] : memref<64xf32, "local.acc">
    memref.dealloc %a : memref<64xf32, "local.acc">
  }
  func.return
}

// Functions do not run at the same time, other memories count for themselves, and one
// without a limit holds anything.
// CHECK-LABEL: func.func @others
func.func @others(%n: index, %x: f32, %i: index) {
  %a = memref.alloc() : memref<128xf32, "global.vtcm">
  %b = memref.alloc() : memref<64xf32, "local.acc">
  %c = memref.alloc(%n) : memref<?xf32, "shared.bank">
  %d = memref.alloc(%n) : memref<?xf32>
  memref.dealloc %a : memref<128xf32, "global.vtcm">
  memref.dealloc %b : memref<64xf32, "local.acc">
  memref.dealloc %c : memref<?xf32, "shared.bank">
  memref.dealloc %d : memref<?xf32>
  func.return
}
