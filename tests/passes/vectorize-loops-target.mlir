// RUN: teloom-opt %s --cpu x86-64 -p vectorize-loops | filecheck %s --check-prefixes CHECK,NARROW
// RUN: teloom-opt %s --cpu znver5 -p vectorize-loops | filecheck %s --check-prefixes CHECK,WIDE

// A vector has as many lanes as a register of the CPU, which the module says from now on.
// CHECK: dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<
// NARROW-SAME: "cpu" = "x86-64", "vector_bytes" = 16 : i64, "vector_registers" = 16 : i64
// WIDE-SAME: "cpu" = "x86-64-v4", "tune" = "znver5"
// CHECK-LABEL: func.func @copy
func.func @copy(%A: memref<64xf32>, %B: memref<64xf32>) {
  // NARROW: vector.load {{.*}} vector<4xf32>
  // WIDE: vector.load {{.*}} vector<16xf32>
  loop.for %i = 0 to 64 vectorized {
    %a = memref.load %A[%i] : memref<64xf32>
    memref.store %a, %B[%i] : memref<64xf32>
  }
  func.return
}
