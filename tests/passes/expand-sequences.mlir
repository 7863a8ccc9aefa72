// RUN: teloom-opt %s --split-input-file -p expand-sequences | filecheck %s

// A named sequence takes the place of the op that includes it. What that binds is a number then,
// and the other parameters have their defaults.
te.func @f(%A: tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  %B = te.compute "B" (%i = 64, %j = 64) : tensor<64x64xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %T = te.compute "T" (%i = 64, %j = 64) : tensor<64x64xf32> {
    %a = te.read %B[%j, %i] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%i = 64, %j = 64) : tensor<64x64xf32> {
    %a = te.read %T[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %D : tensor<64x64xf32>
}
schedule.named_sequence @tiles(%B: !schedule.stage) -> (!schedule.axis) {
  schedule.param "rows" of 4, 8, 16
  %i, %j = schedule.axes 2 of %B
  %io, %jo, %ii, %ji = schedule.tile %i, %j by rows = 8, columns = 32
  schedule.yield %jo : !schedule.axis
}
schedule.named_sequence @wide_tiles(%B: !schedule.stage) -> (!schedule.axis) {
  %j = schedule.include @tiles(%B) with columns = 64 : (!schedule.stage) -> !schedule.axis
  schedule.yield %j : !schedule.axis
}
schedule.sequence @include on @f {
  %D = schedule.get "D"
  %j = schedule.include @wide_tiles(%D) with rows = 4 : (!schedule.stage) -> !schedule.axis
  schedule.vectorize %j
}

// CHECK-LABEL: schedule.sequence @include on @f {
// CHECK-NEXT:    %D = schedule.get "D"
// CHECK-NEXT:    %i, %j = schedule.axes 2 of %D
// CHECK-NEXT:    %io, %jo, %ii, %ji = schedule.tile %i, %j by 4, 64
// CHECK-NEXT:    schedule.vectorize %jo
// CHECK-NEXT:  }

// -----

// Commands are repeated for each stage that matches, as the program is then.
te.func @f(%A: tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  %B = te.compute "B" (%i = 64, %j = 64) : tensor<64x64xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %T = te.compute "T" (%i = 64, %j = 64) : tensor<64x64xf32> {
    %a = te.read %B[%j, %i] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%i = 64, %j = 64) : tensor<64x64xf32> {
    %a = te.read %T[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %D : tensor<64x64xf32>
}
schedule.sequence @each on @f {
  schedule.for_each elementwise not output (%S) {
    schedule.compute_inline %S
  }
  %D = schedule.get "D"
  schedule.for_each injective named "T*" producers of %D (%S) {
    %i, %j = schedule.axes 2 of %S
    schedule.reorder %j, %i
  }
  schedule.for_each broadcast readers of %D (%S) {
    schedule.compute_root %S
  }
}

// CHECK-LABEL: schedule.sequence @each on @f {
// CHECK-NEXT:    %S = schedule.get "B"
// CHECK-NEXT:    schedule.compute_inline %S
// CHECK-NEXT:    %D = schedule.get "D"
// CHECK-NEXT:    %S_1 = schedule.get "T"
// CHECK-NEXT:    %i, %j = schedule.axes 2 of %S_1
// CHECK-NEXT:    schedule.reorder %j, %i
// CHECK-NEXT:  }

// -----

// The first part that is legal remains: an output cannot be inlined, so D is unrolled. Parts may
// stand in one another, and give handles.
te.func @f(%A: tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  %B = te.compute "B" (%i = 64, %j = 64) : tensor<64x64xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %T = te.compute "T" (%i = 64, %j = 64) : tensor<64x64xf32> {
    %a = te.read %B[%j, %i] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%i = 64, %j = 64) : tensor<64x64xf32> {
    %a = te.read %T[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %D : tensor<64x64xf32>
}
schedule.sequence @first on @f {
  %D = schedule.get "D"
  %i, %j = schedule.axes 2 of %D
  %k = schedule.alternatives -> (!schedule.axis) {
    schedule.compute_inline %D
    schedule.yield %i : !schedule.axis
  } or {
    %jo, %ji = schedule.split %j factor 8
    schedule.alternatives {
      schedule.bind %jo "threadIdx.x"
      schedule.bind %ji "threadIdx.x"
    } or {
      schedule.unroll %ji
    }
    schedule.yield %jo : !schedule.axis
  }
  schedule.reorder %k, %i
  schedule.alternatives {
    schedule.set_scope %D "shared"
  } or {
  }
}

// CHECK-LABEL: schedule.sequence @first on @f {
// CHECK-NEXT:    %D = schedule.get "D"
// CHECK-NEXT:    %i, %j = schedule.axes 2 of %D
// CHECK-NEXT:    %jo, %ji = schedule.split %j factor 8
// CHECK-NEXT:    schedule.unroll %ji
// CHECK-NEXT:    schedule.reorder %jo, %i
// CHECK-NEXT:  }
