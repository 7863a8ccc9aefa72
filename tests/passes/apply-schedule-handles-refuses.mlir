// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// A stage that is not there; a near name is suggested.
// CHECK: error: apply-schedule: no stage is named "c" (stages: C); did you mean 'C'?
te.func @f(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "c"
}

// -----

// A stage of another function is not there.
// CHECK: error: apply-schedule: no stage is named "Blur" (stages: C)
te.func @f(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "Blur"
}

// -----

// Another number of axes.
// CHECK: error: apply-schedule: stage "C" has 2 root axes, not 3
te.func @f(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
}

// -----

// CHECK: error: apply-schedule: stage "C" has 2 root axes, not 1
te.func @f(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
}

// -----

// A function that is not there.
// CHECK: error: apply-schedule: no te.func is named @g (functions: f)
te.func @f(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @g {

}

// -----

// CHECK: error: apply-schedule: no te.func is named @blurr (functions: blur); did you mean 'blur'?
te.func @blur(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @blurr {

}

// -----

// What no primitive carries out is not dropped.
// CHECK: error: apply-schedule: arith.constant is no command of a schedule
te.func @stranger() -> () {
  te.return
}
schedule.sequence @s on @stranger {
  %c = arith.constant 1 : i32
}
