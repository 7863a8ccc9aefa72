// RUN: teloom-opt %s --split-input-file -p te-to-loops | filecheck %s

// A triangle runs half of the iterations, also with the reduce axis outside: its guard becomes the
// bound of the data axis, in the update nest alone.
te.func @triangle(%A: tensor<20x20xf32>) -> (tensor<20xf32>) {
  %S = te.compute "S" (%i = 20) reduce (%k = 0 to %i + 1) : tensor<20xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %S : tensor<20xf32>
}
schedule.sequence @s on @triangle {
  %S = schedule.get "S"
  %i, %k = schedule.axes 2 of %S
  schedule.reorder %k, %i
}

// CHECK-LABEL: func.func @triangle
// CHECK:         loop.for %i = 0 to 20 {
// CHECK:           loop.init
// CHECK:         loop.for %k = 0 to 20 {
// CHECK-NEXT:      loop.for %i_1 = max(0, %k) to 20 {
