// RUN: not teloom-opt %s -p normalize-loops --split-input-file 2>&1 | filecheck %s

// CHECK: error: normalize-loops: affine.parallel reduces by "assign"; there are addf, addi, andi
func.func @last(%x: f32) {
  %s = affine.parallel (%i) = (0) to (10) reduce ("assign") -> (f32) {
    affine.yield %x : f32
  }
  func.return
}

// -----

// CHECK: error: normalize-loops: affine.parallel reduces values of type index
func.func @places(%x: index) {
  %s = affine.parallel (%i) = (0) to (10) reduce ("addi") -> (index) {
    affine.yield %x : index
  }
  func.return
}
