// RUN: teloom-run %s --compare --random 0 | filecheck %s
// RUN: teloom-run %s --sanitize memory --random 0 | filecheck %s --check-prefix=CHECKED

// The interpreter and the machine move the same points, and no others.
// CHECK:   C: equal to the interpreter's
// CHECKED: C:
te.func @moved(%A: tensor<37xf32>) -> (tensor<37xf32>) {
  %C = te.extern "C" (%c: tensor<37xf32>) {
    %a = te.buffer %A[0 : 37] : memref<37xf32, strided<[1]>>
    %p = te.buffer %c[0 : 37] : memref<37xf32, strided<[1]>>
    loop.for %i = 0 to 37 vectorized {
      %x = memref.load %a[%i] : memref<37xf32, strided<[1]>>
      memref.store %x, %p[%i] : memref<37xf32, strided<[1]>>
      geometry.move %p[%i] by %x : memref<37xf32, strided<[1]>>, f32
    }
  }
  te.return %C : tensor<37xf32>
}
