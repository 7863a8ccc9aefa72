// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// Both branches are values.
// CHECK: error: apply-schedule: cannot decompose the padding of "P": it is no choice between a value and a constant
te.func @two_values(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %P = te.compute "P" (%i = 8) : tensor<8xf32> {
    %0 = arith.constant 4 : index
    %1 = arith.cmpi slt, %i, %0 : index
    %2 = scf.if %1 -> (f32) {
      %3 = te.read %A[%i] : f32
      scf.yield %3 : f32
    } else {
      %4 = te.read %A[%i - 4] : f32
      scf.yield %4 : f32
    }
    te.yield %2 : f32
  }
  te.return %P : tensor<8xf32>
}
schedule.sequence @s on @two_values {
  %P = schedule.get "P"
  schedule.decompose_padding %P
}

// -----

// A hole in the middle.
// CHECK: error: apply-schedule: cannot decompose the padding of "P": where the value is used is no box
te.func @a_hole(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %P = te.compute "P" (%i = 8) : tensor<8xf32> {
    %0 = arith.constant 4 : index
    %1 = arith.cmpi ne, %i, %0 : index
    %2 = scf.if %1 -> (f32) {
      %3 = te.read %A[%i] : f32
      scf.yield %3 : f32
    } else {
      %4 = arith.constant 0.0 : f32
      scf.yield %4 : f32
    }
    te.yield %2 : f32
  }
  te.return %P : tensor<8xf32>
}
schedule.sequence @s on @a_hole {
  %P = schedule.get "P"
  schedule.decompose_padding %P
}

// -----

// Which elements are inside depends on data.
// CHECK: error: apply-schedule: cannot decompose the padding of "P": its condition is not affine in axes and sizes
te.func @data(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %P = te.compute "P" (%i = 8) : tensor<8xf32> {
    %0 = arith.constant 4.0 : f32
    %a = te.read %A[%i] : f32
    %1 = arith.cmpf olt, %a, %0 : f32
    %2 = scf.if %1 -> (f32) {
      %3 = te.read %A[%i] : f32
      scf.yield %3 : f32
    } else {
      %4 = arith.constant 0.0 : f32
      scf.yield %4 : f32
    }
    te.yield %2 : f32
  }
  te.return %P : tensor<8xf32>
}
schedule.sequence @s on @data {
  %P = schedule.get "P"
  schedule.decompose_padding %P
}

// -----

// Its loops are not those of the equation any more.
// CHECK: error: apply-schedule: cannot decompose the padding of "P": its loops are not those of its equation any more
te.func @split_before(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %P = te.compute "P" (%i = 8) : tensor<8xf32> {
    %0 = arith.constant 4 : index
    %1 = arith.cmpi slt, %i, %0 : index
    %2 = scf.if %1 -> (f32) {
      %3 = te.read %A[%i] : f32
      scf.yield %3 : f32
    } else {
      %4 = arith.constant 0.0 : f32
      scf.yield %4 : f32
    }
    te.yield %2 : f32
  }
  te.return %P : tensor<8xf32>
}
schedule.sequence @s on @split_before {
  %P = schedule.get "P"
  %i = schedule.axes 1 of %P
  %io, %ii = schedule.split %i factor 2
  schedule.decompose_padding %P
}

// -----

// An extern fills it as its code says.
// CHECK: error: apply-schedule: cannot decompose the padding of "P": it has no equation of its own
te.func @opaque() -> (tensor<4xf32>) {
  %P = te.extern "P" (%out: tensor<4xf32>) {
  }
  te.return %P : tensor<4xf32>
}
schedule.sequence @s on @opaque {
  %P = schedule.get "P"
  schedule.decompose_padding %P
}
