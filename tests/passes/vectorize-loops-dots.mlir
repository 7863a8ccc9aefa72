// RUN: teloom-opt %s -p vectorize-loops --cpu znver4 | filecheck %s --check-prefixes VNNI,ALL
// RUN: teloom-opt %s -p vectorize-loops --cpu x86-64-v3 | filecheck %s --check-prefixes PAIRS,ALL
// RUN: teloom-opt %s -p vectorize-loops | filecheck %s --check-prefixes ANY,ALL
// RUN: teloom-opt %s -p "vectorize-loops{flush=true}" --cpu znver4 | filecheck %s --check-prefixes FLUSH

// A tile of a product: each lane has a column of B, all have the row of A. The target says how
// many products an instruction adds up, and of what.
// ALL-LABEL: func.func @packed
func.func @packed(%A: memref<4xi8>, %B: memref<64xi8>, %C: memref<16xi32>) {
  // VNNI: %[[A:.*]] = vector.load %A[{{.*}}] : memref<4xi8>, vector<4xi8>
  // VNNI: %[[B:.*]] = vector.load %B[{{.*}}] : memref<64xi8>, vector<64xi8>
  // VNNI: %[[C:.*]] = vector.load %C[{{.*}}] : memref<16xi32>, vector<16xi32>
  // VNNI-NEXT: %[[EACH:.*]] = vector.shuffle %[[A]], %[[A]] [0, 1, 2, 3, 0, 1, 2, 3,
  // VNNI-NEXT: %[[S:.*]] = loop.dot unsigned %[[EACH]], %[[B]] into %[[C]] : vector<64xi8>, vector<64xi8>, vector<16xi32>
  // VNNI-NEXT: vector.store %[[S]], %C
  // PAIRS: vector.shuffle %{{.*}}, %{{.*}} [0, 1] : vector<4xi8>, vector<4xi8>
  // PAIRS-NEXT: arith.extui %{{.*}} : vector<2xi8> to vector<2xi16>
  // PAIRS: vector.shuffle %{{.*}}, %{{.*}} [0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29] : vector<32xi8>, vector<32xi8>
  // PAIRS-NEXT: arith.extsi %{{.*}} : vector<16xi8> to vector<16xi16>
  // PAIRS-NEXT: %[[S:.*]] = loop.dot %{{.*}}, %{{.*}} into %{{.*}} : vector<16xi16>, vector<16xi16>, vector<8xi32>
  // PAIRS: loop.dot %{{.*}}, %{{.*}} into %[[S]]
  // ANY-NOT: loop.dot
  loop.for %j = 0 to 16 vectorized {
    loop.for %k = 0 to 4 {
      %c = memref.load %C[%j] : memref<16xi32>
      %a = memref.load %A[%k] : memref<4xi8>
      %at = affine.apply affine_map<(d0, d1) -> (d0 * 4 + d1)> (%j, %k)
      %b = memref.load %B[%at] : memref<64xi8>
      %x = arith.extsi %b : i8 to i32
      %y = arith.extui %a : i8 to i32
      %p = arith.muli %x, %y : i32
      %s = arith.addi %p, %c : i32
      memref.store %s, %C[%j] : memref<16xi32>
    }
  }
  func.return
}

// Neighbours that are not those of one lane are loaded as others are.
// ALL-LABEL: func.func @far
// ALL-NOT: loop.dot
func.func @far(%A: memref<2xi16>, %B: memref<48xi16>, %C: memref<16xi32>) {
  loop.for %j = 0 to 16 vectorized {
    loop.for %k = 0 to 2 {
      %c = memref.load %C[%j] : memref<16xi32>
      %a = memref.load %A[%k] : memref<2xi16>
      %at = affine.apply affine_map<(d0, d1) -> (d0 * 3 + d1)> (%j, %k)
      %b = memref.load %B[%at] : memref<48xi16>
      %x = arith.extsi %b : i16 to i32
      %y = arith.extsi %a : i16 to i32
      %p = arith.muli %x, %y : i32
      %s = arith.addi %c, %p : i32
      memref.store %s, %C[%j] : memref<16xi32>
    }
  }
  func.return
}

// The instruction for bfloat16 takes subnormal numbers for 0: only where that is allowed.
// ALL-LABEL: func.func @bfloats
// ALL-NOT: loop.dot
// FLUSH-LABEL: func.func @bfloats
// FLUSH: loop.dot %{{.*}}, %{{.*}} into %{{.*}} : vector<32xbf16>, vector<32xbf16>, vector<16xf32>
func.func @bfloats(%A: memref<2xbf16>, %B: memref<32xbf16>, %C: memref<16xf32>) {
  loop.for %j = 0 to 16 vectorized {
    loop.for %k = 0 to 2 {
      %c = memref.load %C[%j] : memref<16xf32>
      %a = memref.load %A[%k] : memref<2xbf16>
      %at = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1)> (%j, %k)
      %b = memref.load %B[%at] : memref<32xbf16>
      %x = arith.extf %b : bf16 to f32
      %y = arith.extf %a : bf16 to f32
      %p = arith.mulf %x, %y : f32
      %s = arith.addf %c, %p : f32
      memref.store %s, %C[%j] : memref<16xf32>
    }
  }
  func.return
}

// The last columns of a row: a load under a mask takes all products of the lanes that there are.
// Few machines have one for bytes.
// ALL-LABEL: func.func @last
func.func @last(%A: memref<4xi8>, %B: memref<64xi8>, %C: memref<16xi32>, %n: index) {
  // VNNI: %[[M:.*]] = arith.cmpi slt, %{{.*}} : vector<16xindex>
  // VNNI: %[[FOUR:.*]] = vector.shuffle %[[M]], %[[M]] [0, 0, 0, 0, 1, 1, 1, 1, {{.*}}] : vector<16xi1>, vector<16xi1>
  // VNNI: %[[B:.*]] = vector.maskedload %B[%{{.*}}], %[[FOUR]], %{{.*}} : memref<64xi8>, vector<64xi1>, vector<64xi8> into vector<64xi8>
  // VNNI: loop.dot unsigned %{{.*}}, %[[B]] into %{{.*}} : vector<64xi8>, vector<64xi8>, vector<16xi32>
  // PAIRS-NOT: loop.dot
  loop.for %j = 0 to 16 vectorized {
    %there = arith.cmpi slt, %j, %n : index
    loop.for %k = 0 to 4 {
      %at = affine.apply affine_map<(d0, d1) -> (d0 * 4 + d1)> (%j, %k)
      %b = scf.if %there -> (i8) {
        %v = memref.load %B[%at] : memref<64xi8>
        scf.yield %v : i8
      } else {
        %zero = arith.constant 0 : i8
        scf.yield %zero : i8
      }
      %a = memref.load %A[%k] : memref<4xi8>
      %c = memref.load %C[%j] : memref<16xi32>
      %x = arith.extsi %b : i8 to i32
      %y = arith.extui %a : i8 to i32
      %p = arith.muli %y, %x : i32
      %s = arith.addi %c, %p : i32
      memref.store %s, %C[%j] : memref<16xi32>
    }
  }
  func.return
}

// A factor that is one where there is no lane, and one whose condition is another for each product.
// ALL-LABEL: func.func @otherwise
// ALL-NOT: loop.dot
func.func @otherwise(%A: memref<4xi8>, %B: memref<64xi8>, %C: memref<16xi32>, %n: index) {
  loop.for %j = 0 to 16 vectorized {
    %there = arith.cmpi slt, %j, %n : index
    loop.for %k = 0 to 4 {
      %at = affine.apply affine_map<(d0, d1) -> (d0 * 4 + d1)> (%j, %k)
      %b = scf.if %there -> (i8) {
        %v = memref.load %B[%at] : memref<64xi8>
        scf.yield %v : i8
      } else {
        %one = arith.constant 1 : i8
        scf.yield %one : i8
      }
      %a = memref.load %A[%k] : memref<4xi8>
      %c = memref.load %C[%j] : memref<16xi32>
      %x = arith.extsi %b : i8 to i32
      %y = arith.extui %a : i8 to i32
      %p = arith.muli %y, %x : i32
      %s = arith.addi %c, %p : i32
      memref.store %s, %C[%j] : memref<16xi32>
    }
    loop.for %k = 0 to 4 {
      %at = affine.apply affine_map<(d0, d1) -> (d0 * 4 + d1)> (%j, %k)
      %inside = arith.cmpi slt, %at, %n : index
      %b = scf.if %inside -> (i8) {
        %v = memref.load %B[%at] : memref<64xi8>
        scf.yield %v : i8
      } else {
        %zero = arith.constant 0 : i8
        scf.yield %zero : i8
      }
      %a = memref.load %A[%k] : memref<4xi8>
      %c = memref.load %C[%j] : memref<16xi32>
      %x = arith.extsi %b : i8 to i32
      %y = arith.extui %a : i8 to i32
      %p = arith.muli %y, %x : i32
      %s = arith.addi %c, %p : i32
      memref.store %s, %C[%j] : memref<16xi32>
    }
  }
  func.return
}
