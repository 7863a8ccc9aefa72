// RUN: teloom-opt %s -p lower-loops | filecheck %s

// A size is at most 2^40, so that a few of them, and constants times one of them, fit. One
// below 0 counts as 0.
// CHECK-LABEL: func.func @fits
func.func @fits(%n: index, %m: index) -> index {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[ROW:.*]] = arith.constant 4096 : index
  // CHECK: %[[SUM:.*]] = arith.addi %n, %m
  // CHECK-NEXT: %[[N:.*]] = arith.maxsi %[[SUM]], %[[ZERO]] : index
  // CHECK-NEXT: %count = arith.muli %[[N]], %[[ROW]] : index
  // CHECK-NEXT: func.return %count
  %count = loop.element_count [%n + %m, 4096]
  func.return %count : index
}

// The product of two may not: of as many bits as both together have, 62 are left. What
// takes more counts as 2^61, which no system can give.
// CHECK-LABEL: func.func @product
func.func @product(%n: index, %m: index) -> index {
  // CHECK-DAG: %[[MANY:.*]] = arith.constant 2305843009213693952 : index
  // CHECK-DAG: %[[LEAST:.*]] = arith.constant 66 : index
  // CHECK: %[[N:.*]] = arith.maxsi %n
  // CHECK: %[[M:.*]] = arith.maxsi %m
  // CHECK-NEXT: %[[COUNT:.*]] = arith.muli %[[N]], %[[M]] : index
  // CHECK-NEXT: %[[N_ZEROS:.*]] = math.ctlz %[[N]] : index
  // CHECK-NEXT: %[[M_ZEROS:.*]] = math.ctlz %[[M]] : index
  // CHECK-NEXT: %[[ZEROS:.*]] = arith.addi %[[N_ZEROS]], %[[M_ZEROS]] : index
  // CHECK-NEXT: %[[FITS:.*]] = arith.cmpi uge, %[[ZEROS]], %[[LEAST]] : index
  // CHECK-NEXT: %count = arith.select %[[FITS]], %[[COUNT]], %[[MANY]] : index
  // CHECK-NEXT: func.return %count
  %count = loop.element_count [%n, %m]
  func.return %count : index
}
