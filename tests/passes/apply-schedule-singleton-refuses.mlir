// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// A command says of which stage; a relation of a stage does not.
// CHECK: error: apply-schedule: singleton of no stage: a command says `of` which
te.func @f(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %C = te.compute "C" (%i = 9) : tensor<9xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<9xf32>
}
schedule.sequence @s on @f {
  %one = schedule.singleton
}

// -----

// No loop is around an extern without axes.
// CHECK: error: apply-schedule: stage "E" is an extern without axes: no loop is around it
te.func @f() -> (tensor<8xf32>) {
  %E = te.extern "E" (%e: tensor<8xf32>) {
  }
  te.return %E : tensor<8xf32>
}
schedule.sequence @s on @f {
  %E = schedule.get "E"
  %one = schedule.singleton of %E
}
