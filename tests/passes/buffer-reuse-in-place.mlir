// RUN: teloom-opt %s -p 'buffer-reuse' | filecheck %s
// RUN: teloom-opt %s -p 'buffer-reuse{in_place=false}' | filecheck %s --check-prefix=APART

// Each element of B is made of that of A: one buffer.
// CHECK-LABEL: func.func @pointwise
// CHECK: %A = memref.alloc()
// CHECK-NOT: memref.alloc
// CHECK: memref.load %A
// CHECK-NEXT: arith.addf
// CHECK-NEXT: memref.store %{{.*}}, %A
// CHECK: memref.dealloc %A
// CHECK-NOT: dealloc
// CHECK: return
// APART-LABEL: func.func @pointwise
// APART-COUNT-2: memref.alloc()
func.func @pointwise(%x: f32, %C: memref<64xf32>) {
  %A = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  loop.for %i = 0 to 64 {
    memref.store %x, %A[%i] : memref<64xf32>
  }
  %B = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  loop.for %i = 0 to 64 {
    %a = memref.load %A[%i] : memref<64xf32>
    %b = arith.addf %a, %x : f32
    memref.store %b, %B[%i] : memref<64xf32>
  }
  loop.for %i = 0 to 64 {
    %b = memref.load %B[%i] : memref<64xf32>
    memref.store %b, %C[%i] : memref<64xf32>
  }
  memref.dealloc %A : memref<64xf32>
  memref.dealloc %B : memref<64xf32>
  func.return
}

// A[0] is read in every iteration, and the first would write it.
// CHECK-LABEL: func.func @first
// CHECK-COUNT-2: memref.alloc()
func.func @first(%x: f32, %C: memref<64xf32>) {
  %zero = arith.constant 0 : index
  %A = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  loop.for %i = 0 to 64 {
    memref.store %x, %A[%i] : memref<64xf32>
  }
  %B = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  loop.for %i = 0 to 64 {
    %a = memref.load %A[%i] : memref<64xf32>
    %first = memref.load %A[%zero] : memref<64xf32>
    %b = arith.addf %a, %first : f32
    memref.store %b, %B[%i] : memref<64xf32>
  }
  loop.for %i = 0 to 64 {
    %b = memref.load %B[%i] : memref<64xf32>
    memref.store %b, %C[%i] : memref<64xf32>
  }
  memref.dealloc %A : memref<64xf32>
  memref.dealloc %B : memref<64xf32>
  func.return
}

// B is set to a start before A is read.
// CHECK-LABEL: func.func @reduction
// CHECK-COUNT-2: memref.alloc()
func.func @reduction(%x: f32, %C: memref<64xf32>) {
  %A = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  loop.for %i = 0 to 64 {
    memref.store %x, %A[%i] : memref<64xf32>
  }
  %B = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  loop.for %i = 0 to 64 {
    memref.store %x, %B[%i] : memref<64xf32>
    loop.for %k = 0 to 64 {
      %b = memref.load %B[%i] : memref<64xf32>
      %a = memref.load %A[%k] : memref<64xf32>
      %s = arith.addf %a, %b : f32
      memref.store %s, %B[%i] : memref<64xf32>
    }
  }
  loop.for %i = 0 to 64 {
    %b = memref.load %B[%i] : memref<64xf32>
    memref.store %b, %C[%i] : memref<64xf32>
  }
  memref.dealloc %A : memref<64xf32>
  memref.dealloc %B : memref<64xf32>
  func.return
}

// What is read ahead of what is written is still there; what is read behind it is not.
// CHECK-LABEL: func.func @ahead
// CHECK-COUNT-1: memref.alloc()
// CHECK-NOT: memref.alloc
// CHECK-LABEL: func.func @behind
// CHECK-COUNT-2: memref.alloc()
func.func @ahead(%x: f32, %C: memref<64xf32>) {
  %A = memref.alloc() {alignment = 64 : i64} : memref<65xf32>
  loop.for %i = 0 to 65 {
    memref.store %x, %A[%i] : memref<65xf32>
  }
  %B = memref.alloc() {alignment = 64 : i64} : memref<65xf32>
  loop.for %i = 0 to 64 {
    %next = affine.apply affine_map<(d0) -> (d0 + 1)> (%i)
    %a = memref.load %A[%next] : memref<65xf32>
    memref.store %a, %B[%i] : memref<65xf32>
  }
  loop.for %i = 0 to 64 {
    %b = memref.load %B[%i] : memref<65xf32>
    memref.store %b, %C[%i] : memref<64xf32>
  }
  memref.dealloc %A : memref<65xf32>
  memref.dealloc %B : memref<65xf32>
  func.return
}
func.func @behind(%x: f32, %C: memref<64xf32>) {
  %A = memref.alloc() {alignment = 64 : i64} : memref<65xf32>
  loop.for %i = 0 to 65 {
    memref.store %x, %A[%i] : memref<65xf32>
  }
  %B = memref.alloc() {alignment = 64 : i64} : memref<65xf32>
  loop.for %i = 0 to 64 {
    %next = affine.apply affine_map<(d0) -> (d0 + 1)> (%i)
    %a = memref.load %A[%i] : memref<65xf32>
    memref.store %a, %B[%next] : memref<65xf32>
  }
  loop.for %i = 0 to 64 {
    %next = affine.apply affine_map<(d0) -> (d0 + 1)> (%i)
    %b = memref.load %B[%next] : memref<65xf32>
    memref.store %b, %C[%i] : memref<64xf32>
  }
  memref.dealloc %A : memref<65xf32>
  memref.dealloc %B : memref<65xf32>
  func.return
}

// Iterations that run at the same time are in no order: only the same element is safe.
// CHECK-LABEL: func.func @parallel
// CHECK-COUNT-2: memref.alloc()
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @parallel(%x: f32, %C: memref<64xf32>) {
  %A = memref.alloc() {alignment = 64 : i64} : memref<65xf32>
  loop.for %i = 0 to 65 {
    memref.store %x, %A[%i] : memref<65xf32>
  }
  %B = memref.alloc() {alignment = 64 : i64} : memref<65xf32>
  loop.for %i = 0 to 64 parallel {
    %next = affine.apply affine_map<(d0) -> (d0 + 1)> (%i)
    %a = memref.load %A[%next] : memref<65xf32>
    memref.store %a, %B[%i] : memref<65xf32>
  }
  %D = memref.alloc() {alignment = 64 : i64} : memref<65xf32>
  loop.for %i = 0 to 64 parallel {
    %b = memref.load %B[%i] : memref<65xf32>
    memref.store %b, %D[%i] : memref<65xf32>
  }
  loop.for %i = 0 to 64 {
    %b = memref.load %D[%i] : memref<65xf32>
    memref.store %b, %C[%i] : memref<64xf32>
  }
  memref.dealloc %A : memref<65xf32>
  memref.dealloc %B : memref<65xf32>
  memref.dealloc %D : memref<65xf32>
  func.return
}

// Elements of another type lie in place if they are as wide.
// CHECK-LABEL: func.func @types
// CHECK: %storage = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// CHECK: %A = memref.view %storage
// CHECK: %B = memref.view %storage
// CHECK: return
// CHECK-LABEL: func.func @wider
// CHECK: %A = memref.alloc()
// CHECK: %B = memref.alloc()
// CHECK: return
func.func @types(%x: f32, %C: memref<64xi32>) {
  %A = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  loop.for %i = 0 to 64 {
    memref.store %x, %A[%i] : memref<64xf32>
  }
  %B = memref.alloc() {alignment = 64 : i64} : memref<64xi32>
  loop.for %i = 0 to 64 {
    %a = memref.load %A[%i] : memref<64xf32>
    %b = arith.fptosi %a : f32 to i32
    memref.store %b, %B[%i] : memref<64xi32>
  }
  loop.for %i = 0 to 64 {
    %b = memref.load %B[%i] : memref<64xi32>
    memref.store %b, %C[%i] : memref<64xi32>
  }
  memref.dealloc %A : memref<64xf32>
  memref.dealloc %B : memref<64xi32>
  func.return
}
func.func @wider(%x: f32, %C: memref<64xi64>) {
  %A = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  loop.for %i = 0 to 64 {
    memref.store %x, %A[%i] : memref<64xf32>
  }
  %B = memref.alloc() {alignment = 64 : i64} : memref<64xi64>
  loop.for %i = 0 to 64 {
    %a = memref.load %A[%i] : memref<64xf32>
    %b = arith.fptosi %a : f32 to i64
    memref.store %b, %B[%i] : memref<64xi64>
  }
  loop.for %i = 0 to 64 {
    %b = memref.load %B[%i] : memref<64xi64>
    memref.store %b, %C[%i] : memref<64xi64>
  }
  memref.dealloc %A : memref<64xf32>
  memref.dealloc %B : memref<64xi64>
  func.return
}

// Rows of a symbolic length lie in place too, in a loop whose iterations then share them.
// CHECK-LABEL: func.func @symbolic
// CHECK: memref.alloc(
// CHECK-NEXT: loop.for %y
// CHECK-NOT: memref.alloc
// CHECK: memref.dealloc
// CHECK-NEXT: return
func.func @symbolic(%n: index, %m: index, %x: f32, %C: memref<?xf32>) {
  loop.for %y = 0 to 8 {
    %size = arith.muli %n, %m : index
    %A = memref.alloc(%size) {alignment = 64 : i64} : memref<?xf32>
    loop.for %i = 0 to %size {
      memref.store %x, %A[%i] : memref<?xf32>
    }
    %B = memref.alloc(%size) {alignment = 64 : i64} : memref<?xf32>
    loop.for %i = 0 to %n {
      loop.for %j = 0 to %m {
        %row = arith.muli %i, %m : index
        %at = arith.addi %row, %j : index
        %a = memref.load %A[%at] : memref<?xf32>
        memref.store %a, %B[%at] : memref<?xf32>
      }
    }
    loop.for %i = 0 to %size {
      %b = memref.load %B[%i] : memref<?xf32>
      memref.store %b, %C[%i] : memref<?xf32>
    }
    memref.dealloc %A : memref<?xf32>
    memref.dealloc %B : memref<?xf32>
  }
  func.return
}

// An argument is the caller's.
// CHECK-LABEL: func.func @argument
// CHECK: memref.alloc()
// CHECK: memref.load %A
// CHECK-NEXT: memref.store %{{.*}}, %B
func.func @argument(%A: memref<64xf32>, %C: memref<64xf32>) {
  %B = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  loop.for %i = 0 to 64 {
    %a = memref.load %A[%i] : memref<64xf32>
    memref.store %a, %B[%i] : memref<64xf32>
  }
  loop.for %i = 0 to 64 {
    %b = memref.load %B[%i] : memref<64xf32>
    memref.store %b, %C[%i] : memref<64xf32>
  }
  memref.dealloc %B : memref<64xf32>
  func.return
}

// Lanes of a loop around get one memory, once it is outside: they must not meet there, as
// the element that lane 1 keeps in A and the one that lane 0 writes to B would.
// CHECK-LABEL: func.func @lanes
// CHECK-COUNT-2: memref.alloc()
func.func @lanes(%x: f32, %k: i32, %C: memref<64xf32>) {
  loop.for %v = 0 to 16 vectorized {
    %A = memref.alloc() {alignment = 64 : i64} : memref<17xf32>
    memref.store %x, %A[%v] : memref<17xf32>
    %B = memref.alloc() {alignment = 64 : i64} : memref<17xi32>
    loop.for %j = 0 to 2 {
      %a = memref.load %A[%v] : memref<17xf32>
      memref.store %a, %C[%v] : memref<64xf32>
      %next = affine.apply affine_map<(d0) -> (d0 + 1)> (%v)
      memref.store %k, %B[%next] : memref<17xi32>
    }
    memref.dealloc %A : memref<17xf32>
    memref.dealloc %B : memref<17xi32>
  }
  func.return
}
