// RUN: not teloom-opt %s --split-input-file 2>&1 | filecheck %s

// A condition with another number of lanes.
// CHECK: error: vector<4xi1> does not choose lanes of vector<8xf32>
func.func @lanes(%c: vector<4xi1>, %a: vector<8xf32>) {
  %x = arith.select %c, %a, %a : vector<4xi1>, vector<8xf32>
  func.return
}

// -----

// A conversion that changes the number of lanes.
// CHECK: error: vector<4xi32> and vector<8xf32> have different numbers of lanes
func.func @cast(%a: vector<4xi32>) {
  %x = arith.sitofp %a : vector<4xi32> to vector<8xf32>
  func.return
}

// -----

// CHECK: error: i16 is not wider than i32
func.func @wider(%a: vector<4xi32>) {
  %x = arith.extsi %a : vector<4xi32> to vector<4xi16>
  func.return
}

// -----

// CHECK: error: one of i64 and i32 has to be index
func.func @index(%a: vector<4xi64>) {
  %x = arith.index_cast %a : vector<4xi64> to vector<4xi32>
  func.return
}

// -----

// CHECK: error: one of i8 and i32 has to be index
func.func @unsigned(%a: i8) {
  %x = arith.index_castui %a : i8 to i32
  func.return
}

// -----

// CHECK: error: vector<4xindex> and vector<8xi8> have different numbers of lanes
func.func @lanes(%a: vector<4xindex>) {
  %x = arith.index_castui %a : vector<4xindex> to vector<8xi8>
  func.return
}

// -----

// CHECK: error: less is none of eq, ne, slt
func.func @predicate(%a: vector<4xi64>) {
  %x = arith.cmpi less, %a, %a : vector<4xi64>
  func.return
}
