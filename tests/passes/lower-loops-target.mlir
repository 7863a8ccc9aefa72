// RUN: teloom-opt %s -p lower-loops --split-input-file --verify-diagnostics

// A target without shared memory.
builtin.module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"memories" = ["global"]>>} {
  func.func @scope() {
    // expected-error@+1 {{lower-loops: there is no memory "shared" on any CPU; it has global}}
    %b = memref.alloc() : memref<8xf32, "shared">
    func.return
  }
}

// -----

// Threads of a target are for another pass than this one.
builtin.module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"thread_axes" = ["threadIdx.x"]>>} {
  func.func @threads() {
    // expected-error@+1 {{lower-loops: no rule for loop.for}}
    loop.for %i = 0 to 8 threadIdx.x {
    }
    func.return
  }
}

// -----

// expected-error@+1 {{dlti.target_system_spec: no entry of a target named line_byte; did you mean 'line_bytes'?}}
builtin.module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"line_byte" = 64 : i64>>} {
}

// -----

// expected-error@+1 {{dlti.target_system_spec: there is no device "CPU"}}
builtin.module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<"line_bytes" = 64 : i64>>} {
}
