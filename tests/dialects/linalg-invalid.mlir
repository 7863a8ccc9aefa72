// RUN: not teloom-opt %s --split-input-file 2>&1 | filecheck %s

// CHECK: linalg.generic needs indexing_maps, affine maps
linalg.generic {iterator_types = ["parallel"]} {
}

// -----

// CHECK: linalg.generic needs iterator_types
linalg.generic {indexing_maps = []} {
}

// -----

// CHECK: "sideways" is no kind of loop; there are parallel, reduction, window
linalg.generic {indexing_maps = [], iterator_types = ["sideways"]} {
}

// -----

// CHECK: linalg.reduce of several tensors; write linalg.generic
%A, %s = "test.op"() : () -> (tensor<4x8xf32>, tensor<4xf32>)
%v:2 = linalg.reduce ins(%A, %A : tensor<4x8xf32>, tensor<4x8xf32>) outs(%s, %s : tensor<4xf32>, tensor<4xf32>) dimensions = [1]

// -----

// CHECK: a named op of linalg is on tensor<*xf32>; it takes tensors or buffers of floats or integers, and such numbers
%A, %s = "test.op"() : () -> (tensor<*xf32>, tensor<4xf32>)
%v = linalg.exp ins(%A : tensor<*xf32>) outs(%s : tensor<4xf32>) -> tensor<4xf32>

// -----

// CHECK: no operation named 'linalg.matmuls'; did you mean 'linalg.matmul'
linalg.matmuls

// -----

// CHECK: error: linalg.add is not written like this
%r = linalg.add []
