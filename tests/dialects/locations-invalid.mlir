// RUN: not teloom-opt %s --split-input-file 2>&1 | filecheck %s

// CHECK: undefined symbol alias '#loc1'
func.func @f() {
  func.return loc(#loc1)
}

// -----

// CHECK: location #loc1 is part of itself
func.func @f() {
  func.return loc(#loc1)
}
#loc1 = loc("a"(#loc2))
#loc2 = loc("b"(#loc1))
