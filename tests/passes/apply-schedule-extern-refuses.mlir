// RUN: not teloom-opt %s -p apply-schedule --split-input-file 2>&1 | filecheck %s

// CHECK: error: apply-schedule: stage "B" is an extern, which has no axes
te.func @axes() -> (tensor<8xf32>) {
  %B = te.extern "B" (%b: tensor<8xf32>) {
  }
  te.return %B : tensor<8xf32>
}
schedule.sequence @s on @axes {
  %B = schedule.get "B"
  %i = schedule.axes 1 of %B
  schedule.vectorize %i
}

// -----

// CHECK: error: apply-schedule: cannot inline "B": it is an extern, which has no equation to put in place of a read
te.func @inlined() -> (tensor<8xf32>) {
  %B = te.extern "B" (%b: tensor<8xf32>) {
  }
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %0 = te.read %B[%i] : f32
    te.yield %0 : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @inlined {
  %B = schedule.get "B"
  schedule.compute_inline %B
}

// -----

// CHECK: error: apply-schedule: cannot inline "B": "C" is an extern, which takes a buffer of it
te.func @taken() -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %one = arith.constant 1.0 : f32
    te.yield %one : f32
  }
  %C = te.extern "C" (%c: tensor<8xf32>) {
    %0 = te.buffer %B[0 : 8] : memref<8xf32>
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @taken {
  %B = schedule.get "B"
  schedule.compute_inline %B
}

// -----

// CHECK: error: apply-schedule: cannot compute "B" in "local" first: its loops are not those of its code any more; cache_write comes before all commands on the axes of its stage
te.func @cached_late() -> (tensor<8xf32>) {
  %B = te.extern "B" (%i = 8) (%b: tensor<8xf32>) {
    %c = te.buffer %b[%i : 1] : memref<1xf32, strided<[1], offset: ?>>
  }
  te.return %B : tensor<8xf32>
}
schedule.sequence @s on @cached_late {
  %B = schedule.get "B"
  %i = schedule.axes 1 of %B
  schedule.parallel %i
  %BL = schedule.cache_write %B "local"
}

// -----

// CHECK: error: apply-schedule: cannot compute "B" in "local" first: its code fills tensors of different shapes, which no one equation copies; cache_write
te.func @cached_shapes() -> (tensor<8xf32>, tensor<4xf32>) {
  %B, %C = te.extern "B" (%b: tensor<8xf32>, %c: tensor<4xf32>) {
  }
  te.return %B, %C : tensor<8xf32>, tensor<4xf32>
}
schedule.sequence @s on @cached_shapes {
  %B = schedule.get "B"
  %BL = schedule.cache_write %B "local"
}

// -----

// What an extern takes is needed before it runs, and it has no loop to compute that in.
// CHECK: error: apply-schedule: cannot compute "B" at axis i of "D": not every read of it is inside that loop (readers: "C"); legal places: the root
te.func @placed() -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %one = arith.constant 1.0 : f32
    te.yield %one : f32
  }
  %C = te.extern "C" (%c: tensor<8xf32>) {
    %0 = te.buffer %B[0 : 8] : memref<8xf32>
  }
  %D = te.compute "D" (%i = 8) : tensor<8xf32> {
    %0 = te.read %C[%i] : f32
    te.yield %0 : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @placed {
  %B = schedule.get "B"
  %D = schedule.get "D"
  %i = schedule.axes 1 of %D
  schedule.compute_at %B, %D, %i
}

// -----

// CHECK: error: apply-schedule: cannot vectorize axis i of "C": it is an extern, whose body has a func.call and is no scalar code; unroll or parallel it
func.func private @f()
te.func @vectorized() -> (tensor<8xf32>) {
  %C = te.extern "C" (%i = 8) (%c: tensor<8xf32>) {
    func.call @f() : () -> ()
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @vectorized {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.vectorize %i
}

// -----

// CHECK: error: apply-schedule: storage_align of "C": it is an extern, whose elements lie at no points of its axes
te.func @aligned() -> (tensor<8xf32>) {
  %C = te.extern "C" (%i = 8) (%c: tensor<8xf32>) {
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @aligned {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.storage_align %i factor 4 offset 1
}

// -----

// CHECK: error: apply-schedule: transform_layout of "C": it is an extern, whose elements lie at no points of its axes
te.func @laid_out() -> (tensor<8xf32>) {
  %C = te.extern "C" (%i = 8) (%c: tensor<8xf32>) {
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @laid_out {
  %C = schedule.get "C"
  schedule.transform_layout %C affine_map<(d0) -> (d0 floordiv 4, d0 mod 4)>
}
