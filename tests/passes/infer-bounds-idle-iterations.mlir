// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds | filecheck %s

// A guard asks for all sixteen parts of two, of which ten have iterations of twenty.
// CHECK-LABEL: te.func @parts
// CHECK:       schedule.range %io = 0 to 16
// CHECK-NEXT:  schedule.range %ii = 0 to 2
// CHECK-NEXT:  schedule.range %i = 0 to 20
// CHECK-NEXT:  schedule.value %i = %io * 2 + %ii
// CHECK-NEXT:  schedule.guard (%io * -1 + 9 >= 0)
te.func @parts(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %B = te.compute "B" (%i = 20) : tensor<20xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %B : tensor<20xf32>
}
schedule.sequence @s on @parts {
  %B = schedule.get "B"
  %i = schedule.axes 1 of %B
  %io, %ii = schedule.split %i nparts 16 tail "guard"
}

// -----

// Sixteen threads for sixteen parts ask for them, too.
// CHECK-LABEL: te.func @threads
// CHECK:       schedule.range %io = 0 to 16
// CHECK-NEXT:  schedule.range %ii = 0 to 2
// CHECK:       schedule.guard (%io * -1 + 9 >= 0)
te.func @threads(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %B = te.compute "B" (%i = 20) : tensor<20xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %B : tensor<20xf32>
}
schedule.sequence @s on @threads {
  %B = schedule.get "B"
  %i = schedule.axes 1 of %B
  %io, %ii = schedule.split %i nparts 16
  schedule.bind %io "threadIdx.x" extent 16
}

// -----

// Where the inner loop ends by itself, there is nothing to guard.
// CHECK-LABEL: te.func @ends
// CHECK:       schedule.range %io = 0 to 16
// CHECK-NEXT:  schedule.range %ii = 0 to min(3, %io * -3 + 34)
// CHECK-NOT:   schedule.guard
te.func @ends(%A: tensor<34xf32>) -> (tensor<34xf32>) {
  %B = te.compute "B" (%i = 34) : tensor<34xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %B : tensor<34xf32>
}
schedule.sequence @s on @ends {
  %B = schedule.get "B"
  %i = schedule.axes 1 of %B
  %io, %ii = schedule.split %i nparts 16 tail "guard"
}

// -----

// Sixteen threads for ten tiles: with a guard there may be more than are needed.
// CHECK-LABEL: te.func @tiles
// CHECK:       schedule.range %io = 0 to 16
// CHECK:       schedule.guard (%io * -1 + 9 >= 0)
te.func @tiles(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %B = te.compute "B" (%i = 20) : tensor<20xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %B : tensor<20xf32>
}
schedule.sequence @s on @tiles {
  %B = schedule.get "B"
  %i = schedule.axes 1 of %B
  %io, %ii = schedule.split %i factor 2 tail "guard"
  schedule.bind %io "threadIdx.x" extent 16
}

// -----

// What is computed in the loop computes nothing in idle threads.
// CHECK-LABEL: te.func @used
// CHECK:       schedule.range %io = 0 to 16
// CHECK:       schedule.stage "B" at %io
// CHECK:         schedule.region [%io * 2 : 2]
// CHECK-NEXT:    schedule.range %j = %io * 2 to %io * 2 + 2
// CHECK-NEXT:    schedule.guard (%io * -1 + 9 >= 0)
te.func @used(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %B = te.compute "B" (%j = 20) : tensor<20xf32> {
    %a = te.read %A[%j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 20) : tensor<20xf32> {
    %b = te.read %B[%i] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<20xf32>
}
schedule.sequence @s on @used {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i nparts 16 tail "guard"
  schedule.bind %io "threadIdx.x" extent 16
  schedule.compute_at %B, %C, %io
}

// -----

// Loops that are made of the parts have them all, so that these fill whole blocks of threads.
// CHECK-LABEL: te.func @blocks
// CHECK:       schedule.range %f = 0 to 64
// CHECK-NEXT:  schedule.range %ii = 0 to 2
// CHECK-NEXT:  schedule.range %ji = 0 to 1
// CHECK:       schedule.guard
te.func @blocks(%A: tensor<20x3xf32>) -> (tensor<20x3xf32>) {
  %B = te.compute "B" (%i = 20, %j = 3) : tensor<20x3xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %B : tensor<20x3xf32>
}
schedule.sequence @s on @blocks {
  %B = schedule.get "B"
  %i, %j = schedule.axes 2 of %B
  %io, %ii = schedule.split %i nparts 16 tail "guard"
  %jo, %ji = schedule.split %j nparts 4 tail "guard"
  schedule.reorder %io, %jo, %ii, %ji
  %f = schedule.fuse %io, %jo
  schedule.bind %f "threadIdx.x" extent 64
}

// -----

// Of no elements at all, no iteration does anything.
// CHECK-LABEL: te.func @none
// CHECK:       schedule.range %io = 0 to 16
// CHECK-NEXT:  schedule.range %ii = 0 to 0
te.func @none(%A: tensor<0xf32>) -> (tensor<0xf32>) {
  %B = te.compute "B" (%i = 0) : tensor<0xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %B : tensor<0xf32>
}
schedule.sequence @s on @none {
  %B = schedule.get "B"
  %i = schedule.axes 1 of %B
  %io, %ii = schedule.split %i nparts 16 tail "guard"
}

// -----

// Idle iterations have a guard of their own: what asks nothing of the parts is asked around them.
// CHECK-LABEL: te.func @apart
// CHECK:         schedule.range %io = 0 to 4
// CHECK-NEXT:    schedule.range %ii = 0 to 1
// CHECK:         schedule.guard (%y * 2 + %x - 1 >= 0)
// CHECK-NEXT:    schedule.guard (%io == 0)
te.func @apart(%A: tensor<9xf32>) -> (tensor<5x2xf32>) {
  %B = te.compute "B" (%i = 9) : tensor<9xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 5, %x = 2) : tensor<5x2xf32> {
    %zero = arith.constant 0.0 : f32
    %at = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1)> (%y, %x)
    %one = arith.constant 1 : index
    %inside = arith.cmpi sge, %at, %one : index
    %value = scf.if %inside -> (f32) {
      %b = te.read %B[%y * 2 + %x - 1] : f32
      scf.yield %b : f32
    } else {
      scf.yield %zero : f32
    }
    te.yield %value : f32
  }
  te.return %C : tensor<5x2xf32>
}
schedule.sequence @s on @apart {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  schedule.compute_at %B, %C, %x
  %i = schedule.axes 1 of %B
  %io, %ii = schedule.split %i nparts 4 tail "guard"
}
