// RUN: teloom-opt %s --split-input-file -p build-loops | filecheck %s

// No element of B is read: it has neither loops nor storage.
te.func @never(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %B = schedule.stage "B" (%x = 20) : tensor<20xf32> {
    schedule.order %x
    schedule.region [0 : 0]
    schedule.range %x = 0 to 0
    schedule.equation (%x_1) {
      %a = te.read %A[%x_1] : f32
      te.yield %a : f32
    }
  }
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    schedule.order %i
    schedule.region [0 : 20]
    schedule.range %i = 0 to 20
    schedule.equation (%i_1) {
      %a = te.read %A[%i_1] : f32
      te.yield %a : f32
    }
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
  %B = schedule.stage "B" (%x = 20) : tensor<20xf32> {
    schedule.order %x
    schedule.region [0 : 0]
    schedule.range %x = 0 to 0
    schedule.equation (%x_1) {
      %a = te.read %A[%x_1] : f32
      te.yield %a : f32
    }
  }
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    schedule.order %i
    schedule.region [0 : 20]
    schedule.range %i = 0 to 20
    schedule.equation (%i_1) {
      %far = arith.constant 20 : index
      %beyond = arith.cmpi sge, %i_1, %far : index
      %c = scf.if %beyond -> (f32) {
        %b = te.read %B[%i_1] : f32
        scf.yield %b : f32
      } else {
        %a = te.read %A[%i_1] : f32
        scf.yield %a : f32
      }
      te.yield %c : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: func.func @dead
// CHECK:         %B = loop.realize "B" [0 : 0] : !loop.tensor<1, f32>
// CHECK-NEXT:    loop.for %i = 0 to 20 {

// -----

// A reduction over nothing still starts.
te.func @starts(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) reduce (%k = 0) : tensor<20xf32> {
    schedule.order %i, %k
    schedule.region [0 : 20]
    schedule.range %i = 0 to 20
    schedule.range %k = 0 to 0
    schedule.equation (%i_1, %k_1) {
      %a = te.read %A[%i_1] : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: func.func @starts
// CHECK:         loop.for %i = 0 to 20 {
// CHECK-NEXT:      %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      loop.init %0, %C_1[%i] : f32

// -----

// So a stage without axes that is never needed is not computed.
te.func @scalar(%A: tensor<8xf32>) -> (tensor<f32>) {
  %B = schedule.stage "B" () reduce (%k = 1000) : tensor<f32> {
    schedule.order %k
    schedule.region []
    schedule.range %k = 0 to 1000
    schedule.guard (-1 >= 0)
    schedule.equation (%k_1) {
      %a = te.read %A[%k_1 * 100000] : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  %C = schedule.stage "C" () : tensor<f32> {
    schedule.order none
    schedule.region []
    schedule.equation () {
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
  }
  te.return %C : tensor<f32>
}

// CHECK-LABEL: func.func @scalar
// CHECK:         %B = loop.realize "B" [] : !loop.tensor<0, f32>
// CHECK-NEXT:    %never = arith.constant false

// -----

// A range of an axis that is no loop takes no loop away.
te.func @of_a_split(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %io, %ii = schedule.split %i factor 4
    schedule.order %io, %ii
    schedule.region [0 : 20]
    schedule.range %io = 0 to 5
    schedule.range %ii = 0 to 4
    schedule.range %i = 0 to 0
    schedule.value %i = %io * 4 + %ii
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: func.func @of_a_split
// CHECK:         loop.for %io = 0 to 5 {
// CHECK-NEXT:      loop.for %ii = 0 to 4 {
