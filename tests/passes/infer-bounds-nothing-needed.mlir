// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// B is read where i >= 20, and no i is: nothing of B is stored or computed.
te.func @root(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %B = schedule.stage "B" (%x = 20) : tensor<20xf32> {
    schedule.order %x
    schedule.equation (%x_1) {
      %r0 = te.read %A[%x_1] : f32
      te.yield %r0 : f32
    }
  }
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    schedule.order %i
    schedule.equation (%i_1) {
      %limit = arith.constant 20 : index
      %in = arith.cmpi sge, %i_1, %limit : index
      %v = scf.if %in -> (f32) {
        %b = te.read %B[%i_1] : f32
        scf.yield %b : f32
      } else {
        %a = te.read %A[%i_1] : f32
        scf.yield %a : f32
      }
      te.yield %v : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @root
// CHECK-NEXT:   %B = schedule.stage "B" (%x = 20) : tensor<20xf32>
// CHECK-NEXT:     schedule.order %x
// CHECK-NEXT:     schedule.region [0 : 0]
// CHECK-NEXT:     schedule.range %x = 0 to 0
// CHECK:        %C = schedule.stage "C" (%i = 20) : tensor<20xf32>
// CHECK-NEXT:     schedule.order %i
// CHECK-NEXT:     schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %i = 0 to 20

// -----

// Neither in a loop.
te.func @at(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %io, %ii = schedule.split %i factor 8
    schedule.order %io, %ii
    %B = schedule.stage "B" at %io (%x = 20) : tensor<20xf32> {
      schedule.order %x
      schedule.equation (%x_1) {
        %r0 = te.read %A[%x_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1) {
      %limit = arith.constant 20 : index
      %in = arith.cmpi sge, %i_1, %limit : index
      %v = scf.if %in -> (f32) {
        %b = te.read %B[%i_1] : f32
        scf.yield %b : f32
      } else {
        %a = te.read %A[%i_1] : f32
        scf.yield %a : f32
      }
      te.yield %v : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @at
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20) : tensor<20xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 8
// CHECK-NEXT:     schedule.order %io, %ii
// CHECK-NEXT:     schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %io = 0 to 3
// CHECK-NEXT:     schedule.range %ii = 0 to min(8, %io * -8 + 20)
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.value %i = %io * 8 + %ii
// CHECK-NEXT:     %B = schedule.stage "B" at %io (%x = 20) : tensor<20xf32>
// CHECK-NEXT:       schedule.order %x
// CHECK-NEXT:       schedule.region [0 : 0]
// CHECK-NEXT:       schedule.range %x = 0 to 0

// -----

// Nor what B alone would read.
te.func @chain(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %Z = schedule.stage "Z" (%y = 20) : tensor<20xf32> {
    schedule.order %y
    schedule.equation (%y_1) {
      %r0 = te.read %A[%y_1] : f32
      te.yield %r0 : f32
    }
  }
  %B = schedule.stage "B" (%x = 20) : tensor<20xf32> {
    schedule.order %x
    schedule.equation (%x_1) {
      %r0 = te.read %Z[%x_1] : f32
      te.yield %r0 : f32
    }
  }
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    schedule.order %i
    schedule.equation (%i_1) {
      %limit = arith.constant 20 : index
      %in = arith.cmpi sge, %i_1, %limit : index
      %v = scf.if %in -> (f32) {
        %b = te.read %B[%i_1] : f32
        scf.yield %b : f32
      } else {
        %a = te.read %A[%i_1] : f32
        scf.yield %a : f32
      }
      te.yield %v : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @chain
// CHECK-NEXT:   %Z = schedule.stage "Z" (%y = 20) : tensor<20xf32>
// CHECK-NEXT:     schedule.order %y
// CHECK-NEXT:     schedule.region [0 : 0]
// CHECK-NEXT:     schedule.range %y = 0 to 0
// CHECK:        %B = schedule.stage "B" (%x = 20) : tensor<20xf32>
// CHECK-NEXT:     schedule.order %x
// CHECK-NEXT:     schedule.region [0 : 0]
// CHECK-NEXT:     schedule.range %x = 0 to 0
// CHECK:        %C = schedule.stage "C" (%i = 20) : tensor<20xf32>
// CHECK-NEXT:     schedule.order %i
// CHECK-NEXT:     schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %i = 0 to 20

// -----

// A stage that nothing reads.
te.func @unread(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %B = schedule.stage "B" (%x = 20) : tensor<20xf32> {
    schedule.order %x
    schedule.equation (%x_1) {
      %r0 = te.read %A[%x_1] : f32
      te.yield %r0 : f32
    }
  }
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    schedule.order %i
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @unread
// CHECK-NEXT:   %B = schedule.stage "B" (%x = 20) : tensor<20xf32>
// CHECK-NEXT:     schedule.order %x
// CHECK-NEXT:     schedule.region [0 : 0]
// CHECK-NEXT:     schedule.range %x = 0 to 0
// CHECK:        %C = schedule.stage "C" (%i = 20) : tensor<20xf32>
// CHECK-NEXT:     schedule.order %i
// CHECK-NEXT:     schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %i = 0 to 20

// -----

// A stage without axes has no loop that could be empty: a guard keeps it from running.
te.func @scalar(%A: tensor<8xf32>) -> (tensor<f32>) {
  %B = schedule.stage "B" () : tensor<f32> {
    schedule.order none
    schedule.equation () {
      %a = te.read %A[9] : f32
      te.yield %a : f32
    }
  }
  %C = schedule.stage "C" () : tensor<f32> {
    schedule.order none
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

// CHECK-LABEL: te.func @scalar
// CHECK-NEXT:    %B = schedule.stage "B" () : tensor<f32>
// CHECK-NEXT:      schedule.order none
// CHECK-NEXT:      schedule.region []
// CHECK-NEXT:      schedule.guard (-1 >= 0)
