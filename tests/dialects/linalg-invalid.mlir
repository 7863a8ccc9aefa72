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

// CHECK: no operation named 'linalg.matmuls'; did you mean 'linalg.matmul'
linalg.matmuls
