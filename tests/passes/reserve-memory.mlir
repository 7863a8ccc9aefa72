// RUN: teloom-opt %s -p reserve-memory | filecheck %s

// A buffer of a parallel loop lies in memory that is there before anything is written, if the
// loop runs at all: in that of its thread, in lines of its own.
// CHECK-LABEL: @parallel
// CHECK: %[[BYTES:.*]] = loop.element_count [%m, 4]
// CHECK: %[[RUNS:.*]] = arith.cmpi sge
// CHECK: %[[NEEDED:.*]] = arith.select %[[RUNS]], %[[BYTES]], %{{.*}}
// CHECK-NEXT: %[[STRIDE:.*]] = affine.apply affine_map<(d0) -> (((d0 ceildiv 64) * 64))> (%[[NEEDED]])
// CHECK-NEXT: %[[ALL:.*]] = loop.element_count [%[[STRIDE]], %threads]
// CHECK-NEXT: %reserved = memref.alloc(%[[ALL]]) {alignment = 64 : i64} : memref<?xi8>
// CHECK-NEXT: memref.store %x, %A
// CHECK-NEXT: loop.for %i = 0 to %n parallel {
// CHECK: %[[START:.*]] = arith.muli %thread, %[[STRIDE]] : index
// CHECK: %b = memref.view %reserved[%[[START]]][%m] : memref<?xi8> to memref<?xf32>
// CHECK-NOT: dealloc
// CHECK: }
// CHECK-NEXT: memref.dealloc %reserved
func.func @parallel(%n: index, %m: index, %x: f32, %A: memref<1xf32>) {
  %zero = arith.constant 0 : index
  memref.store %x, %A[%zero] : memref<1xf32>
  loop.for %i = 0 to %n parallel {
    %b = memref.alloc(%m) {alignment = 64 : i64} : memref<?xf32>
    memref.store %x, %b[%i] : memref<?xf32>
    memref.dealloc %b : memref<?xf32>
  }
  func.return
}

// What is known is computed here.
// CHECK-LABEL: @known
// CHECK: %[[STRIDE:.*]] = arith.constant 448 : index
// CHECK: %[[ALL:.*]] = loop.element_count [%threads, 448]
// CHECK-NEXT: %reserved = memref.alloc(%[[ALL]]) {alignment = 64 : i64} : memref<?xi8>
// CHECK: %[[START:.*]] = arith.muli %thread, %[[STRIDE]] : index
// CHECK: memref.view %reserved[%[[START]]][] : memref<?xi8> to memref<100xf32>
func.func @known(%n: index, %x: f32, %A: memref<1xf32>) {
  %zero = arith.constant 0 : index
  memref.store %x, %A[%zero] : memref<1xf32>
  loop.for %i = 0 to 8 parallel {
    %b = memref.alloc() {alignment = 64 : i64} : memref<100xf32>
    memref.store %x, %b[%i] : memref<100xf32>
    memref.dealloc %b : memref<100xf32>
  }
  func.return
}

// No iteration has the largest of both extents, of which one falls: left where it is.
// CHECK-LABEL: @peak
// CHECK-NOT: reserved
// CHECK: loop.element_count
// CHECK-NEXT: memref.alloc
func.func @peak(%n: index, %x: f32) {
  loop.for %i = 0 to %n {
    %size = loop.element_count [%i, %n - %i]
    %b = memref.alloc(%size) {alignment = 64 : i64} : memref<?xf32>
    memref.store %x, %b[%i] : memref<?xf32>
    memref.dealloc %b : memref<?xf32>
  }
  func.return
}

// Buffers that one block holds have memory of their own, which LLVM then knows to be apart.
// CHECK-LABEL: @two
// CHECK: %reserved = memref.alloc
// CHECK: %reserved_1 = memref.alloc
// CHECK: loop.for
// CHECK: %b = memref.view %reserved
// CHECK: %[[C:.*]] = memref.view %reserved_1
// CHECK-NEXT: %c = memref.memory_space_cast %[[C]] : memref<?xi64> to memref<?xi64, "local">
func.func @two(%n: index, %x: f32) {
  loop.for %i = 0 to %n {
    %size = affine.apply affine_map<(d0) -> (d0 + 1)> (%i)
    %b = memref.alloc(%size) {alignment = 64 : i64} : memref<?xf32>
    %c = memref.alloc(%size) {alignment = 64 : i64} : memref<?xi64, "local">
    memref.store %x, %b[%i] : memref<?xf32>
    memref.dealloc %b : memref<?xf32>
    memref.dealloc %c : memref<?xi64, "local">
  }
  func.return
}

// Buffers of blocks that do not run at the same time begin at one place. What is inside of the
// first lies behind it, on the next boundary, and LLVM is told that they are apart.
// CHECK-LABEL: @siblings
// CHECK: %reserved = memref.alloc
// CHECK-NOT: reserved_1
// CHECK: %[[BYTES:.*]] = loop.element_count [%n, 4]
// CHECK: %b = memref.view %reserved[%{{.*}}][%n] {alias_scopes = [#llvm.alias_scope<id = "reserved.0", domain = <id = "siblings">>], noalias_scopes = [#llvm.alias_scope<id = "reserved.1", domain = <id = "siblings">>]}
// CHECK: %[[BEHIND:.*]] = affine.apply affine_map<(d0) -> (((d0 ceildiv 64) * 64))> (%[[BYTES]])
// CHECK: %c = memref.view %reserved[%[[BEHIND]]][%j] {alias_scopes = [#llvm.alias_scope<id = "reserved.1"
// CHECK: loop.if
// CHECK: %d = memref.view %reserved[%{{.*}}][%m] :
func.func @siblings(%n: index, %m: index, %x: f32) {
  loop.for %i = 0 to %n {
    %b = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
    memref.store %x, %b[%i] : memref<?xf32>
    loop.for %j = 0 to %i {
      %c = memref.alloc(%j) {alignment = 64 : i64} : memref<?xf32>
      memref.store %x, %c[%j] : memref<?xf32>
      memref.dealloc %c : memref<?xf32>
    }
    memref.dealloc %b : memref<?xf32>
  }
  loop.if (%m - %n >= 0) {
    %d = memref.alloc(%m) {alignment = 64 : i64} : memref<?xf32>
    memref.store %x, %d[%m] : memref<?xf32>
    memref.dealloc %d : memref<?xf32>
  }
  func.return
}

// A product is largest where each of its extents is.
// CHECK-LABEL: @product
// CHECK: %[[BYTES:.*]] = loop.element_count [%n - 1, %m + 2, 32]
// CHECK: %[[NEEDED:.*]] = arith.select %{{.*}}, %[[BYTES]], %{{.*}}
// CHECK-NEXT: %reserved = memref.alloc(%[[NEEDED]])
// CHECK: %[[SIZE:.*]] = loop.element_count [%i, %m + 2, 8]
// CHECK: memref.view %reserved[%{{.*}}][%[[SIZE]]]
func.func @product(%n: index, %m: index, %x: f32) {
  loop.for %i = 0 to %n {
    %size = loop.element_count [%i, %m + 2, 8]
    %b = memref.alloc(%size) {alignment = 64 : i64} : memref<?xf32>
    memref.store %x, %b[%i] : memref<?xf32>
    memref.dealloc %b : memref<?xf32>
  }
  func.return
}

// Buffers that share memory have that of the largest, which is largest where they are.
// CHECK-LABEL: @shared
// CHECK-DAG: %[[ROWS:.*]] = loop.element_count [%n, %m, 4]
// CHECK-DAG: %[[ROW:.*]] = loop.element_count [%m, 64]
// CHECK: arith.maxsi
// CHECK: %reserved = memref.alloc
func.func @shared(%n: index, %m: index, %x: f32) {
  loop.for %i = 0 to %n {
    %rows = loop.element_count [%i + 1, %m]
    %row = loop.element_count [%m, 16]
    %size = arith.maxsi %rows, %row : index
    %b = memref.alloc(%size) {alignment = 64 : i64} : memref<?xf32>
    memref.store %x, %b[%i] : memref<?xf32>
    memref.dealloc %b : memref<?xf32>
  }
  func.return
}

// No iteration needs both buffers at their largest: together they would be refused too early.
// CHECK-LABEL: @never_together
// CHECK-NOT: reserved
// CHECK: memref.alloc
// CHECK: memref.alloc
func.func @never_together(%n: index, %x: f32) {
  loop.for %i = 0 to %n {
    %left = affine.apply affine_map<(d0, d1) -> (d1 - d0)> (%i, %n)
    %b = memref.alloc(%i) {alignment = 64 : i64} : memref<?xf32>
    %c = memref.alloc(%left) {alignment = 64 : i64} : memref<?xf32>
    memref.store %x, %b[%i] : memref<?xf32>
    memref.store %x, %c[%i] : memref<?xf32>
    memref.dealloc %b : memref<?xf32>
    memref.dealloc %c : memref<?xf32>
  }
  func.return
}

// Nobody knows a size, or a condition, that is read from memory.
// CHECK-LABEL: @data
// CHECK-NOT: reserved
// CHECK: memref.alloc
// CHECK-LABEL: @data_condition
// CHECK-NOT: reserved
// CHECK: memref.alloc
func.func @data(%n: index, %x: f32, %N: memref<?xindex>) {
  loop.for %i = 0 to %n {
    %size = memref.load %N[%i] : memref<?xindex>
    %b = memref.alloc(%size) {alignment = 64 : i64} : memref<?xf32>
    memref.store %x, %b[%i] : memref<?xf32>
    memref.dealloc %b : memref<?xf32>
  }
  func.return
}
func.func @data_condition(%n: index, %x: f32, %N: memref<?xi1>) {
  loop.for %i = 0 to %n {
    %is = memref.load %N[%i] : memref<?xi1>
    scf.if %is {
      %b = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
      memref.store %x, %b[%i] : memref<?xf32>
      memref.dealloc %b : memref<?xf32>
    }
  }
  func.return
}

// What the function frees before, the loop may have: together they would be too much.
// CHECK-LABEL: @freed_before
// CHECK-NOT: reserved
// CHECK: memref.dealloc %b
func.func @freed_before(%n: index, %x: f32) {
  %b = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
  memref.store %x, %b[%n] : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  loop.for %i = 0 to %n parallel {
    %c = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
    memref.store %x, %c[%i] : memref<?xf32>
    memref.dealloc %c : memref<?xf32>
  }
  func.return
}

// A function that is called may allocate, too, itself or by what it calls.
// CHECK-LABEL: @calls
// CHECK-NOT: reserved
// CHECK: memref.alloc
func.func @calls(%n: index, %x: f32) {
  func.call @calls_another(%n) : (index) -> ()
  loop.for %i = 0 to %n parallel {
    %c = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
    memref.store %x, %c[%i] : memref<?xf32>
    memref.dealloc %c : memref<?xf32>
  }
  func.return
}
func.func @calls_another(%n: index) {
  func.call @allocates(%n) : (index) -> ()
  func.return
}
func.func @allocates(%n: index) {
  %c = memref.alloc(%n) : memref<?xf32>
  memref.dealloc %c : memref<?xf32>
  func.return
}

// One that does not is no reason.
// CHECK-LABEL: @calls_what_computes
// CHECK: %reserved = memref.alloc
// CHECK: loop.for
func.func @calls_what_computes(%n: index, %x: f32) {
  func.call @computes(%n) : (index) -> ()
  loop.for %i = 0 to %n {
    %c = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
    memref.store %x, %c[%i] : memref<?xf32>
    memref.dealloc %c : memref<?xf32>
  }
  func.return
}
func.func @computes(%n: index) {
  func.return
}

// What frees its buffers in another order than from the last to the first, and allocates again.
// CHECK-LABEL: @out_of_order
// CHECK-NOT: reserved
// CHECK: memref.dealloc %b
func.func @out_of_order(%n: index, %x: f32) {
  loop.for %i = 0 to %n {
    %b = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
    %c = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
    memref.store %x, %b[%i] : memref<?xf32>
    memref.dealloc %b : memref<?xf32>
    %d = memref.alloc(%i) {alignment = 64 : i64} : memref<?xf32>
    memref.store %x, %d[%i] : memref<?xf32>
    memref.dealloc %c : memref<?xf32>
    memref.dealloc %d : memref<?xf32>
  }
  func.return
}

// A buffer that is freed last begins where the one before it began.
// CHECK-LABEL: @again
// CHECK: loop.for
// CHECK-NEXT: %[[START:.*]] = arith.constant 0 : index
// CHECK-NEXT: %b = memref.view %reserved[%[[START]]][%n]
// CHECK: %[[AGAIN:.*]] = arith.constant 0 : index
// CHECK-NEXT: %c = memref.view %reserved[%[[AGAIN]]][%i]
func.func @again(%n: index, %x: f32) {
  loop.for %i = 0 to %n {
    %b = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
    memref.store %x, %b[%i] : memref<?xf32>
    memref.dealloc %b : memref<?xf32>
    %c = memref.alloc(%i) {alignment = 64 : i64} : memref<?xf32>
    memref.store %x, %c[%i] : memref<?xf32>
    memref.dealloc %c : memref<?xf32>
  }
  func.return
}

// A loop that never runs needs nothing.
// CHECK-LABEL: @never
// CHECK-NEXT: loop.for
func.func @never(%n: index, %x: f32) {
  loop.for %i = 0 to 0 {
    %b = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
    memref.store %x, %b[%i] : memref<?xf32>
    memref.dealloc %b : memref<?xf32>
  }
  func.return
}

// What is behind a buffer in one iteration may be in it in another: nothing is said of them.
// CHECK-LABEL: @moving
// CHECK: %b = memref.view %reserved[%{{.*}}][%i] :
// CHECK: %c = memref.view %reserved[%{{.*}}][%j] :
func.func @moving(%n: index, %x: f32) {
  loop.for %i = 0 to %n {
    %b = memref.alloc(%i) {alignment = 64 : i64} : memref<?xf32>
    memref.store %x, %b[%i] : memref<?xf32>
    loop.for %j = 0 to %i {
      %c = memref.alloc(%j) {alignment = 64 : i64} : memref<?xf32>
      memref.store %x, %c[%j] : memref<?xf32>
      memref.dealloc %c : memref<?xf32>
    }
    memref.dealloc %b : memref<?xf32>
  }
  func.return
}
