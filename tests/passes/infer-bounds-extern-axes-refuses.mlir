// RUN: not teloom-opt %s -p infer-bounds --split-input-file 2>&1 | filecheck %s

// CHECK: error: infer-bounds: stage "C" fills element [4] at [0] and at [1]; the slices of two points must not meet
te.func @overlap() -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 4) : tensor<20xf32> {
    schedule.order %i
    schedule.extern (%i_1) (%c: tensor<20xf32>) {
      %0 = te.buffer %c[%i_1 * 4 : 8] : memref<8xf32, strided<[1], offset: ?>>
    }
  }
  te.return %C : tensor<20xf32>
}

// -----

// CHECK: error: infer-bounds: no point of stage "C" fills element [4]; the slices of all points must be the whole
te.func @gap() -> (tensor<16xf32>) {
  %C = schedule.stage "C" (%i = 2) : tensor<16xf32> {
    schedule.order %i
    schedule.extern (%i_1) (%c: tensor<16xf32>) {
      %0 = te.buffer %c[%i_1 * 8 : 4] : memref<4xf32, strided<[1], offset: ?>>
    }
  }
  te.return %C : tensor<16xf32>
}

// -----

// The last elements are in no block, where the size is no multiple of 16.
// CHECK: error: infer-bounds: no point of stage "C" fills element [0] when n = 1; the slices
te.func @rest(%n: index) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %n floordiv 16) : tensor<?xf32> {
    schedule.order %i
    schedule.extern (%i_1) (%c: tensor<?xf32>[%n]) {
      %0 = te.buffer %c[%i_1 * 16 : 16] : memref<16xf32, strided<[1], offset: ?>>
    }
  }
  te.return %C : tensor<?xf32>
}

// -----

// CHECK: error: infer-bounds: no point of result 1 of stage "C" fills element [0]
te.func @second() -> (tensor<4xf32>) {
  %C, %D = schedule.stage "C" (%i = 4) : tensor<4xf32>, tensor<1xf32> {
    schedule.order %i
    schedule.extern (%i_1) (%c: tensor<4xf32>, %d: tensor<1xf32>) {
      %0 = te.buffer %c[%i_1 : 1] : memref<1xf32, strided<[1], offset: ?>>
    }
  }
  te.return %C : tensor<4xf32>
}

// -----

// The init region fills what the body updates, and nothing else.
// CHECK: error: infer-bounds: the init region of stage "C" fills element [4] at [0], which the body does not
te.func @init() -> (tensor<8xf32>) {
  %C = schedule.stage "C" (%i = 2) reduce (%k = 3) : tensor<8xf32> {
    schedule.order %i, %k
    schedule.extern (%i_1, %k_1) (%c: tensor<8xf32>) {
      %0 = te.buffer %c[%i_1 * 4 : 4] : memref<4xf32, strided<[1], offset: ?>>
    } init (%p, %o) {
      %1 = te.buffer %o[%p * -4 + 4 : 4] : memref<4xf32, strided<[1], offset: ?>>
    }
  }
  te.return %C : tensor<8xf32>
}

// -----

// A slice that is outside of its tensor is refused with the point at which it is.
// CHECK: error: infer-bounds: stage "C" at [3] takes A[16], but axis 0 of A runs from 0 to 15
te.func @outside(%A: tensor<16xf32>) -> (tensor<16xf32>) {
  %C = schedule.stage "C" (%i = 4) : tensor<16xf32> {
    schedule.order %i
    schedule.extern (%i_1) (%c: tensor<16xf32>) {
      %0 = te.buffer %A[%i_1 * 4 : 5] : memref<5xf32, strided<[1], offset: ?>>
      %1 = te.buffer %c[%i_1 * 4 : 4] : memref<4xf32, strided<[1], offset: ?>>
    }
  }
  te.return %C : tensor<16xf32>
}

// -----

// A load of the body is outside of its buffer at some point.
// CHECK: error: infer-bounds: stage "C" loads a[4], but axis 0 of a runs from 0 to 3 (i = 3, j = 1)
te.func @body(%A: tensor<4x4xf32>) -> (tensor<4x4xf32>) {
  %C = schedule.stage "C" (%i = 4) : tensor<4x4xf32> {
    schedule.order %i
    schedule.extern (%i_1) (%c: tensor<4x4xf32>) {
      %a = te.buffer %A[%i_1 : 1, 0 : 4] : memref<4xf32, strided<[1], offset: ?>>
      %b = te.buffer %c[%i_1 : 1, 0 : 4] : memref<4xf32, strided<[1], offset: ?>>
      loop.for %j = 0 to 2 {
        %at = affine.apply affine_map<(d0, d1) -> ((d0 + d1))> (%i_1, %j)
        %x = memref.load %a[%at] : memref<4xf32, strided<[1], offset: ?>>
        memref.store %x, %b[%j] : memref<4xf32, strided<[1], offset: ?>>
      }
    }
  }
  te.return %C : tensor<4x4xf32>
}

// -----

// So it is in an init region.
// CHECK: error: infer-bounds: stage "C" stores c[-1], but axis 0 of c runs from 0 to 0 (p = 0)
te.func @body_of_init() -> (tensor<4xf32>) {
  %C = schedule.stage "C" (%i = 4) reduce (%k = 3) : tensor<4xf32> {
    schedule.order %i, %k
    schedule.extern (%i_1, %k_1) (%c: tensor<4xf32>) {
      %0 = te.buffer %c[%i_1 : 1] : memref<1xf32, strided<[1], offset: ?>>
    } init (%p, %o) {
      %c_1 = te.buffer %o[%p : 1] : memref<1xf32, strided<[1], offset: ?>>
      %zero = arith.constant 0.000000e+00 : f32
      %at = affine.apply affine_map<(d0) -> ((d0 + -1))> (%p)
      memref.store %zero, %c_1[%at] : memref<1xf32, strided<[1], offset: ?>>
    }
  }
  te.return %C : tensor<4xf32>
}
