// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// Of 8 m elements all tiles are full, and so is what is computed for them: no bound has a min.
te.func @vector(%m: index, %A: tensor<?xf32>[%m * 8 + 2]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %m * 8) : tensor<?xf32> {
    %io, %ii = schedule.split %i factor 8
    schedule.order %io, %ii
    %B = schedule.stage "B" at %io (%x = %m * 8 + 2) : tensor<?xf32> {
      %xo, %xi = schedule.split %x factor 5
      schedule.order %xo, %xi
      schedule.equation (%x_1) {
        %r0 = te.read %A[%x_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1) {
      %r0 = te.read %B[%i_1] : f32
      %r1 = te.read %B[%i_1 + 2] : f32
      %t1 = arith.addf %r0, %r1 : f32
      te.yield %t1 : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// CHECK-LABEL: te.func @vector
// CHECK-NEXT:   %C = schedule.stage "C" (%i = %m * 8) : tensor<?xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 8
// CHECK-NEXT:     schedule.order %io, %ii
// CHECK-NEXT:     schedule.region [0 : %m * 8]
// CHECK-NEXT:     schedule.range %io = 0 to %m
// CHECK-NEXT:     schedule.range %ii = 0 to 8
// CHECK-NEXT:     schedule.range %i = 0 to %m * 8
// CHECK-NEXT:     schedule.value %i = %io * 8 + %ii
// CHECK-NEXT:     %B = schedule.stage "B" at %io (%x = %m * 8 + 2) : tensor<?xf32>
// CHECK-NEXT:       %xo, %xi = schedule.split %x factor 5
// CHECK-NEXT:       schedule.order %xo, %xi
// CHECK-NEXT:       schedule.region [%io * 8 : 10]
// CHECK-NEXT:       schedule.range %xo = 0 to 2
// CHECK-NEXT:       schedule.range %xi = 0 to 5
// CHECK-NEXT:       schedule.range %x = %io * 8 to %io * 8 + 10
// CHECK-NEXT:       schedule.value %x = %io * 8 + %xo * 5 + %xi

// -----

// The same of two sizes, transposed.
te.func @tiles(%m: index, %n: index, %A: tensor<?x?xf32>[%m * 8, %n * 16]) -> (tensor<?x?xf32>) {
  %C = schedule.stage "C" (%i = %n * 16, %j = %m * 8) : tensor<?x?xf32> {
    %io, %ii = schedule.split %i factor 16
    %jo, %ji = schedule.split %j factor 8
    schedule.order %io, %jo, %ii, %ji
    %B = schedule.stage "B" at %jo (%x = %m * 8, %y = %n * 16) : tensor<?x?xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%j_1, %i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<?x?xf32>
}

// CHECK-LABEL: te.func @tiles
// CHECK-NEXT:   %C = schedule.stage "C" (%i = %n * 16, %j = %m * 8) : tensor<?x?xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 16
// CHECK-NEXT:     %jo, %ji = schedule.split %j factor 8
// CHECK-NEXT:     schedule.order %io, %jo, %ii, %ji
// CHECK-NEXT:     schedule.region [0 : %n * 16, 0 : %m * 8]
// CHECK-NEXT:     schedule.range %io = 0 to %n
// CHECK-NEXT:     schedule.range %jo = 0 to %m
// CHECK-NEXT:     schedule.range %ii = 0 to 16
// CHECK-NEXT:     schedule.range %ji = 0 to 8
// CHECK-NEXT:     schedule.range %i = 0 to %n * 16
// CHECK-NEXT:     schedule.range %j = 0 to %m * 8
// CHECK-NEXT:     schedule.value %j = %jo * 8 + %ji
// CHECK-NEXT:     schedule.value %i = %io * 16 + %ii
// CHECK-NEXT:     %B = schedule.stage "B" at %jo (%x = %m * 8, %y = %n * 16) : tensor<?x?xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%jo * 8 : 8, %io * 16 : 16]
// CHECK-NEXT:       schedule.range %x = %jo * 8 to %jo * 8 + 8
// CHECK-NEXT:       schedule.range %y = %io * 16 to %io * 16 + 16

// -----

// 4 m rows of 8, fused and split by 32: four whole rows per iteration.
te.func @fused(%m: index, %A: tensor<?x8xf32>[%m * 4, 8]) -> (tensor<?x8xf32>) {
  %C = schedule.stage "C" (%i = %m * 4, %j = 8) : tensor<?x8xf32> {
    %f = schedule.fuse %i, %j
    %fo, %fi = schedule.split %f factor 32
    schedule.order %fo, %fi
    %B = schedule.stage "B" at %fo (%x = %m * 4, %y = 8) : tensor<?x8xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<?x8xf32>
}

// CHECK-LABEL: te.func @fused
// CHECK-NEXT:   %C = schedule.stage "C" (%i = %m * 4, %j = 8) : tensor<?x8xf32>
// CHECK-NEXT:     %f = schedule.fuse %i, %j
// CHECK-NEXT:     %fo, %fi = schedule.split %f factor 32
// CHECK-NEXT:     schedule.order %fo, %fi
// CHECK-NEXT:     schedule.region [0 : %m * 4, 0 : 8]
// CHECK-NEXT:     schedule.range %fo = 0 to %m
// CHECK-NEXT:     schedule.range %fi = 0 to 32
// CHECK-NEXT:     schedule.range %i = 0 to %m * 4
// CHECK-NEXT:     schedule.range %j = 0 to 8
// CHECK-NEXT:     schedule.range %f = 0 to %m * 32
// CHECK-NEXT:     schedule.value %j = %fi mod 8
// CHECK-NEXT:     schedule.value %i = %fo * 4 + %fi floordiv 8
// CHECK-NEXT:     %B = schedule.stage "B" at %fo (%x = %m * 4, %y = 8) : tensor<?x8xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%fo * 4 : 4, 0 : 8]
// CHECK-NEXT:       schedule.range %x = %fo * 4 to %fo * 4 + 4
// CHECK-NEXT:       schedule.range %y = 0 to 8
