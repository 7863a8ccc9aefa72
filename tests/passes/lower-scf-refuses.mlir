// RUN: not teloom-opt %s -p lower-scf 2>&1 | filecheck %s

// CHECK: 5:3: error: lower-scf: cannot lower scf.execute_region
func.func @f() {
  scf.execute_region {
    scf.yield
  }
  func.return
}
