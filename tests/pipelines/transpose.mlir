// RUN: teloom-opt %s -p te-to-loops | filecheck %s
// RUN: teloom-opt %s -p te-to-llvm | filecheck %s --check-prefix=LLVM

// A tile is written row by row; the lanes of a row are read from a column.

// CHECK-LABEL: func.func @transpose
// CHECK:       loop.for %[[JO:.*]] = 0 to %n ceildiv 8
// CHECK-NEXT:    loop.for %[[IO:.*]] = 0 to %m floordiv 8
// CHECK-NEXT:      loop.for %[[JI:.*]] = 0 to min(8, %n - %[[JO]] * 8)
// CHECK-NEXT:        loop.for %[[II:.*]] = 0 to 8 vectorized
// CHECK-NEXT:          loop.load %{{.*}}[%[[IO]] * 8 + %[[II]], %[[JO]] * 8 + %[[JI]]]
// CHECK-NEXT:          loop.store %{{.*}}, %{{.*}}[%[[JO]] * 8 + %[[JI]], %[[IO]] * 8 + %[[II]]]

// LLVM-LABEL: llvm.func @transpose
// LLVM:       llvm.store {{.*}} : vector<8xi8>
te.func @transpose(%m: index, %n: index, %A: tensor<?x?xui8>[%m, %n]) -> (tensor<?x?xui8>) {
  %B = te.compute "B" (%j = %n, %i = %m) : tensor<?x?xui8> {
    %a = te.read %A[%i, %j] : i8
    te.yield %a : i8
  }
  te.return %B : tensor<?x?xui8>
}
schedule.sequence @tiled on @transpose {
  %B = schedule.get "B"
  %j, %i = schedule.axes 2 of %B
  %jo, %io, %ji, %ii = schedule.tile %j, %i by 8, 8
  schedule.vectorize %ii
}
