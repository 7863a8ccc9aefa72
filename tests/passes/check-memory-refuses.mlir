// RUN: not teloom-opt %s -p 'check-memory' --split-input-file 2>&1 | filecheck %s

// Two at the same time, each on its boundary.
// CHECK: error: check-memory: "global.vtcm" holds 1024 bytes, but 1056 are needed at one time: "a" 520 bytes, "b" 32 bytes, on boundaries of 1024 bytes; compute less of them at a time, or at different times
loop.memory "global.vtcm" limit 1024
func.func @two() {
  %a = memref.alloc() {alignment = 1024 : i64} : memref<130xf32, "global.vtcm">
  %b = memref.alloc() {alignment = 1024 : i64} : memref<8xf32, "global.vtcm">
  memref.dealloc %a : memref<130xf32, "global.vtcm">
  memref.dealloc %b : memref<8xf32, "global.vtcm">
  func.return
}

// -----

// What an enclosing block holds counts inside of it.
// CHECK: "global.vtcm" holds 600 bytes, but 768 are needed at one time: "outer" 512 bytes, "inner" 256 bytes
loop.memory "global.vtcm" limit 600
func.func @nested(%n: index) {
  %outer = memref.alloc() : memref<128xf32, "global.vtcm">
  loop.for %i = 0 to %n {
    %inner = memref.alloc() : memref<64xf32, "global.vtcm">
    memref.dealloc %inner : memref<64xf32, "global.vtcm">
  }
  memref.dealloc %outer : memref<128xf32, "global.vtcm">
  func.return
}

// -----

// Of one allocation those buffers are named that are needed when most of it is.
// CHECK: "global.vtcm" holds 512 bytes, but 768 are needed at one time: "v" 256 bytes, "w" 512 bytes, on boundaries of 64 bytes
loop.memory "global.vtcm" limit 512
func.func @views(%x: f32, %i: index) {
  %zero = arith.constant 0 : index
  %far = arith.constant 512 : index
  %storage = memref.alloc() : memref<768xi8, "global.vtcm">
  %u = memref.view %storage[%zero][] : memref<768xi8, "global.vtcm"> to memref<64xf32, "global.vtcm">
  %v = memref.view %storage[%far][] : memref<768xi8, "global.vtcm"> to memref<64xf32, "global.vtcm">
  %w = memref.view %storage[%zero][] : memref<768xi8, "global.vtcm"> to memref<128xf32, "global.vtcm">
  memref.store %x, %u[%i] : memref<64xf32, "global.vtcm">
  memref.store %x, %v[%i] : memref<64xf32, "global.vtcm">
  memref.store %x, %w[%i] : memref<128xf32, "global.vtcm">
  memref.store %x, %v[%i] : memref<64xf32, "global.vtcm">
  memref.dealloc %storage : memref<768xi8, "global.vtcm">
  func.return
}

// -----

// All iterations of a parallel loop at once. Blocks have a memory each, and the threads of
// one see the same buffer.
// CHECK: "shared.bank" holds 400 bytes, but 480 are needed at one time: "t" 32 bytes (8 times), on boundaries of 64 bytes
loop.memory "shared.bank" limit 400
func.func @at_once(%x: f32) {
  loop.for %b = 0 to 99 blockIdx.x {
    loop.for %i = 0 to 8 parallel {
      loop.for %j = 0 to 16 threadIdx.x {
        %t = memref.alloca() : memref<8xf32, "shared.bank">
        memref.store %x, %t[%j] : memref<8xf32, "shared.bank">
      }
    }
  }
  func.return
}

// -----

// CHECK: all iterations of i hold memory in "shared.bank" at the same time, but how many they are depends on sizes; split the loop by a constant factor, or make it serial
loop.memory "shared.bank" limit 1024
func.func @how_many(%n: index, %x: f32) {
  loop.for %i = 0 to %n parallel {
    %t = memref.alloca() : memref<8xf32, "shared.bank">
    memref.store %x, %t[%i] : memref<8xf32, "shared.bank">
  }
  func.return
}

// -----

// CHECK: the size of "t" in "shared.bank" depends on sizes, but this memory holds 1024 bytes; compute a part of constant size at a time, or store it in a memory without a limit
loop.memory "shared.bank" limit 1024
func.func @symbolic(%n: index) {
  %t = memref.alloc(%n) : memref<?xf32, "shared.bank">
  memref.dealloc %t : memref<?xf32, "shared.bank">
  func.return
}

// -----

// CHECK: error: check-memory: loop.realize is left here; run storage-flatten first
func.func @early() {
  %b = loop.realize "b" [0 : 8] : !loop.tensor<1, f32>
  func.return
}
