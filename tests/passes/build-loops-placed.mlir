// RUN: teloom-opt %s -p build-loops | filecheck %s

// How arrays lie goes to the arguments, over the sizes, and into the regions in them. Such a
// buffer is as long as the caller's, which nothing here says.
te.func @placed(%n: index, %s: index, %A: tensor<8x4xf32> strides [%s, 1] offset %n factor 4 aligned 64) -> (tensor<8x4xf32> strides [1, 8]) {
  %B = schedule.stage "B" (%i = 8, %j = 4) : tensor<8x4xf32> {
    schedule.order %i, %j
    schedule.region [0 : 8, 0 : 4]
    schedule.range %i = 0 to 8
    schedule.range %j = 0 to 4
    schedule.equation (%i_1, %j_1) {
      %a = te.read %A[%i_1, %j_1] : f32
      te.yield %a : f32
    }
  }
  te.return %B : tensor<8x4xf32>
}

// CHECK-LABEL: builtin.module
// CHECK-NEXT: func.func @placed(%n: index, %s: index, %A: memref<?xf32>, %B: memref<?xf32>)
// CHECK-SAME:   te.signature = {sizes = ["n", "s"], arrays = [
// CHECK-SAME:   {name = "A", dtype = "float32", shape = affine_map<()[s0, s1] -> (8, 4)>, strides = affine_map<()[s0, s1] -> (s1, 1)>, offset = affine_map<()[s0, s1] -> (s0)>, offset_factor = 4 : i64, alignment = 64 : i64},
// CHECK-SAME:   {name = "B", dtype = "float32", shape = affine_map<()[s0, s1] -> (8, 4)>, strides = affine_map<()[s0, s1] -> (1, 8)>, output}]}
// CHECK-NEXT:   loop.bind %A [0 : 8, 0 : 4] strides [%s, 1] offset %n : memref<?xf32>
// CHECK-NEXT:   loop.bind %B [0 : 8, 0 : 4] strides [1, 8] : memref<?xf32>
