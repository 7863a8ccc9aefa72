// RUN: not teloom-translate %s --to asm 2>&1 | filecheck %s
// RUN: not teloom-translate %s --to so -o %t.so 2>&1 | filecheck %s --check-prefix LIBRARY

// A CPU alone does not say for which architecture code is.
// CHECK: teloom-translate: error: machine code needs a target with an architecture, such as x86-64-v3 or native
// LIBRARY: error: a library needs a target with an architecture, such as x86-64-v3 or native
builtin.module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"cpu" = "znver4">>} {
  func.func @f(%A: memref<4xf32>) {
    func.return
  }
}
