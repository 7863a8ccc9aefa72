// RUN: TELOOM_ROUNDTRIP %s | filecheck %s

// Comparisons and choices, lane by lane, beside those of scalars.
// CHECK-LABEL: func.func @choices
func.func @choices(%a: vector<4xf32>, %i: vector<4xindex>, %x: f32, %n: index) {
  // CHECK: %c = arith.cmpf olt, %a, %a : vector<4xf32>
  %c = arith.cmpf olt, %a, %a : vector<4xf32>
  // CHECK: arith.cmpf ogt, %a, %a fastmath<nnan> : vector<4xf32>
  %d = arith.cmpf ogt, %a, %a fastmath<nnan> : vector<4xf32>
  // CHECK: %e = arith.cmpf olt, %x, %x : f32
  %e = arith.cmpf olt, %x, %x : f32
  // CHECK: arith.cmpi slt, %i, %i : vector<4xindex>
  %f = arith.cmpi slt, %i, %i : vector<4xindex>
  // CHECK: arith.cmpi slt, %n, %n : index
  %g = arith.cmpi slt, %n, %n : index
  // CHECK: arith.select %c, %a, %a : vector<4xi1>, vector<4xf32>
  %h = arith.select %c, %a, %a : vector<4xi1>, vector<4xf32>
  // CHECK: arith.select %e, %a, %a : vector<4xf32>
  %j = arith.select %e, %a, %a : vector<4xf32>
  // CHECK: arith.select %e, %x, %x : f32
  %k = arith.select %e, %x, %x : f32
  func.return
}

// Conversions, lane by lane.
// CHECK-LABEL: func.func @conversions
func.func @conversions(%a: vector<4xf32>, %i: vector<4xindex>, %x: f32, %n: i8) {
  // CHECK: arith.fptosi %a : vector<4xf32> to vector<4xi32>
  %b = arith.fptosi %a : vector<4xf32> to vector<4xi32>
  // CHECK: arith.fptoui %a : vector<4xf32> to vector<4xi8>
  %c = arith.fptoui %a : vector<4xf32> to vector<4xi8>
  // CHECK: arith.fptosi %x : f32 to i32
  %d = arith.fptosi %x : f32 to i32
  // CHECK: arith.index_cast %i : vector<4xindex> to vector<4xi32>
  %e = arith.index_cast %i : vector<4xindex> to vector<4xi32>
  // CHECK: arith.index_castui %i : vector<4xindex> to vector<4xi8>
  %u = arith.index_castui %i : vector<4xindex> to vector<4xi8>
  // CHECK: arith.index_castui %n : i8 to index
  %w = arith.index_castui %n : i8 to index
  // CHECK: arith.extsi %c : vector<4xi8> to vector<4xi32>
  %f = arith.extsi %c : vector<4xi8> to vector<4xi32>
  // CHECK: arith.extui %c : vector<4xi8> to vector<4xi32>
  %g = arith.extui %c : vector<4xi8> to vector<4xi32>
  // CHECK: arith.trunci %b : vector<4xi32> to vector<4xi8>
  %h = arith.trunci %b : vector<4xi32> to vector<4xi8>
  // CHECK: arith.sitofp %b : vector<4xi32> to vector<4xf32>
  %j = arith.sitofp %b : vector<4xi32> to vector<4xf32>
  // CHECK: arith.uitofp %b : vector<4xi32> to vector<4xf32>
  %k = arith.uitofp %b : vector<4xi32> to vector<4xf32>
  func.return
}
