// RUN: teloom-opt %s -p 'buffer-reuse' | filecheck %s
// RUN: teloom-opt %s -p 'buffer-reuse{hoist=false}' | filecheck %s --check-prefix=STAY

// A buffer of constant size leaves serial, vectorized and unrolled loops, and branches.
// CHECK-LABEL: func.func @serial
// CHECK-NEXT: %t = memref.alloc() {alignment = 64 : i64} : memref<20000xf32>
// CHECK-NEXT: loop.for %i
// CHECK-NOT: memref.alloc
// CHECK: memref.dealloc %t
// CHECK-NEXT: func.return
// STAY-LABEL: func.func @serial
// STAY: vectorized {
// STAY-NEXT: memref.alloc
// STAY: memref.dealloc
// STAY-NEXT: }
func.func @serial(%x: f32) {
  loop.for %i = 0 to 8 {
    loop.for %j = 0 to 8 unrolled {
      loop.if (%i - %j >= 0) {
        loop.for %k = 0 to 8 vectorized {
          %t = memref.alloc() {alignment = 64 : i64} : memref<20000xf32>
          memref.store %x, %t[%k] : memref<20000xf32>
          memref.dealloc %t : memref<20000xf32>
        }
      }
    }
  }
  func.return
}

// Iterations that run at the same time have a buffer each; a serial loop inside does not.
// CHECK-LABEL: func.func @parallel
// CHECK-NEXT: loop.for {{.*}} parallel {
// CHECK-NEXT: %own = memref.alloc()
// CHECK-NEXT: loop.for 
// CHECK: memref.dealloc %own
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @parallel(%x: f32) {
  loop.for %i = 0 to 8 parallel {
    loop.for %j = 0 to 8 {
      %own = memref.alloc() {alignment = 64 : i64} : memref<20000xf32>
      memref.store %x, %own[%j] : memref<20000xf32>
      memref.dealloc %own : memref<20000xf32>
    }
  }
  func.return
}

// A symbolic size that does not depend on the loops is computed in front of them.
// CHECK-LABEL: func.func @symbolic
// CHECK-NEXT: %zero = arith.constant 0
// CHECK-NEXT: %size = arith.maxsi
// CHECK-NEXT: %sized = memref.alloc(%size)
// CHECK-NEXT: loop.for 
func.func @symbolic(%n: index, %x: f32) {
  loop.for %i = 0 to %n {
    loop.for %j = 0 to %n {
      %zero = arith.constant 0 : index
      %size = arith.maxsi %n, %zero : index
      %sized = memref.alloc(%size) {alignment = 64 : i64} : memref<?xf32>
      memref.store %x, %sized[%j] : memref<?xf32>
      memref.dealloc %sized : memref<?xf32>
    }
  }
  func.return
}

// One that depends on a loop stays in it, and leaves those further in.
// CHECK-LABEL: func.func @triangle
// CHECK-NEXT: loop.for 
// CHECK-NEXT: %row = memref.alloc(
// CHECK-NEXT: loop.for 
// CHECK: memref.dealloc %row
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @triangle(%n: index, %x: f32) {
  loop.for %i = 0 to %n {
    loop.for %j = 0 to %i {
      %row = memref.alloc(%i) {alignment = 64 : i64} : memref<?xf32>
      memref.store %x, %row[%j] : memref<?xf32>
      memref.dealloc %row : memref<?xf32>
    }
  }
  func.return
}

// A symbolic size may be enormous where a condition does not hold: it stays behind it.
// CHECK-LABEL: func.func @guarded
// CHECK: loop.if
// CHECK-NEXT: memref.alloc(
func.func @guarded(%n: index, %x: f32) {
  loop.for %i = 0 to 8 {
    loop.if (%n * -1 + 100 >= 0) {
      %t = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
      memref.store %x, %t[%i] : memref<?xf32>
      memref.dealloc %t : memref<?xf32>
    }
  }
  func.return
}

// Memory on the stack is allocated once per function, wherever it stands.
// CHECK-LABEL: func.func @stack
// CHECK-NEXT: loop.for %i
// CHECK-NEXT: memref.alloca()
func.func @stack(%x: f32) {
  loop.for %i = 0 to 8 {
    %t = memref.alloca() {alignment = 64 : i64} : memref<8xf32>
    memref.store %x, %t[%i] : memref<8xf32>
  }
  func.return
}
