// RUN: not teloom-translate %s --to c 2>&1 | filecheck %s
// RUN: not teloom-translate %s --to cc 2>&1 | filecheck %s --check-prefix=KIND
// RUN: not teloom-translate %s --to asm --vectors loops 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not teloom-translate nowhere.mlir --to c 2>&1 | filecheck %s --check-prefix=FILE
// RUN: not teloom-translate %s --to obj -o nowhere/f.o --cpu znver3 2>&1 | filecheck %s --check-prefix=LEFT

// An op that C has no words for is named, with its place.

// KIND:   teloom-translate: error: argument --to: there is no 'cc'; did you mean 'c'?
// OPTION: teloom-translate: error: no option of asm named vectors; there are: none
// FILE:   nowhere.mlir:1:1: error: cannot be read: No such file or directory
// LEFT:   translate-refuses.mlir:{{[0-9]+}}:3: error: {{.*}}cannot lower scf.execute_region
func.func @f() {
  // CHECK: translate-refuses.mlir:{{[0-9]+}}:3: error: cannot write scf.execute_region in C
  scf.execute_region {
    scf.yield
  }
  func.return
}
