// RUN: teloom-opt %s -p privatize-reductions --cpu znver4 | filecheck %s --check-prefixes VNNI,ALL
// RUN: teloom-opt %s -p privatize-reductions --cpu x86-64-v3 | filecheck %s --check-prefixes PAIRS,ALL
// RUN: teloom-opt %s -p "privatize-reductions{flush=true}" --cpu znver4 | filecheck %s --check-prefixes FLUSH

// A lane folds as many neighbours as an instruction of the target multiplies and adds. What is
// less than that for all lanes, they fold as other reductions.
// ALL-LABEL: func.func @bytes
func.func @bytes(%A: memref<600xi8>, %B: memref<600xi8>, %S: memref<1xi32>) {
  %a = loop.bind %A [0 : 600] : memref<600xi8>
  %b = loop.bind %B [0 : 600] : memref<600xi8>
  %s = loop.bind %S [] : memref<1xi32>
  // VNNI: loop.for %k = 0 to 2 {
  // VNNI-NEXT: loop.for %[[L:.*]] = 0 to 64 vectorized {
  // VNNI-NEXT: loop.for %[[T:.*]] = 0 to 4 unrolled {
  // VNNI-NEXT: affine.apply affine_map<(d0, d1, d2) -> ((((d0 * 256) + (d1 * 4)) + d2))> (%k, %[[L]], %[[T]])
  // VNNI: loop.reduce %{{.*}} into %s_lanes[%[[L]]] : i32
  // VNNI: loop.for %{{.*}} = 0 to 64 vectorized {
  // VNNI-NEXT: affine.apply affine_map<(d0) -> ((d0 + 512))>
  // VNNI: loop.for %{{.*}} = 0 to 24 vectorized {
  // VNNI-NEXT: affine.apply affine_map<(d0) -> ((d0 + 576))>
  // PAIRS: loop.for %k = 0 to 9 {
  // PAIRS-NEXT: loop.for %{{.*}} = 0 to 32 vectorized {
  // PAIRS-NEXT: loop.for %{{.*}} = 0 to 2 unrolled {
  loop.for %k = 0 to 600 vectorized {
    %0 = loop.load %a[%k] : i8
    %x = arith.extui %0 : i8 to i32
    %1 = loop.load %b[%k] : i8
    %y = arith.extsi %1 : i8 to i32
    %p = arith.muli %x, %y : i32
    loop.reduce %p into %s[] : i32 combine (%u, %v) identity [0 : i32] {
      %w = arith.addi %u, %v : i32
      loop.yield %w : i32
    }
  }
  func.return
}

// Numbers of 16 bits without a sign are no factors of any instruction.
// ALL-LABEL: func.func @without_sign
// ALL-NOT: unrolled
func.func @without_sign(%A: memref<600xi16>, %S: memref<1xi32>) {
  %a = loop.bind %A [0 : 600] : memref<600xi16>
  %s = loop.bind %S [] : memref<1xi32>
  loop.for %k = 0 to 600 vectorized {
    %0 = loop.load %a[%k] : i16
    %x = arith.extui %0 : i16 to i32
    %p = arith.muli %x, %x : i32
    loop.reduce %p into %s[] : i32 combine (%u, %v) identity [0 : i32] {
      %w = arith.addi %u, %v : i32
      loop.yield %w : i32
    }
  }
  func.return
}

// Products of bfloat16 have an instruction that takes subnormal numbers for 0.
// FLUSH-LABEL: func.func @bfloats
// ALL-LABEL: func.func @bfloats
// ALL-NOT: unrolled
// FLUSH: loop.for %{{.*}} = 0 to 2 unrolled {
func.func @bfloats(%A: memref<128xbf16>, %S: memref<1xf32>) {
  %a = loop.bind %A [0 : 128] : memref<128xbf16>
  %s = loop.bind %S [] : memref<1xf32>
  loop.for %k = 0 to 128 vectorized {
    %0 = loop.load %a[%k] : bf16
    %x = arith.extf %0 : bf16 to f32
    %p = arith.mulf %x, %x : f32
    loop.reduce %p into %s[] : f32 combine (%u, %v) identity [0.0 : f32] {
      %w = arith.addf %u, %v : f32
      loop.yield %w : f32
    }
  }
  func.return
}
