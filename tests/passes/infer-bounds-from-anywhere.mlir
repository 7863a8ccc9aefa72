// RUN: teloom-opt %s -p te-to-loops | filecheck %s

// Elements have the coordinates that their axes say, from below 0 on. The array of a result begins
// at the first of them, and so does what is stored of a stage.
// CHECK-LABEL: func.func @blur(%n: index, %A: memref<?xf32>, %C: memref<?xf32>)
// CHECK-SAME:    name = "C", dtype = "float32", shape = affine_map<()[s0] -> ((s0 + 1))>, output
// CHECK:         %A_1 = loop.bind %A [0 : %n] : memref<?xf32>
// CHECK-NEXT:    %C_1 = loop.bind %C [2 : %n + 1] : memref<?xf32>
// CHECK-NEXT:    loop.for %x = 2 to %n + 3 {
// CHECK-NEXT:      %P = loop.realize "P" [%x - 3 : 2] : !loop.tensor<1, f32>
// CHECK-NEXT:      loop.for %i = %x - 3 to %x - 1 {
// CHECK:             loop.load %A_1[%i]
// CHECK:           loop.load %P[%x - 3]
te.func @blur(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %P = te.compute "P" (%i = -1 to %n + 1) : tensor<?xf32> {
    %0 = arith.constant 0 : index
    %1 = arith.cmpi sge, %i, %0 : index
    %2 = arith.cmpi slt, %i, %n : index
    %3 = arith.andi %1, %2 : i1
    %4 = scf.if %3 -> (f32) {
      %a = te.read %A[%i] : f32
      scf.yield %a : f32
    } else {
      %zero = arith.constant 0.0 : f32
      scf.yield %zero : f32
    }
    te.yield %4 : f32
  }
  %C = te.compute "C" (%x = 2 to %n + 3) : tensor<?xf32> {
    %0 = te.read %P[%x - 3] : f32
    %1 = te.read %P[%x - 2] : f32
    %2 = arith.addf %0, %1 : f32
    te.yield %2 : f32
  }
  te.return %C : tensor<?xf32>
}
schedule.sequence @s on @blur {
  %P = schedule.get "P"
  %C = schedule.get "C"
  %x = schedule.axes 1 of %C
  schedule.compute_at %P, %C, %x
}
