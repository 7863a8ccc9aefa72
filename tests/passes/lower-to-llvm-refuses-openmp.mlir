// RUN: not teloom-opt %s -p lower-to-llvm 2>&1 | filecheck %s

// A function of the program cannot have the name of one that lowered code calls.
// CHECK: 5:1: error: lower-to-llvm: @omp_get_max_threads is OpenMP's; name the function otherwise
func.func @omp_get_max_threads() {
  func.return
}
