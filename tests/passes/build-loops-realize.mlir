// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds,build-loops | filecheck %s

// At the root all of B is stored, before the loops of its reader.
te.func @root(%A: tensor<14x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 14, %y = 8) : tensor<14x8xf32> {
    %r0 = te.read %A[%x, %y] : f32
    te.yield %r0 : f32
  }
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %r0 = te.read %B[%i, %j] : f32
    %r1 = te.read %B[%i + 2, %j] : f32
    %t1 = arith.addf %r0, %r1 : f32
    te.yield %t1 : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @root {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.unroll %j
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
  %B = te.compute "B" (%x = 14, %y = 8) : tensor<14x8xf32> {
    %r0 = te.read %A[%x, %y] : f32
    te.yield %r0 : f32
  }
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %r0 = te.read %B[%i, %j] : f32
    %r1 = te.read %B[%i + 2, %j] : f32
    %t1 = arith.addf %r0, %r1 : f32
    te.yield %t1 : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @inside {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %io, %ii = schedule.split %i factor 4
  schedule.compute_at %B, %C, %io
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
  %B = te.compute "B" (%x = 4) : tensor<4xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 4) : tensor<4xf32> {
    %b = te.read %B[-%y + 3] : f32
    te.yield %b : f32
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
