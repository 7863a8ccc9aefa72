// RUN: teloom-opt %s -p 'buffer-reuse' | filecheck %s

// A buffer that another function gets may be used for as long as that likes.
// CHECK-LABEL: func.func @passed_on
// CHECK-NEXT: loop.for %i
// CHECK-NEXT: %a = memref.alloc()
// CHECK-NEXT: func.call @other(%a)
// CHECK-NEXT: memref.dealloc %a
// CHECK-NEXT: }
// CHECK-NEXT: loop.for %j
// CHECK-NEXT: memref.alloc()
func.func @passed_on(%x: f32) {
  loop.for %i = 0 to 8 {
    %a = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
    func.call @other(%a) : (memref<64xf32>) -> ()
    memref.dealloc %a : memref<64xf32>
  }
  loop.for %j = 0 to 8 {
    %b = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
    func.call @other(%b) : (memref<64xf32>) -> ()
    memref.dealloc %b : memref<64xf32>
  }
  func.return
}
func.func private @other(memref<64xf32>)

// What is never freed, or in another block, belongs to somebody else.
// CHECK-LABEL: func.func @not_freed
// CHECK-NEXT: loop.for %i
// CHECK-NEXT: %a = memref.alloc()
// CHECK-NEXT: memref.store
// CHECK-NEXT: %b = memref.alloc()
// CHECK-NEXT: loop.for %j
// CHECK-NEXT: memref.dealloc %b
func.func @not_freed(%x: f32) {
  loop.for %i = 0 to 8 {
    %a = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
    memref.store %x, %a[%i] : memref<64xf32>
    %b = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
    loop.for %j = 0 to 1 {
      memref.dealloc %b : memref<64xf32>
    }
  }
  func.return
}

// Memory in a space that is no scope is not understood.
// CHECK-LABEL: func.func @memory
// CHECK-NEXT: loop.for %i
// CHECK-NEXT: memref.alloc() : memref<8xf32, 3 : i32>
func.func @memory() {
  loop.for %i = 0 to 8 {
    %b = memref.alloc() : memref<8xf32, 3 : i32>
    memref.dealloc %b : memref<8xf32, 3 : i32>
  }
  func.return
}

// A loop of another dialect keeps what is in it.
// CHECK-LABEL: func.func @other_loop
// CHECK: scf.for
// CHECK-NEXT: memref.alloc()
func.func @other_loop(%n: index, %x: f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %a = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
    memref.store %x, %a[%i] : memref<64xf32>
    memref.dealloc %a : memref<64xf32>
  }
  func.return
}

// Who has an address can use the buffer as long as it lives: it shares nothing, and stays
// where it is.
// CHECK-LABEL: func.func @address
// CHECK: loop.for
// CHECK-NEXT: %a = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
// CHECK: %b = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
// CHECK: memref.dealloc %a
// CHECK: memref.dealloc %b
func.func @address(%x: f32) {
  loop.for %i = 0 to 8 {
    %a = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
    %at = "memref.extract_aligned_pointer_as_index"(%a) : (memref<64xf32>) -> index
    "test.op"(%at) : (index) -> ()
    %b = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
    %to = "memref.extract_aligned_pointer_as_index"(%b) : (memref<64xf32>) -> index
    "test.op"(%to) : (index) -> ()
    memref.dealloc %a : memref<64xf32>
    memref.dealloc %b : memref<64xf32>
  }
  func.return
}
