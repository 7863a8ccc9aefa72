// RUN: teloom-opt %s -p te-to-loops | filecheck %s
// RUN: teloom-opt %s -p te-to-llvm | filecheck %s --check-prefix=LLVM

// A reduction of pairs.

// CHECK-LABEL: func.func @argmax
// CHECK-SAME:    output}
// CHECK-SAME:    output}
// CHECK:         loop.for {{.*}} = 0 to 4 vectorized
// CHECK:           loop.init {{.*}} : i32
// CHECK-NEXT:      loop.init {{.*}} : f32
// CHECK:         loop.for {{.*}} = 0 to %n
// CHECK-NEXT:      loop.for {{.*}} = 0 to 4 vectorized
// CHECK:             loop.reduce {{.*}} : i32, f32 combine (%i, %x, %j, %y) identity [2147483647 : i32, 0xff800000 : f32] {

// LLVM-LABEL: llvm.func @argmax
// LLVM:       llvm.select {{.*}} : vector<4xi1>, vector<4xi32>
te.func @argmax(%m: index, %n: index, %A: tensor<?x?xf32>[%m, %n]) -> (tensor<?xi32>, tensor<?xf32>) {
  %index, %value = te.compute "T" (%i = %m) reduce (%k = %n) : tensor<?xi32>, tensor<?xf32> {
    %here = arith.index_cast %k : index to i32
    %a = te.read %A[%i, %k] : f32
    te.yield %here, %a : i32, f32
  } combine (%i: i32, %x: f32, %j: i32, %y: f32) identity [2147483647 : i32, 0xff800000 : f32] {
    %more = arith.cmpf ogt, %x, %y : f32
    %same = arith.cmpf oeq, %x, %y : f32
    %first = arith.cmpi slt, %i, %j : i32
    %tie = arith.andi %same, %first : i1
    %left = arith.ori %more, %tie : i1
    %at = arith.select %left, %i, %j : i32
    %of = arith.select %left, %x, %y : f32
    te.yield %at, %of : i32, f32
  }
  te.return %index, %value : tensor<?xi32>, tensor<?xf32>
}
schedule.sequence @lanes on @argmax {
  %T = schedule.get "T"
  %i, %k = schedule.axes 2 of %T
  %io, %ii = schedule.split %i factor 4
  schedule.reorder %io, %k, %ii
  schedule.vectorize %ii
}
