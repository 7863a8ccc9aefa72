// RUN: not teloom-opt %s -p infer-bounds --split-input-file 2>&1 | filecheck %s

// CHECK: error: infer-bounds: stage "C" takes A[4, {{[0-7]}}], but axis 0 of A runs from 0 to 3
te.func @row(%A: tensor<4x8xf32>) -> (tensor<8xf32>) {
  %C = schedule.stage "C" () : tensor<8xf32> {
    schedule.order none
    schedule.extern (%c: tensor<8xf32>) {
      %a = te.buffer %A[4 : 1, 0 : 8] : memref<1x8xf32, strided<[8, 1], offset: ?>>
    }
  }
  te.return %C : tensor<8xf32>
}

// -----

// Whether a box is inside can depend on sizes.
// CHECK: error: infer-bounds: when m >= n + 1: stage "C" takes A[
te.func @sizes(%n: index, %m: index, %A: tensor<?xf32>[%n]) -> (tensor<8xf32>) {
  %C = schedule.stage "C" () : tensor<8xf32> {
    schedule.order none
    schedule.extern (%c: tensor<8xf32>) {
      %a = te.buffer %A[0 : %m] : memref<?xf32>
    }
  }
  te.return %C : tensor<8xf32>
}

// -----

// CHECK: error: infer-bounds: stage "C" takes C[8], but axis 0 of C runs from 0 to 7
te.func @output() -> (tensor<8xf32>) {
  %C = schedule.stage "C" () : tensor<8xf32> {
    schedule.order none
    schedule.extern (%c: tensor<8xf32>) {
      %a = te.buffer %c[0 : 9] : memref<9xf32>
    }
  }
  te.return %C : tensor<8xf32>
}

// -----

// What reads an extern stays inside it, too.
// CHECK: error: infer-bounds: stage "D" at [7] reads C[8], but axis 0 of C runs from 0 to 7
te.func @reader() -> (tensor<8xf32>) {
  %C = schedule.stage "C" () : tensor<8xf32> {
    schedule.order none
    schedule.extern (%c: tensor<8xf32>) {
    }
  }
  %D = schedule.stage "D" (%i = 8) : tensor<8xf32> {
    schedule.order %i
    schedule.equation (%i_1) {
      %0 = te.read %C[%i_1 + 1] : f32
      te.yield %0 : f32
    }
  }
  te.return %D : tensor<8xf32>
}

// -----

// In loops and under conditions that are affine, each load and store has to be inside.
// CHECK: error: infer-bounds: stage "C" loads a[8], but axis 0 of a runs from 0 to 7 (i = 7)
te.func @next(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %C = schedule.stage "C" () : tensor<8xf32> {
    schedule.order none
    schedule.extern (%out: tensor<8xf32>) {
      %a = te.buffer %A[0 : 8] : memref<8xf32>
      %c = te.buffer %out[0 : 8] : memref<8xf32>
      loop.for %i = 0 to 8 {
        %one = arith.constant 1 : index
        %next = arith.addi %i, %one : index
        %x = memref.load %a[%next] : memref<8xf32>
        memref.store %x, %c[%i] : memref<8xf32>
      }
    }
  }
  te.return %C : tensor<8xf32>
}

// -----

// So have those of memory of the body's own.
// CHECK: error: infer-bounds: stage "C" stores t[0, -1], but axis 1 of t runs from 0 to 3 (n = 1, i = 0)
te.func @own(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" () : tensor<?xf32> {
    schedule.order none
    schedule.extern (%out: tensor<?xf32>[%n]) {
      %a = te.buffer %A[0 : %n] : memref<?xf32>
      %t = loop.realize "t" [0 : %n, 0 : 4] : !loop.tensor<2, f32>
      loop.for %i = 0 to %n {
        %x = memref.load %a[%i] : memref<?xf32>
        loop.store %x, %t[%i, %i mod 4 - 1] : f32
      }
    }
  }
  te.return %C : tensor<?xf32>
}
