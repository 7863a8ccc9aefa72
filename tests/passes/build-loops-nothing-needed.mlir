// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds,build-loops | filecheck %s

// No element of B is read: it has neither loops nor storage.
te.func @never(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %B = te.compute "B" (%x = 20) : tensor<20xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 20) : tensor<20xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: func.func @never
// CHECK-NEXT:    %A_1 = loop.bind %A [0 : 20] : memref<20xf32>
// CHECK-NEXT:    %C_1 = loop.bind %C [0 : 20] : memref<20xf32>
// CHECK-NEXT:    loop.for %i = 0 to 20 {

// -----

// No read of B happens. There are no loops, and of its storage only the name, in dead code.
te.func @dead(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %B = te.compute "B" (%x = 20) : tensor<20xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 20) : tensor<20xf32> {
    %far = arith.constant 20 : index
    %beyond = arith.cmpi sge, %i, %far : index
    %c = scf.if %beyond -> (f32) {
      %b = te.read %B[%i] : f32
      scf.yield %b : f32
    } else {
      %a = te.read %A[%i] : f32
      scf.yield %a : f32
    }
    te.yield %c : f32
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: func.func @dead
// CHECK:         %B = loop.realize "B" [0 : 0] : !loop.tensor<1, f32>
// CHECK-NEXT:    loop.for %i = 0 to 20 {

// -----

// A reduction over nothing still starts.
te.func @starts(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = te.compute "C" (%i = 20) reduce (%k = 0) : tensor<20xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: func.func @starts
// CHECK:         loop.for %i = 0 to 20 {
// CHECK-NEXT:      %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      loop.store %0, %C_1[%i] : f32

// -----

// So a stage without axes that is never needed is not computed.
te.func @scalar(%A: tensor<8xf32>) -> (tensor<f32>) {
  %B = te.compute "B" () reduce (%k = 1000) : tensor<f32> {
    %a = te.read %A[%k * 100000] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %C = te.compute "C" () : tensor<f32> {
    %never = arith.constant false
    %v = scf.if %never -> (f32) {
      %b = te.read %B[] : f32
      scf.yield %b : f32
    } else {
      %a = te.read %A[1] : f32
      scf.yield %a : f32
    }
    te.yield %v : f32
  }
  te.return %C : tensor<f32>
}

// CHECK-LABEL: func.func @scalar
// CHECK:         %B = loop.realize "B" [] : !loop.tensor<0, f32>
// CHECK-NEXT:    %never = arith.constant false
