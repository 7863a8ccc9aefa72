// RUN: teloom-opt %s -p apply-schedule | filecheck %s
// RUN: teloom-opt %s -p te-to-memref,vectorize-loops | filecheck %s --check-prefix=LANES
// RUN: teloom-run %s --compare --random 0 | filecheck %s --check-prefix=NUMBERS

// The command is a split whose inner axis is vectorized; lanes compute the op at once.
// CHECK:      %o, %n = schedule.split %i factor 4
// CHECK:      schedule.order %o, %n vectorized
// LANES:      geometry.hypot {{%.*}}, {{%.*}} : vector<4xf32>
// NUMBERS:    C:
te.func @lengths(%A: tensor<64xf32>, %B: tensor<64xf32>) -> (tensor<64xf32>) {
  %C = te.compute "C" (%i = 64) : tensor<64xf32> {
    %a = te.read %A[%i] : f32
    %b = te.read %B[%i] : f32
    %c = geometry.hypot %a, %b : f32
    te.yield %c : f32
  }
  te.return %C : tensor<64xf32>
}
schedule.sequence @fast on @lengths {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %o, %n = geometry.lanes %i by 4
}
