// RUN: teloom-opt %s --split-input-file -p build-loops | filecheck %s

// At the root all of B is stored, before the loops of its reader.
te.func @root(%A: tensor<14x8xf32>) -> (tensor<12x8xf32>) {
  %B = schedule.stage "B" (%x = 14, %y = 8) : tensor<14x8xf32> {
    schedule.order %x, %y
    schedule.region [0 : 14, 0 : 8]
    schedule.range %x = 0 to 14
    schedule.range %y = 0 to 8
    schedule.equation (%x_1, %y_1) {
      %r0 = te.read %A[%x_1, %y_1] : f32
      te.yield %r0 : f32
    }
  }
  %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    schedule.order %i, %j unrolled
    schedule.region [0 : 12, 0 : 8]
    schedule.range %i = 0 to 12
    schedule.range %j = 0 to 8
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      %r1 = te.read %B[%i_1 + 2, %j_1] : f32
      %t1 = arith.addf %r0, %r1 : f32
      te.yield %t1 : f32
    }
  }
  te.return %C : tensor<12x8xf32>
}

// CHECK-LABEL: func.func @root
// CHECK:        %B = loop.realize "B" [0 : 14, 0 : 8] : !loop.tensor<2, f32>
// CHECK-NEXT:   loop.for %x = 0 to 14 {
// CHECK-NEXT:     loop.for %y = 0 to 8 {
// CHECK-NEXT:       %r0 = loop.load %A_1[%x, %y] : f32
// CHECK-NEXT:       loop.store %r0, %B[%x, %y] : f32
// CHECK:        loop.for %i = 0 to 12 {
// CHECK-NEXT:     loop.for %j = 0 to 8 unrolled {
// CHECK-NEXT:       %r0_1 = loop.load %B[%i, %j] : f32
// CHECK-NEXT:       %r1 = loop.load %B[%i + 2, %j] : f32
// CHECK:            loop.store %t1, %C_1[%i, %j] : f32

// -----

// Inside a loop only its region is stored; subscripts stay those of the whole tensor.
te.func @inside(%A: tensor<14x8xf32>) -> (tensor<12x8xf32>) {
  %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %io, %ii = schedule.split %i factor 4
    schedule.order %io, %ii, %j
    schedule.region [0 : 12, 0 : 8]
    schedule.range %io = 0 to 3
    schedule.range %ii = 0 to 4
    schedule.range %j = 0 to 8
    schedule.range %i = 0 to 12
    schedule.value %i = %io * 4 + %ii
    %B = schedule.stage "B" at %io (%x = 14, %y = 8) : tensor<14x8xf32> {
      schedule.order %x, %y
      schedule.region [%io * 4 : 6, 0 : 8]
      schedule.range %x = %io * 4 to %io * 4 + 6
      schedule.range %y = 0 to 8
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      %r1 = te.read %B[%i_1 + 2, %j_1] : f32
      %t1 = arith.addf %r0, %r1 : f32
      te.yield %t1 : f32
    }
  }
  te.return %C : tensor<12x8xf32>
}

// CHECK-LABEL: func.func @inside
// CHECK:        loop.for %io = 0 to 3 {
// CHECK-NEXT:     %B = loop.realize "B" [%io * 4 : 6, 0 : 8] : !loop.tensor<2, f32>
// CHECK-NEXT:     loop.for %x = %io * 4 to %io * 4 + 6 {
// CHECK-NEXT:       loop.for %y = 0 to 8 {
// CHECK-NEXT:         %r0 = loop.load %A_1[%x, %y] : f32
// CHECK-NEXT:         loop.store %r0, %B[%x, %y] : f32
// CHECK:          loop.for %ii = 0 to 4 {
// CHECK-NEXT:       loop.for %j = 0 to 8 {
// CHECK-NEXT:         %r0_1 = loop.load %B[%io * 4 + %ii, %j] : f32
// CHECK-NEXT:         %r1 = loop.load %B[%io * 4 + %ii + 2, %j] : f32
// CHECK:              loop.store %t1, %C_1[%io * 4 + %ii, %j] : f32

// -----

// An output is stored by the caller, and may be read by other stages.
te.func @read_output(%A: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %B = schedule.stage "B" (%x = 4) : tensor<4xf32> {
    schedule.order %x
    schedule.region [0 : 4]
    schedule.range %x = 0 to 4
    schedule.equation (%x_1) {
      %a = te.read %A[%x_1] : f32
      te.yield %a : f32
    }
  }
  %C = schedule.stage "C" (%y = 4) : tensor<4xf32> {
    schedule.order %y
    schedule.region [0 : 4]
    schedule.range %y = 0 to 4
    schedule.equation (%y_1) {
      %b = te.read %B[%y_1 * -1 + 3] : f32
      te.yield %b : f32
    }
  }
  te.return %B, %C : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @read_output
// CHECK-NEXT:   %A_1 = loop.bind %A [0 : 4] : memref<4xf32>
// CHECK-NEXT:   %B_1 = loop.bind %B [0 : 4] : memref<4xf32>
// CHECK-NEXT:   %C_1 = loop.bind %C [0 : 4] : memref<4xf32>
// CHECK-NEXT:   loop.for %x = 0 to 4 {
// CHECK-NEXT:     %a = loop.load %A_1[%x] : f32
// CHECK-NEXT:     loop.store %a, %B_1[%x] : f32
// CHECK:        loop.for %y = 0 to 4 {
// CHECK-NEXT:     %b = loop.load %B_1[%y * -1 + 3] : f32
// CHECK-NEXT:     loop.store %b, %C_1[%y] : f32
