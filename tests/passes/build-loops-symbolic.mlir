// RUN: teloom-opt %s --split-input-file -p build-loops | filecheck %s

// Sizes are arguments; the last tile ends with the tensor.
te.func @size(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %n) : tensor<?xf32> {
    %io, %ii = schedule.split %i factor 8
    schedule.order %io, %ii
    schedule.region [0 : %n]
    schedule.range %io = 0 to %n ceildiv 8
    schedule.range %ii = 0 to min(8, %n - %io * 8)
    schedule.range %i = 0 to %n
    schedule.value %i = %io * 8 + %ii
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// CHECK-LABEL: func.func @size
// CHECK-NEXT:   %A_1 = loop.bind %A [0 : %n] : memref<?xf32>
// CHECK-NEXT:   %C_1 = loop.bind %C [0 : %n] : memref<?xf32>
// CHECK-NEXT:   loop.for %io = 0 to %n ceildiv 8 {
// CHECK-NEXT:     loop.for %ii = 0 to min(8, %n - %io * 8) {
// CHECK-NEXT:       %r0 = loop.load %A_1[%io * 8 + %ii] : f32
// CHECK-NEXT:       loop.store %r0, %C_1[%io * 8 + %ii] : f32

// -----

// The product of two sizes is computed once, before all loops; rows and columns by division.
te.func @product(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m]) -> (tensor<?x?xf32>) {
  %0 = arith.constant 0 : index
  %1 = arith.maxsi %n, %0 : index
  %2 = arith.maxsi %m, %0 : index
  %3 = arith.muli %1, %2 : index
  %C = schedule.stage "C" (%i = %n, %j = %m) : tensor<?x?xf32> {
    %f = schedule.fuse %i, %j
    schedule.order %f
    schedule.region [0 : %n, 0 : %m]
    schedule.range %f = 0 to %3
    schedule.range %i = 0 to %n
    schedule.range %j = 0 to %m
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %A[%i_1, %j_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @product
// CHECK-NEXT:   %A_1 = loop.bind %A [0 : %n, 0 : %m] : memref<?xf32>
// CHECK-NEXT:   %C_1 = loop.bind %C [0 : %n, 0 : %m] : memref<?xf32>
// CHECK-NEXT:   %0 = arith.constant 0 : index
// CHECK-NEXT:   %1 = arith.maxsi %n, %0 : index
// CHECK-NEXT:   %2 = arith.maxsi %m, %0 : index
// CHECK-NEXT:   %3 = arith.muli %1, %2 : index
// CHECK-NEXT:   loop.for %f = 0 to %3 {
// CHECK-NEXT:     %4 = arith.divsi %f, %m : index
// CHECK-NEXT:     %5 = arith.remsi %f, %m : index
// CHECK-NEXT:     %r0 = loop.load %A_1[%4, %5] : f32
// CHECK-NEXT:     loop.store %r0, %C_1[%4, %5] : f32

// -----

// A factor that is known when the program runs.
te.func @nparts(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %n) : tensor<?xf32> {
    %io, %ii = schedule.split %i nparts 4
    schedule.order %io, %ii
    schedule.region [0 : %n]
    schedule.range %io = 0 to 4
    schedule.range %ii = 0 to %n ceildiv 4
    schedule.range %i = 0 to %n
    schedule.guard (%n - %i - 1 >= 0)
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// CHECK-LABEL: func.func @nparts
// CHECK-NEXT:   %A_1 = loop.bind %A [0 : %n] : memref<?xf32>
// CHECK-NEXT:   %C_1 = loop.bind %C [0 : %n] : memref<?xf32>
// CHECK-NEXT:   loop.for %io = 0 to 4 {
// CHECK-NEXT:     loop.for %ii = 0 to %n ceildiv 4 {
// CHECK-NEXT:       %0 = affine.apply affine_map<(d0) -> ((d0 ceildiv 4))> (%n)
// CHECK-NEXT:       %1 = arith.muli %io, %0 : index
// CHECK-NEXT:       loop.if (%n - %1 - %ii - 1 >= 0) {
// CHECK-NEXT:         %r0 = loop.load %A_1[%1 + %ii] : f32
// CHECK-NEXT:         loop.store %r0, %C_1[%1 + %ii] : f32

// -----

// A fused axis that is no leaf: its loops may run even where a size is 0, and a guard may need rows or
// columns then, so nothing divides by less than 1.
te.func @parts(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m]) -> (tensor<?x?xf32>) {
  %0 = arith.constant 0 : index
  %1 = arith.maxsi %n, %0 : index
  %2 = arith.maxsi %m, %0 : index
  %3 = arith.muli %1, %2 : index
  %C = schedule.stage "C" (%i = %n, %j = %m) : tensor<?x?xf32> {
    %f = schedule.fuse %i, %j
    %s = schedule.shift %f by 3
    schedule.order %s
    schedule.region [0 : %n, 0 : %m]
    schedule.range %s = 3 to %3 + 3
    schedule.range %i = 0 to %n
    schedule.range %j = 0 to %m
    schedule.range %f = 0 to %3
    schedule.value %f = %s - 3
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %A[%i_1, %j_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @parts
// CHECK:        %3 = arith.muli %1, %2 : index
// CHECK-NEXT:   loop.for %s = 3 to %3 + 3 {
// CHECK-NEXT:     %4 = arith.constant 1 : index
// CHECK-NEXT:     %5 = arith.maxsi %m, %4 : index
// CHECK-NEXT:     %6 = affine.apply affine_map<(d0) -> ((d0 + -3))> (%s)
// CHECK-NEXT:     %7 = arith.divsi %6, %5 : index
