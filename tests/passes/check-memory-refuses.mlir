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

// A buffer that a loop keeps for its next iterations is needed throughout the loop: others in
// the loop, one after the other, take the bytes behind it.
// CHECK: "global.vtcm" holds 100 bytes, but 192 are needed at one time: "kept" 64 bytes, "v" 128 bytes, on boundaries of 64 bytes
loop.memory "global.vtcm" limit 100
func.func @kept(%x: f32, %n: index) {
  %zero = arith.constant 0 : index
  %far = arith.constant 64 : index
  %storage = memref.alloc() : memref<192xi8, "global.vtcm">
  %kept = memref.view %storage[%zero][] : memref<192xi8, "global.vtcm"> to memref<16xf32, "global.vtcm">
  %u = memref.view %storage[%far][] : memref<192xi8, "global.vtcm"> to memref<8xf32, "global.vtcm">
  %v = memref.view %storage[%far][] : memref<192xi8, "global.vtcm"> to memref<16xf64, "global.vtcm">
  %y = arith.extf %x : f32 to f64
  loop.for %i = 0 to %n {
    memref.store %x, %kept[%i] : memref<16xf32, "global.vtcm">
    memref.store %x, %u[%i] : memref<8xf32, "global.vtcm">
    memref.store %y, %v[%i] : memref<16xf64, "global.vtcm">
  }
  memref.dealloc %storage : memref<192xi8, "global.vtcm">
  func.return
}

// -----

// The moment when most is needed is that of most boundaries: of two small buffers, not of one.
// CHECK: "global.vtcm" holds 64 bytes, but 72 are needed at one time: "u" 4 bytes, "v" 8 bytes, on boundaries of 64 bytes
loop.memory "global.vtcm" limit 64
func.func @boundaries(%x: f32, %y: f64, %i: index) {
  %zero = arith.constant 0 : index
  %far = arith.constant 64 : index
  %storage = memref.alloc() : memref<72xi8, "global.vtcm">
  %t = memref.view %storage[%zero][] : memref<72xi8, "global.vtcm"> to memref<16xf32, "global.vtcm">
  %u = memref.view %storage[%zero][] : memref<72xi8, "global.vtcm"> to memref<1xf32, "global.vtcm">
  %v = memref.view %storage[%far][] : memref<72xi8, "global.vtcm"> to memref<1xf64, "global.vtcm">
  memref.store %x, %t[%i] : memref<16xf32, "global.vtcm">
  memref.store %x, %u[%i] : memref<1xf32, "global.vtcm">
  memref.store %y, %v[%i] : memref<1xf64, "global.vtcm">
  memref.store %x, %u[%i] : memref<1xf32, "global.vtcm">
  memref.dealloc %storage : memref<72xi8, "global.vtcm">
  func.return
}

// -----

// One that is made in place of another takes its bytes, and no more.
// CHECK: "global.vtcm" holds 100 bytes, but 128 are needed at one time: "t" 128 bytes, on boundaries of 64 bytes
loop.memory "global.vtcm" limit 100
func.func @in_place(%x: f32) {
  %zero = arith.constant 0 : index
  %storage = memref.alloc() : memref<128xi8, "global.vtcm">
  %t = memref.view %storage[%zero][] : memref<128xi8, "global.vtcm"> to memref<32xf32, "global.vtcm">
  %u = memref.view %storage[%zero][] : memref<128xi8, "global.vtcm"> to memref<16xi32, "global.vtcm">
  loop.for %i = 0 to 32 {
    memref.store %x, %t[%i] : memref<32xf32, "global.vtcm">
  }
  loop.for %i = 0 to 16 {
    %v = memref.load %t[%i] : memref<32xf32, "global.vtcm">
    %w = arith.fptosi %v : f32 to i32
    memref.store %w, %u[%i] : memref<16xi32, "global.vtcm">
  }
  %i0 = arith.constant 0 : index
  %r = memref.load %u[%i0] : memref<16xi32, "global.vtcm">
  memref.store %r, %u[%i0] : memref<16xi32, "global.vtcm">
  memref.dealloc %storage : memref<128xi8, "global.vtcm">
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
