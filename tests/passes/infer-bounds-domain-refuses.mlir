// RUN: not teloom-opt %s -p apply-schedule,infer-bounds 2>&1 | filecheck %s

// A read of what the domain of an equation leaves out.
// CHECK: when n >= 3: stage "C" at [2, 0] reads L[2, 0], but L has elements only where i - j * 2 == 0 and n - i - 1 >= 0 (here n = 3)
te.func @outside(%n: index, %A: tensor<?x?xf32>[%n, %n]) -> (tensor<?x?xf32>) {
  %L = te.compute "L" (%i = %n, %j = %n) where (%i - %j * 2 == 0, %n - 1 - %i >= 0) : tensor<?x?xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = %n, %j = %n) where (%n - 3 >= 0) : tensor<?x?xf32> {
    %a = te.read %L[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<?x?xf32>
}
