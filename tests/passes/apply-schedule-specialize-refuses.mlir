// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// CHECK: error: apply-schedule: specialize of "C" is by 2 sizes; the function has 1
te.func @f(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %C = te.compute "C" (%i = %n) : tensor<?xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<?xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.specialize %C affine_set<()[s0, s1] : (s0 - s1 == 0)>
}
