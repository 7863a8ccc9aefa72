// RUN: teloom-opt %s -p lower-loops --cpu znver4 | filecheck %s --check-prefixes VNNI,ALL
// RUN: teloom-opt %s -p lower-loops --cpu skylake-avx512 | filecheck %s --check-prefixes WIDE,ALL
// RUN: teloom-opt %s -p lower-loops | filecheck %s --check-prefixes ANY,ALL

// The target's instruction, which adds to the sums itself.
// ALL-LABEL: func.func @bytes
func.func @bytes(%a: vector<64xi8>, %b: vector<64xi8>, %s: vector<16xi32>) -> vector<16xi32> {
  // VNNI-NEXT: %[[T:.*]] = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%s, %a, %b) : (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
  // VNNI-NEXT: func.return %[[T]]
  // WIDE-NOT: llvm
  %t = loop.dot unsigned %a, %b into %s : vector<64xi8>, vector<64xi8>, vector<16xi32>
  func.return %t : vector<16xi32>
}

// Of two factors with a sign one has its first bit flipped; what is too much then is subtracted.
// ALL-LABEL: func.func @signed_bytes
func.func @signed_bytes(%a: vector<64xi8>, %b: vector<64xi8>, %s: vector<16xi32>) -> vector<16xi32> {
  // VNNI-DAG: %[[FIRST:.*]] = arith.constant dense<-128> : vector<64xi8>
  // VNNI-DAG: %[[ZERO:.*]] = arith.constant dense<0> : vector<16xi32>
  // VNNI: %[[MORE:.*]] = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%[[ZERO]], %[[FIRST]], %b)
  // VNNI-NEXT: %[[LESS:.*]] = arith.subi %s, %[[MORE]]
  // VNNI-NEXT: %[[A:.*]] = arith.xori %a, %[[FIRST]]
  // VNNI-NEXT: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%[[LESS]], %[[A]], %b)
  // WIDE-NOT: llvm
  %t = loop.dot %a, %b into %s : vector<64xi8>, vector<64xi8>, vector<16xi32>
  func.return %t : vector<16xi32>
}

// And so has the second one, if neither has a sign.
// ALL-LABEL: func.func @unsigned_bytes
func.func @unsigned_bytes(%a: vector<64xi8>, %b: vector<64xi8>, %s: vector<16xi32>) -> vector<16xi32> {
  // VNNI: %[[MORE:.*]] = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%{{.*}}, %a, %[[FIRST:.*]]) :
  // VNNI-NEXT: %[[LESS:.*]] = arith.subi %s, %[[MORE]]
  // VNNI-NEXT: %[[B:.*]] = arith.xori %b, %[[FIRST]]
  // VNNI-NEXT: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%[[LESS]], %a, %[[B]])
  %t = loop.dot unsigned %a, unsigned %b into %s : vector<64xi8>, vector<64xi8>, vector<16xi32>
  func.return %t : vector<16xi32>
}

// Or that gives the sum of two products.
// ALL-LABEL: func.func @halves
func.func @halves(%a: vector<32xi16>, %b: vector<32xi16>, %s: vector<16xi32>) -> vector<16xi32> {
  // WIDE-NEXT: %[[P:.*]] = llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"(%a, %b)
  // WIDE-NEXT: arith.addi %s, %[[P]] : vector<16xi32>
  // ANY-NOT: llvm
  %t = loop.dot %a, %b into %s : vector<32xi16>, vector<32xi16>, vector<16xi32>
  func.return %t : vector<16xi32>
}

// What no instruction does is one neighbour after the other.
// ALL-LABEL: func.func @others
func.func @others(%a: vector<4xi16>, %b: vector<4xi8>, %s: vector<2xi64>) -> vector<2xi64> {
  // ALL-NEXT: %[[A:.*]] = vector.shuffle %a, %a [0, 2] : vector<4xi16>, vector<4xi16>
  // ALL-NEXT: %[[X:.*]] = arith.extui %[[A]] : vector<2xi16> to vector<2xi64>
  // ALL-NEXT: %[[B:.*]] = vector.shuffle %b, %b [0, 2] : vector<4xi8>, vector<4xi8>
  // ALL-NEXT: %[[Y:.*]] = arith.extsi %[[B]] : vector<2xi8> to vector<2xi64>
  // ALL-NEXT: %[[P:.*]] = arith.muli %[[X]], %[[Y]]
  // ALL-NEXT: %[[S:.*]] = arith.addi %s, %[[P]]
  // ALL: vector.shuffle %a, %a [1, 3]
  // ALL: arith.addi %[[S]]
  %t = loop.dot unsigned %a, %b into %s : vector<4xi16>, vector<4xi8>, vector<2xi64>
  func.return %t : vector<2xi64>
}

// Products of bf16 are exact in f32; the instruction adds that of the last neighbour first.
// ALL-LABEL: func.func @floats
func.func @floats(%a: vector<32xbf16>, %b: vector<32xbf16>, %s: vector<16xf32>) -> vector<16xf32> {
  // VNNI-NEXT: %[[T:.*]] = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%s, %a, %b) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
  // VNNI-NEXT: func.return %[[T]]
  // WIDE: vector.shuffle %a, %a [1, 3, 5,
  // WIDE-NEXT: arith.extf {{.*}} : vector<16xbf16> to vector<16xf32>
  // WIDE: %[[P:.*]] = arith.mulf
  // WIDE-NEXT: %[[S:.*]] = arith.addf %s, %[[P]]
  // WIDE: vector.shuffle %a, %a [0, 2, 4,
  // WIDE: %[[Q:.*]] = arith.mulf
  // WIDE-NEXT: arith.addf %[[S]], %[[Q]]
  %t = loop.dot %a, %b into %s : vector<32xbf16>, vector<32xbf16>, vector<16xf32>
  func.return %t : vector<16xf32>
}
