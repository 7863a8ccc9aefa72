// RUN: teloom-opt %s --print-debuginfo | filecheck %s
// RUN: teloom-opt %s --print-debuginfo | teloom-opt --print-debuginfo | filecheck %s

// Locations as mlir-opt prints them: by names that are defined behind all ops, at arguments,
// named, of calls, fused; and types and attributes by names. They read back.

!row = tensor<4xf32>
#map = affine_map<(d0) -> (d0 + 1)>
#near = loc("near.py":1:2)

module {
  // CHECK: te.func @scale(%n: index loc("n.py":3:4), %A: tensor<?x4xf32>[%n, 4] strides [4, 1] loc("A"("n.py":3:4))) -> (tensor<4xf32>) {
  te.func @scale(%n: index loc(#loc1), %A: tensor<?x4xf32>[%n, 4] strides [4, 1] loc(#loc2)) -> (!row) {
    %B = te.compute "B" (%i = 4) reduce (%k = 2) : !row {
      // CHECK: te.read %A[%k, %i] : f32 loc(callsite("near.py":1:2 at "n.py":3:4))
      %a = te.read %A[%k, %i] : f32 loc(callsite(#near at #loc1))
      te.yield %a : f32 loc(unknown)
    // CHECK: } combine (%x: f32 loc("n.py":3:4), %y: f32 loc(unknown)) identity
    } combine (%x: f32 loc(#loc1), %y: f32) identity [0.0 : f32] {
      // CHECK: arith.addf %x, %y : f32 loc(fused<"sum">["n.py":3:4, "near.py":5:6])
      %s = arith.addf %x, %y : f32 loc(fused<"sum">[#loc1, "near.py":5:6 to 7:8])
      te.yield %s : f32 loc("near.py":5:6 to :9)
    } loc(#loc)
    te.return %B : !row loc(#loc)
  } loc(#loc)
  te.intrinsic @id (%a: tensor<4xf32> loc(#loc1)) {
    %b = te.compute "b" (%i = 4) : tensor<4xf32> {
      %0 = te.read %a[%i] : f32
      te.yield %0 : f32
    }
    // CHECK: te.extern "body" (%c: tensor<4xf32> loc("n.py":3:4))
    %e = te.extern "body" (%c: tensor<4xf32> loc(#loc1)) {
    }
  }
  func.func @next(%i: index {my.note} loc(#loc1)) {
    %j = affine.apply #map(%i)
    func.return
  }
}
#loc = loc(unknown)
#loc1 = loc("n.py":3:4)
#loc2 = loc("A"(#loc1))
