// RUN: teloom-opt %s -p te-to-loops | filecheck %s
// RUN: teloom-opt %s -p te-to-llvm | filecheck %s --check-prefix=LLVM

// All stages of a row are computed in the loop over rows: of the maximum and of the sum
// one element is stored, of the powers one row.

// CHECK-LABEL: func.func @softmax
// CHECK:       loop.for %[[I:.*]] = 0 to 4096 parallel
// CHECK-NEXT:    loop.realize "greatest" [%[[I]] : 1]
// CHECK:           arith.cmpf ogt
// CHECK:         loop.realize "power" [%[[I]] : 1, 0 : 1024]
// CHECK-NEXT:    loop.for {{.*}} = 0 to 128
// CHECK-NEXT:      loop.for {{.*}} = 0 to 8 vectorized
// CHECK:             math.exp
// CHECK:         loop.realize "total" [%[[I]] : 1]
// CHECK:           arith.addf
// CHECK:         loop.for {{.*}} = 0 to 1024
// CHECK:           arith.divf

// LLVM-LABEL: llvm.func @softmax
// LLVM:       llvm.call @teloom_exp_f32x8
// LLVM:       llvm.return
te.func @softmax(%A: tensor<4096x1024xf32>) -> (tensor<4096x1024xf32>) {
  %greatest = te.compute "greatest" (%i = 4096) reduce (%k = 1024) : tensor<4096xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0xff800000 : f32] {
    %g = arith.cmpf ogt, %y, %x : f32
    %m = arith.select %g, %y, %x : f32
    te.yield %m : f32
  }
  %power = te.compute "power" (%i = 4096, %j = 1024) : tensor<4096x1024xf32> {
    %a = te.read %A[%i, %j] : f32
    %g = te.read %greatest[%i] : f32
    %d = arith.subf %a, %g : f32
    %e = math.exp %d : f32
    te.yield %e : f32
  }
  %total = te.compute "total" (%i = 4096) reduce (%k = 1024) : tensor<4096xf32> {
    %p = te.read %power[%i, %k] : f32
    te.yield %p : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %out = te.compute "out" (%i = 4096, %j = 1024) : tensor<4096x1024xf32> {
    %p = te.read %power[%i, %j] : f32
    %t = te.read %total[%i] : f32
    %q = arith.divf %p, %t : f32
    te.yield %q : f32
  }
  te.return %out : tensor<4096x1024xf32>
}
schedule.sequence @rows on @softmax {
  %out = schedule.get "out"
  %i, %j = schedule.axes 2 of %out
  %greatest = schedule.get "greatest"
  schedule.compute_at %greatest, %out, %i
  %power = schedule.get "power"
  schedule.compute_at %power, %out, %i
  %pi, %pj = schedule.axes 2 of %power
  %pjo, %pji = schedule.split %pj factor 8
  schedule.vectorize %pji
  %total = schedule.get "total"
  schedule.compute_at %total, %out, %i
  schedule.parallel %i
}
