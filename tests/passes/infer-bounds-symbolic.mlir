// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// The last tile ends with the tensor.
te.func @size(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %n) : tensor<?xf32> {
    %io, %ii = schedule.split %i factor 8
    schedule.order %io, %ii
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// CHECK-LABEL: te.func @size
// CHECK-NEXT:   %C = schedule.stage "C" (%i = %n) : tensor<?xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 8
// CHECK-NEXT:     schedule.order %io, %ii
// CHECK-NEXT:     schedule.region [0 : %n]
// CHECK-NEXT:     schedule.range %io = 0 to %n ceildiv 8
// CHECK-NEXT:     schedule.range %ii = 0 to min(8, %n - %io * 8)
// CHECK-NEXT:     schedule.range %i = 0 to %n
// CHECK-NEXT:     schedule.value %i = %io * 8 + %ii

// -----

// A multiple of the factor has full tiles only.
te.func @multiple(%n: index, %A: tensor<?xf32>[%n * 8]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %n * 8) : tensor<?xf32> {
    %io, %ii = schedule.split %i factor 8
    schedule.order %io, %ii
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// CHECK-LABEL: te.func @multiple
// CHECK-NEXT:   %C = schedule.stage "C" (%i = %n * 8) : tensor<?xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 8
// CHECK-NEXT:     schedule.order %io, %ii
// CHECK-NEXT:     schedule.region [0 : %n * 8]
// CHECK-NEXT:     schedule.range %io = 0 to %n
// CHECK-NEXT:     schedule.range %ii = 0 to 8
// CHECK-NEXT:     schedule.range %i = 0 to %n * 8
// CHECK-NEXT:     schedule.value %i = %io * 8 + %ii

// -----

// An extent of n + 1 is no other case.
te.func @one_more(%n: index, %A: tensor<?xf32>[%n + 1]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %n + 1) : tensor<?xf32> {
    %io, %ii = schedule.split %i factor 4
    schedule.order %io, %ii
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// CHECK-LABEL: te.func @one_more
// CHECK-NEXT:   %C = schedule.stage "C" (%i = %n + 1) : tensor<?xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 4
// CHECK-NEXT:     schedule.order %io, %ii
// CHECK-NEXT:     schedule.region [0 : %n + 1]
// CHECK-NEXT:     schedule.range %io = 0 to %n floordiv 4 + 1
// CHECK-NEXT:     schedule.range %ii = 0 to min(4, %n - %io * 4 + 1)
// CHECK-NEXT:     schedule.range %i = 0 to %n + 1
// CHECK-NEXT:     schedule.value %i = %io * 4 + %ii

// -----

// A region at a tile has a constant extent all the same.
te.func @tile(%n: index, %A: tensor<?xf32>[%n + 2]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %n) : tensor<?xf32> {
    %io, %ii = schedule.split %i factor 8
    schedule.order %io, %ii
    %B = schedule.stage "B" at %io (%x = %n + 2) : tensor<?xf32> {
      schedule.order %x
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

// CHECK-LABEL: te.func @tile
// CHECK-NEXT:   %C = schedule.stage "C" (%i = %n) : tensor<?xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 8
// CHECK-NEXT:     schedule.order %io, %ii
// CHECK-NEXT:     schedule.region [0 : %n]
// CHECK-NEXT:     schedule.range %io = 0 to %n ceildiv 8
// CHECK-NEXT:     schedule.range %ii = 0 to min(8, %n - %io * 8)
// CHECK-NEXT:     schedule.range %i = 0 to %n
// CHECK-NEXT:     schedule.value %i = %io * 8 + %ii
// CHECK-NEXT:     %B = schedule.stage "B" at %io (%x = %n + 2) : tensor<?xf32>
// CHECK-NEXT:       schedule.order %x
// CHECK-NEXT:       schedule.region [%io * 8 : 10]
// CHECK-NEXT:       schedule.range %x = %io * 8 to min(%io * 8 + 10, %n + 2)

// -----

// The extent of two symbolic axes fused is a product, which is computed once.
te.func @product(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m]) -> (tensor<?x?xf32>) {
  %C = schedule.stage "C" (%i = %n, %j = %m) : tensor<?x?xf32> {
    %f = schedule.fuse %i, %j
    schedule.order %f
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %A[%i_1, %j_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<?x?xf32>
}

// CHECK-LABEL: te.func @product
// CHECK:        %1 = arith.maxsi %n, %0 : index
// CHECK-NEXT:   %2 = arith.maxsi %m, %0 : index
// CHECK-NEXT:   %3 = arith.muli %1, %2 : index
// CHECK-NEXT:   %C = schedule.stage "C" (%i = %n, %j = %m) : tensor<?x?xf32>
// CHECK-NEXT:     %f = schedule.fuse %i, %j
// CHECK-NEXT:     schedule.order %f
// CHECK-NEXT:     schedule.region [0 : %n, 0 : %m]
// CHECK-NEXT:     schedule.range %f = 0 to %3
// CHECK-NEXT:     schedule.range %i = 0 to %n
// CHECK-NEXT:     schedule.range %j = 0 to %m

// -----

// With one constant extent it is an affine expression.
te.func @half(%n: index, %A: tensor<?x4xf32>[%n, 4]) -> (tensor<?x4xf32>) {
  %C = schedule.stage "C" (%i = %n, %j = 4) : tensor<?x4xf32> {
    %f = schedule.fuse %i, %j
    %fo, %fi = schedule.split %f factor 4
    schedule.order %fo, %fi
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %A[%i_1, %j_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<?x4xf32>
}

// CHECK-LABEL: te.func @half
// CHECK-NEXT:   %C = schedule.stage "C" (%i = %n, %j = 4) : tensor<?x4xf32>
// CHECK-NEXT:     %f = schedule.fuse %i, %j
// CHECK-NEXT:     %fo, %fi = schedule.split %f factor 4
// CHECK-NEXT:     schedule.order %fo, %fi
// CHECK-NEXT:     schedule.region [0 : %n, 0 : 4]
// CHECK-NEXT:     schedule.range %fo = 0 to %n
// CHECK-NEXT:     schedule.range %fi = 0 to 4
// CHECK-NEXT:     schedule.range %i = 0 to %n
// CHECK-NEXT:     schedule.range %j = 0 to 4
// CHECK-NEXT:     schedule.range %f = 0 to %n * 4
// CHECK-NEXT:     schedule.value %j = %fi
// CHECK-NEXT:     schedule.value %i = %fo

// -----

// Parts of a part of a region between divisions: bounds may be loose there, the guard says the
// rest, one alternative per read.
te.func @parts_of_parts(%n: index, %A: tensor<?xf32>[%n + 4]) -> (tensor<?x?xf32>) {
  %D = schedule.stage "D" (%i = %n + 1, %j = %n + 1) : tensor<?x?xf32> {
    %io, %ii = schedule.split %i factor 8
    %jo, %ji = schedule.split %j factor 3
    schedule.order %io, %ii, %jo, %ji
    %C = schedule.stage "C" at %jo (%x = %n + 3, %y = %n + 3) : tensor<?x?xf32> {
      %yo, %yi = schedule.split %y factor 3
      %yoo, %yoi = schedule.split %yo nparts 8
      schedule.order %x, %yoo, %yoi, %yi
      schedule.equation (%x_1, %y_1) {
        %a = te.read %A[%x_1 + 1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %b = te.read %C[%i_1 floordiv 2, %i_1] : f32
      %c = te.read %C[%j_1 mod 3, (%i_1 + 1) floordiv 3] : f32
      %d = arith.addf %b, %c : f32
      te.yield %d : f32
    }
  }
  te.return %D : tensor<?x?xf32>
}

// CHECK-LABEL: te.func @parts_of_parts
// CHECK-NEXT:   %D = schedule.stage "D" (%i = %n + 1, %j = %n + 1) : tensor<?x?xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 8
// CHECK-NEXT:     %jo, %ji = schedule.split %j factor 3
// CHECK-NEXT:     schedule.order %io, %ii, %jo, %ji
// CHECK-NEXT:     schedule.region [0 : %n + 1, 0 : %n + 1]
// CHECK-NEXT:     schedule.range %io = 0 to %n floordiv 8 + 1
// CHECK-NEXT:     schedule.range %ii = 0 to min(8, %n - %io * 8 + 1)
// CHECK-NEXT:     schedule.range %jo = 0 to %n floordiv 3 + 1
// CHECK-NEXT:     schedule.range %ji = 0 to min(3, %n - %jo * 3 + 1)
// CHECK-NEXT:     schedule.range %i = 0 to %n + 1
// CHECK-NEXT:     schedule.range %j = 0 to %n + 1
// CHECK-NEXT:     schedule.value %j = %jo * 3 + %ji
// CHECK-NEXT:     schedule.value %i = %io * 8 + %ii
// CHECK-NEXT:     %C = schedule.stage "C" at %jo (%x = %n + 3, %y = %n + 3) : tensor<?x?xf32>
// CHECK-NEXT:       %yo, %yi = schedule.split %y factor 3
// CHECK-NEXT:       %yoo, %yoi = schedule.split %yo nparts 8
// CHECK-NEXT:       schedule.order %x, %yoo, %yoi, %yi
// CHECK-NEXT:       schedule.region [0 : %n + 3, (%io * 8 + %ii + 1) floordiv 3 : %io * 5 + %ii - (%ii - %io + 1) floordiv 3 + 1]
// CHECK-NEXT:       schedule.range %x = 0 to %n + 3
// CHECK-NEXT:       schedule.range %yoo = 0 to 8
// CHECK-NEXT:       schedule.range %yoi = 0 to (%io * 8 + %ii) floordiv 36 + 1
// CHECK-NEXT:       schedule.range %yi = 0 to 3
// CHECK-NEXT:       schedule.range %y = (%io * 8 + %ii + 1) floordiv 3 to (%io * 8 + %ii + 1) floordiv 3 + %io * 5 + %ii - (%ii - %io + 1) floordiv 3 + 1
// CHECK-NEXT:       schedule.range %yo = 0 to %io * 2 + (%ii - %io - (%ii - %io + 1) floordiv 3) floordiv 3 + 1
// CHECK-NEXT:       schedule.value %y = (%io * 8 + %ii + 1) floordiv 3 + %yo * 3 + %yi
// CHECK-NEXT:       schedule.guard (%x * 2 - %io * 8 - %ii + 1 >= 0, %io * 8 + %ii - %x * 2 >= 0, %yo * 9 + %yi * 3 - %io * 16 - %ii * 2 + 1 >= 0, %io * 16 + %ii * 2 - %yo * 9 - %yi * 3 + 1 >= 0) or (%yi == 0, %yo == 0, %x * -1 + 2 >= 0, %n - %jo * 3 - %x >= 0)

// -----

// A number of parts of a symbolic axis: the factor is known when the program runs.
te.func @nparts(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %n) : tensor<?xf32> {
    %io, %ii = schedule.split %i nparts 4
    schedule.order %io, %ii
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// CHECK-LABEL: te.func @nparts
// CHECK-NEXT:   %C = schedule.stage "C" (%i = %n) : tensor<?xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i nparts 4
// CHECK-NEXT:     schedule.order %io, %ii
// CHECK-NEXT:     schedule.region [0 : %n]
// CHECK-NEXT:     schedule.range %io = 0 to 4
// CHECK-NEXT:     schedule.range %ii = 0 to %n ceildiv 4
// CHECK-NEXT:     schedule.range %i = 0 to %n
// CHECK-NEXT:     schedule.guard (%n - %i - 1 >= 0)
