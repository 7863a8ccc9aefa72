// RUN: not teloom-opt %s -p check-accesses --split-input-file 2>&1 | filecheck %s

// CHECK: loop.realize is left here; run storage-flatten first
func.func @early() {
  %b = loop.realize "b" [0 : 8] : !loop.tensor<1, f32>
  func.return
}

// -----

// CHECK: nothing says in which memory memref.load finds its buffer
func.func @unknown(%i: index) {
  %b = "test.op"() : () -> memref<8xf32>
  %v = memref.load %b[%i] : memref<8xf32>
  func.return
}

// -----

// CHECK: a function of several blocks cannot be checked
func.func @blocks(%a: i1) {
  cf.cond_br %a, ^end, ^end
^end:
  func.return
}
