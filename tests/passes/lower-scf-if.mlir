// RUN: teloom-opt %s -p lower-scf | filecheck %s

// Both branches bring their values to the block behind.
// CHECK-LABEL: @both
func.func @both(%c: i1, %a: f32, %b: f32) -> f32 {
  // CHECK: cf.cond_br %c, ^[[then:.*]], ^[[else:[^(]*]]
  // CHECK: ^[[then]]:
  // CHECK-NEXT: cf.br ^[[end:[^(]*]](%a : f32)
  // CHECK: ^[[else]]:
  // CHECK-NEXT: cf.br ^[[end]](%b : f32)
  // CHECK: ^[[end]](%r: f32):
  // CHECK-NEXT: return %r
  %r = scf.if %c -> (f32) {
    scf.yield %a : f32
  } else {
    scf.yield %b : f32
  }
  func.return %r : f32
}

// Without an else, control goes past.
// CHECK-LABEL: @past
func.func @past(%c: i1, %a: f32, %B: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: cf.cond_br %c, ^[[then:.*]], ^[[end:[^(]*]]
  // CHECK: ^[[then]]:
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: cf.br ^[[end]]
  scf.if %c {
    memref.store %a, %B[%c0] : memref<1xf32>
  }
  func.return
}
