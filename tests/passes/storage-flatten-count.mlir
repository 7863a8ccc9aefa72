// RUN: teloom-opt %s -p storage-flatten | filecheck %s

// A size is at most 2^40, so that a few of them, and constants times one of them, fit.
// CHECK-LABEL: func.func @fits
func.func @fits(%n: index, %m: index) {
  // CHECK: %[[N:.*]] = arith.maxsi
  // CHECK-NEXT: %[[COUNT:.*]] = arith.muli %{{.*}}, %[[N]] : index
  // CHECK-NEXT: memref.alloc(%[[COUNT]])
  %a = loop.realize "a" [0 : %n + %m, 0 : 4096] : !loop.tensor<2, f32>
  func.return
}

// The product of two may not: of as many bits as both together have, 62 are left. What
// takes more counts as 2^61, which no system can give.
// CHECK-LABEL: func.func @product
func.func @product(%n: index, %m: index) {
  // CHECK: %[[N:.*]] = arith.maxsi %n
  // CHECK: %[[M:.*]] = arith.maxsi %m
  // CHECK-NEXT: %[[COUNT:.*]] = arith.muli %[[N]], %[[M]] : index
  // CHECK-NEXT: %[[N_ZEROS:.*]] = math.ctlz %[[N]] : index
  // CHECK-NEXT: %[[M_ZEROS:.*]] = math.ctlz %[[M]] : index
  // CHECK-NEXT: %[[ZEROS:.*]] = arith.addi %[[N_ZEROS]], %[[M_ZEROS]] : index
  // CHECK-NEXT: %[[LEAST:.*]] = arith.constant 66 : index
  // CHECK-NEXT: %[[FITS:.*]] = arith.cmpi uge, %[[ZEROS]], %[[LEAST]] : index
  // CHECK-NEXT: %[[MANY:.*]] = arith.constant 2305843009213693952 : index
  // CHECK-NEXT: %[[SIZE:.*]] = arith.select %[[FITS]], %[[COUNT]], %[[MANY]] : index
  // CHECK-NEXT: memref.alloc(%[[SIZE]])
  %a = loop.realize "a" [0 : %n, 0 : %m] : !loop.tensor<2, f32>
  func.return
}

// A stride with gaps is made of sizes that are not negative, and does not wrap either.
// CHECK-LABEL: func.func @gaps
func.func @gaps(%n: index, %m: index, %k: index) {
  // CHECK: arith.maxsi %k
  // CHECK: arith.maxsi %m
  // CHECK: math.ctlz
  // CHECK: %[[SIZE:.*]] = arith.select
  // CHECK: arith.remsi
  // CHECK: %[[COUNT:.*]] = arith.select
  // CHECK: memref.alloc(%[[COUNT]])
  %a = loop.realize "a" [0 : %n, 0 : %m, 0 : %k] aligned axis 0 factor 32 offset 8 : !loop.tensor<3, f32>
  func.return
}
