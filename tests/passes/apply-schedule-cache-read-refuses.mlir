// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// CHECK: error: apply-schedule: "D" does not read "B"; stages that do: "C"
te.func @f(%A: tensor<8xf32>, %Z: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C, %T = te.compute "C" (%x = 8) reduce (%k = 8) : tensor<8xf32>, tensor<8xf32> {
    %b = te.read %B[%k] : f32
    te.yield %b, %b : f32, f32
  } combine (%a: f32, %b: f32, %c: f32, %d: f32) identity [0.0 : f32, 0.0 : f32] {
    %s = arith.addf %a, %c : f32
    %t = arith.addf %b, %d : f32
    te.yield %s, %t : f32, f32
  }
  %D = te.compute "D" (%y = 8) : tensor<8xf32> {
    %c = te.read %C[%y] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x, %k = schedule.axes 2 of %C
  %D = schedule.get "D"
  %y = schedule.axes 1 of %D
  %BL = schedule.cache_read %B "local" readers %C, %D
}

// -----

// Once the copy is read, the tensor is not.
// CHECK: error: apply-schedule: "C" does not read "B"; stages that do: "B.shared"
te.func @f(%A: tensor<8xf32>, %Z: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C, %T = te.compute "C" (%x = 8) reduce (%k = 8) : tensor<8xf32>, tensor<8xf32> {
    %b = te.read %B[%k] : f32
    te.yield %b, %b : f32, f32
  } combine (%a: f32, %b: f32, %c: f32, %d: f32) identity [0.0 : f32, 0.0 : f32] {
    %s = arith.addf %a, %c : f32
    %t = arith.addf %b, %d : f32
    te.yield %s, %t : f32, f32
  }
  %D = te.compute "D" (%y = 8) : tensor<8xf32> {
    %c = te.read %C[%y] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x, %k = schedule.axes 2 of %C
  %D = schedule.get "D"
  %y = schedule.axes 1 of %D
  %BS = schedule.cache_read %B "shared" readers %C
  %BL = schedule.cache_read %B "local" readers %C
}

// -----

// CHECK: error: apply-schedule: "D" does not read "Z"; stages that do: none
te.func @f(%A: tensor<8xf32>, %Z: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C, %T = te.compute "C" (%x = 8) reduce (%k = 8) : tensor<8xf32>, tensor<8xf32> {
    %b = te.read %B[%k] : f32
    te.yield %b, %b : f32, f32
  } combine (%a: f32, %b: f32, %c: f32, %d: f32) identity [0.0 : f32, 0.0 : f32] {
    %s = arith.addf %a, %c : f32
    %t = arith.addf %b, %d : f32
    te.yield %s, %t : f32, f32
  }
  %D = te.compute "D" (%y = 8) : tensor<8xf32> {
    %c = te.read %C[%y] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x, %k = schedule.axes 2 of %C
  %D = schedule.get "D"
  %y = schedule.axes 1 of %D
  %ZL = schedule.cache_read argument 1 "local" readers %D
}

// -----

// CHECK: error: apply-schedule: cache_read of argument 2: the function has tensor arguments 0..1
te.func @f(%A: tensor<8xf32>, %Z: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C, %T = te.compute "C" (%x = 8) reduce (%k = 8) : tensor<8xf32>, tensor<8xf32> {
    %b = te.read %B[%k] : f32
    te.yield %b, %b : f32, f32
  } combine (%a: f32, %b: f32, %c: f32, %d: f32) identity [0.0 : f32, 0.0 : f32] {
    %s = arith.addf %a, %c : f32
    %t = arith.addf %b, %d : f32
    te.yield %s, %t : f32, f32
  }
  %D = te.compute "D" (%y = 8) : tensor<8xf32> {
    %c = te.read %C[%y] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x, %k = schedule.axes 2 of %C
  %D = schedule.get "D"
  %y = schedule.axes 1 of %D
  %ZL = schedule.cache_read argument 2 "local" readers %D
}

// -----

// CHECK: error: apply-schedule: cache_read of stage "C", which has 2 results: name one of result 0..1
te.func @f(%A: tensor<8xf32>, %Z: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C, %T = te.compute "C" (%x = 8) reduce (%k = 8) : tensor<8xf32>, tensor<8xf32> {
    %b = te.read %B[%k] : f32
    te.yield %b, %b : f32, f32
  } combine (%a: f32, %b: f32, %c: f32, %d: f32) identity [0.0 : f32, 0.0 : f32] {
    %s = arith.addf %a, %c : f32
    %t = arith.addf %b, %d : f32
    te.yield %s, %t : f32, f32
  }
  %D = te.compute "D" (%y = 8) : tensor<8xf32> {
    %c = te.read %C[%y] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x, %k = schedule.axes 2 of %C
  %D = schedule.get "D"
  %y = schedule.axes 1 of %D
  %CL = schedule.cache_read %C "local" readers %D
}

// -----

// CHECK: error: apply-schedule: cache_read of result 2 of stage "C", which has result 0..1
te.func @f(%A: tensor<8xf32>, %Z: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C, %T = te.compute "C" (%x = 8) reduce (%k = 8) : tensor<8xf32>, tensor<8xf32> {
    %b = te.read %B[%k] : f32
    te.yield %b, %b : f32, f32
  } combine (%a: f32, %b: f32, %c: f32, %d: f32) identity [0.0 : f32, 0.0 : f32] {
    %s = arith.addf %a, %c : f32
    %t = arith.addf %b, %d : f32
    te.yield %s, %t : f32, f32
  }
  %D = te.compute "D" (%y = 8) : tensor<8xf32> {
    %c = te.read %C[%y] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x, %k = schedule.axes 2 of %C
  %D = schedule.get "D"
  %y = schedule.axes 1 of %D
  %CL = schedule.cache_read %C result 2 "local" readers %D
}

// -----

// CHECK: error: apply-schedule: "D" does not read "C.v1"; stages that do: none
te.func @f(%A: tensor<8xf32>, %Z: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C, %T = te.compute "C" (%x = 8) reduce (%k = 8) : tensor<8xf32>, tensor<8xf32> {
    %b = te.read %B[%k] : f32
    te.yield %b, %b : f32, f32
  } combine (%a: f32, %b: f32, %c: f32, %d: f32) identity [0.0 : f32, 0.0 : f32] {
    %s = arith.addf %a, %c : f32
    %t = arith.addf %b, %d : f32
    te.yield %s, %t : f32, f32
  }
  %D = te.compute "D" (%y = 8) : tensor<8xf32> {
    %c = te.read %C[%y] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x, %k = schedule.axes 2 of %C
  %D = schedule.get "D"
  %y = schedule.axes 1 of %D
  %CL = schedule.cache_read %C result 1 "local" readers %D
}

// -----

// CHECK: error: apply-schedule: stage "B" was inlined before, and has no loops
te.func @f(%A: tensor<8xf32>, %Z: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C, %T = te.compute "C" (%x = 8) reduce (%k = 8) : tensor<8xf32>, tensor<8xf32> {
    %b = te.read %B[%k] : f32
    te.yield %b, %b : f32, f32
  } combine (%a: f32, %b: f32, %c: f32, %d: f32) identity [0.0 : f32, 0.0 : f32] {
    %s = arith.addf %a, %c : f32
    %t = arith.addf %b, %d : f32
    te.yield %s, %t : f32, f32
  }
  %D = te.compute "D" (%y = 8) : tensor<8xf32> {
    %c = te.read %C[%y] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x, %k = schedule.axes 2 of %C
  %D = schedule.get "D"
  %y = schedule.axes 1 of %D
  schedule.compute_inline %B
  %BL = schedule.cache_read %B "local" readers %C
}

// -----

// A reader that was inlined.
// CHECK: error: apply-schedule: stage "B" was inlined before, and has no loops
te.func @f(%A: tensor<8xf32>, %Z: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C, %T = te.compute "C" (%x = 8) reduce (%k = 8) : tensor<8xf32>, tensor<8xf32> {
    %b = te.read %B[%k] : f32
    te.yield %b, %b : f32, f32
  } combine (%a: f32, %b: f32, %c: f32, %d: f32) identity [0.0 : f32, 0.0 : f32] {
    %s = arith.addf %a, %c : f32
    %t = arith.addf %b, %d : f32
    te.yield %s, %t : f32, f32
  }
  %D = te.compute "D" (%y = 8) : tensor<8xf32> {
    %c = te.read %C[%y] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x, %k = schedule.axes 2 of %C
  %D = schedule.get "D"
  %y = schedule.axes 1 of %D
  schedule.compute_inline %B
  %AL = schedule.cache_read argument 0 "local" readers %B
}

// -----

// CHECK: error: apply-schedule: cache_read wants one stage, not the group of "C", "D"; a group has compute_at and compute_root
te.func @f(%A: tensor<8xf32>, %Z: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C, %T = te.compute "C" (%x = 8) reduce (%k = 8) : tensor<8xf32>, tensor<8xf32> {
    %b = te.read %B[%k] : f32
    te.yield %b, %b : f32, f32
  } combine (%a: f32, %b: f32, %c: f32, %d: f32) identity [0.0 : f32, 0.0 : f32] {
    %s = arith.addf %a, %c : f32
    %t = arith.addf %b, %d : f32
    te.yield %s, %t : f32, f32
  }
  %D = te.compute "D" (%y = 8) : tensor<8xf32> {
    %c = te.read %C[%y] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x, %k = schedule.axes 2 of %C
  %D = schedule.get "D"
  %y = schedule.axes 1 of %D
  %g = schedule.group %C, %D
  %BL = schedule.cache_read %B "local" readers %g
}

// -----

// B is read in the copy, which is at the root.
// CHECK: error: apply-schedule: cannot compute "B" at axis x of "C": not every read of it is inside that loop (readers: "B.local"); legal places: the root, B.local.ax0
te.func @f(%A: tensor<8xf32>, %Z: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C, %T = te.compute "C" (%x = 8) reduce (%k = 8) : tensor<8xf32>, tensor<8xf32> {
    %b = te.read %B[%k] : f32
    te.yield %b, %b : f32, f32
  } combine (%a: f32, %b: f32, %c: f32, %d: f32) identity [0.0 : f32, 0.0 : f32] {
    %s = arith.addf %a, %c : f32
    %t = arith.addf %b, %d : f32
    te.yield %s, %t : f32, f32
  }
  %D = te.compute "D" (%y = 8) : tensor<8xf32> {
    %c = te.read %C[%y] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x, %k = schedule.axes 2 of %C
  %D = schedule.get "D"
  %y = schedule.axes 1 of %D
  schedule.compute_at %B, %C, %x
  %BL = schedule.cache_read %B "local" readers %C
}

// -----

// CHECK: error: apply-schedule: cannot copy "A" as f64: "C" uses elements of it in arith.extf; the readers have to convert each to f64, all by the same op
te.func @f(%A: tensor<8xf16>) -> (tensor<8xf32>) {
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f16
    %c = arith.extf %a : f16 to f32
    te.yield %c : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %AF = schedule.cache_read argument 0 "global" as f64 readers %C
}

// -----

// What is used as it is, too.
// CHECK: error: apply-schedule: cannot copy "A" as f32: "C" uses elements of it in arith.extf and in arith.mulf; the readers have to convert each to f32, all by the same op
te.func @f(%A: tensor<8xf16>) -> (tensor<8xf32>) {
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f16
    %s = arith.mulf %a, %a : f16
    %e = arith.extf %a : f16 to f32
    %f = arith.extf %s : f16 to f32
    %c = arith.addf %e, %f : f32
    te.yield %c : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %AF = schedule.cache_read argument 0 "global" as f32 readers %C
}

// -----

// A read whose element nothing uses.
// CHECK: error: apply-schedule: cannot copy "A" as f32: "C" uses elements of it in te.read; the readers have to convert each to f32, all by the same op
te.func @f(%A: tensor<8xf16>) -> (tensor<8xf32>) {
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f16
    %c = arith.constant 1.0 : f32
    te.yield %c : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %AF = schedule.cache_read argument 0 "global" as f32 readers %C
}

// -----

// Code of an extern takes the elements as they are.
// CHECK: error: apply-schedule: cannot copy "A" as f32: "E" uses elements of it in memref.load; the readers have to convert each to f32, all by the same op
te.func @f(%A: tensor<8xf16>) -> (tensor<8xf16>) {
  %E = te.extern "E" (%e: tensor<8xf16>) {
    %in = te.buffer %A[0 : 8] : memref<8xf16>
    %out = te.buffer %e[0 : 8] : memref<8xf16>
    %first = arith.constant 0 : index
    %a = memref.load %in[%first] : memref<8xf16>
    memref.store %a, %out[%first] : memref<8xf16>
  }
  te.return %E : tensor<8xf16>
}
schedule.sequence @s on @f {
  %E = schedule.get "E"
  %AF = schedule.cache_read argument 0 "global" as f32 readers %E
}
