// RUN: not teloom-opt %s --split-input-file -p expand-sequences 2>&1 | filecheck %s

// CHECK: error: expand-sequences: no named sequence @tile (named sequences: @tiles); did you mean 'tiles'?
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
schedule.sequence @s on @f {
  %D = schedule.get "D"
  schedule.include @tile() : () -> ()
}

// -----

// CHECK: error: expand-sequences: @tiles is (!schedule.stage) -> !schedule.axis, but is included as (!schedule.stage) -> ()
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
schedule.sequence @s on @f {
  %D = schedule.get "D"
  schedule.include @tiles(%D) : (!schedule.stage) -> ()
}

// -----

// CHECK: error: expand-sequences: @tiles has no parameter 'row' (parameters: rows, columns); did you mean 'rows'?
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
schedule.sequence @s on @f {
  %D = schedule.get "D"
  %j = schedule.include @tiles(%D) with row = 4 : (!schedule.stage) -> !schedule.axis
}

// -----

// CHECK: error: expand-sequences: parameter rows is one of 4, 8, 16, not 5
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
schedule.sequence @s on @f {
  %D = schedule.get "D"
  %j = schedule.include @tiles(%D) with rows = 5 : (!schedule.stage) -> !schedule.axis
}

// -----

// CHECK: error: expand-sequences: none of 2 alternatives is legal: 1. @a includes itself: @a -> @b -> @a
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
schedule.named_sequence @a() {
  schedule.include @b() : () -> ()
}
schedule.named_sequence @b() {
  schedule.alternatives {
    schedule.include @a() : () -> ()
  } or {
    schedule.include @a() : () -> ()
  }
}
schedule.sequence @s on @f {
  %D = schedule.get "D"
  schedule.include @a() : () -> ()
}

// -----

// CHECK: error: expand-sequences: parameter n has two defaults, 2 and 4
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
schedule.sequence @s on @f {
  %D = schedule.get "D"
  %i, %j = schedule.axes 2 of %D
  %io, %ii = schedule.split %i factor n = 2
  %jo, %ji = schedule.split %j factor n = 4
}

// -----

// CHECK: error: expand-sequences: split of axis i by factor 0: factor must be at least 1
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
schedule.named_sequence @half(%D: !schedule.stage) {
  %i, %j = schedule.axes 2 of %D
  %io, %ii = schedule.split %i factor n = 2
}
schedule.sequence @s on @f {
  %D = schedule.get "D"
  schedule.include @half(%D) with n = 0 : (!schedule.stage) -> ()
}

// -----

// CHECK: error: expand-sequences: none of 2 alternatives is legal: 1. cannot inline "D": it is an output; 2. no stage is named "E"
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
schedule.sequence @s on @f {
  %D = schedule.get "D"
  schedule.alternatives {
    schedule.compute_inline %D
  } or {
    %E = schedule.get "E"
  }
}
