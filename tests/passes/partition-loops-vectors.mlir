// RUN: teloom-opt %s --cpu x86-64-v4 -p partition-loops | filecheck %s --check-prefixes CHECK,MASKS
// RUN: teloom-opt %s --cpu x86-64 -p partition-loops | filecheck %s --check-prefixes CHECK,SHORT
// RUN: teloom-opt %s --cpu znver3 -p partition-loops | filecheck %s --check-prefix AMD

// 63 lanes would be three vectors of 16 and four shorter ones: temporaries have room for four whole
// vectors, and masks leave out what is behind the end of an argument.
// CHECK-LABEL: func.func @sums
func.func @sums(%A: memref<441xf32>, %C: memref<63xf32>) {
  %a = loop.bind %A [0 : 7, 0 : 63] : memref<441xf32>
  %c = loop.bind %C [0 : 63] : memref<63xf32>
  %zero = arith.constant 0.0 : f32
  // MASKS: %s = loop.realize "s" [0 : 64]
  // SHORT: %s = loop.realize "s" [0 : 63]
  %s = loop.realize "s" [0 : 63] : !loop.tensor<1, f32>
  // MASKS: loop.for %i = 0 to 64 vectorized
  // SHORT: loop.for %i = 0 to 63 vectorized
  loop.for %i = 0 to 63 vectorized {
    // MASKS: loop.init {{.*}}, %s[%i]
    loop.init %zero, %s[%i] : f32
  }
  loop.for %k = 0 to 7 {
    // MASKS: loop.for %i_1 = 0 to 64 vectorized {
    // MASKS: %[[THERE:.*]] = arith.cmpi slt, %i_1, %{{.*}}
    // MASKS: scf.if %[[THERE]]
    // MASKS: loop.load %a[%k, %i_1]
    // MASKS: loop.reduce {{.*}} into %s[%i_1]
    loop.for %i = 0 to 63 vectorized {
      %x = loop.load %a[%k, %i] : f32
      loop.reduce %x into %s[%i] : f32 combine (%p, %q) {
        %sum = arith.addf %p, %q : f32
        loop.yield %sum : f32
      }
    }
  }
  // A tile of 64 that is rounded up, and is all of an axis, is such a loop.
  // MASKS: loop.for %i_2 = 0 to 64 vectorized {
  // MASKS: %[[THERE:.*]] = arith.cmpi slt, %i_2, %{{.*}}
  // MASKS: %t = loop.load %s[%i_2]
  // MASKS: scf.if %[[THERE]]
  // MASKS: loop.store %t, %c[%i_2]
  loop.for %i = 0 to 63 vectorized attributes {loop.tail = "round_up"} {
    %t = loop.load %s[%i] : f32
    loop.store %t, %c[%i] : f32
  }
  func.return
}

// Where the end is one shorter vector, a mask saves nothing.
// CHECK-LABEL: func.func @one_short_vector
func.func @one_short_vector(%A: memref<20xf32>, %B: memref<20xf32>) {
  %a = loop.bind %A [0 : 20] : memref<20xf32>
  %b = loop.bind %B [0 : 20] : memref<20xf32>
  // CHECK: loop.for %i = 0 to 20 vectorized
  loop.for %i = 0 to 20 vectorized {
    %x = loop.load %a[%i] : f32
    loop.store %x, %b[%i] : f32
  }
  func.return
}

// Lanes that are not neighbours in memory are not masked.
// CHECK-LABEL: func.func @column
func.func @column(%A: memref<63xf32>, %B: memref<126xf32>) {
  %a = loop.bind %A [0 : 63] : memref<63xf32>
  %b = loop.bind %B [0 : 63, 0 : 2] : memref<126xf32>
  // CHECK: loop.for %i = 0 to 63 vectorized
  loop.for %i = 0 to 63 vectorized {
    %x = loop.load %a[%i] : f32
    loop.store %x, %b[%i, 1] : f32
  }
  func.return
}

// Lanes beyond the end would be added to the element of all lanes.
// CHECK-LABEL: func.func @one_sum
func.func @one_sum(%A: memref<63xf32>, %B: memref<1xf32>) {
  %a = loop.bind %A [0 : 63] : memref<63xf32>
  %b = loop.bind %B [0 : 1] : memref<1xf32>
  // CHECK: loop.for %i = 0 to 63 vectorized
  loop.for %i = 0 to 63 vectorized {
    %x = loop.load %a[%i] : f32
    loop.reduce %x into %b[0] : f32 combine (%p, %q) {
      %sum = arith.addf %p, %q : f32
      loop.yield %sum : f32
    }
  }
  func.return
}

// A loop of which the schedule says that it is not divided is as it is, and one that streams.
// CHECK-LABEL: func.func @said
func.func @said(%A: memref<63xf32>, %B: memref<63xf32>) {
  %a = loop.bind %A [0 : 63] : memref<63xf32>
  %b = loop.bind %B [0 : 63] : memref<63xf32>
  // CHECK: loop.for %i = 0 to 63 vectorized
  loop.for %i = 0 to 63 vectorized attributes {loop.partition = "never"} {
    %x = loop.load %a[%i] : f32
    loop.store %x, %b[%i] : f32
  }
  // CHECK: loop.for %i_1 = 0 to 63 vectorized
  loop.for %i = 0 to 63 vectorized {
    %x = loop.load %a[%i] : f32
    loop.store %x, %b[%i] : f32 streamed
  }
  func.return
}

// What is left over behind whole tiles is a number of lanes that is known, too.
// CHECK-LABEL: func.func @left_over
// AMD-LABEL: func.func @left_over
func.func @left_over(%A: memref<31xf32>, %B: memref<31xf32>) {
  %a = loop.bind %A [0 : 31] : memref<31xf32>
  %b = loop.bind %B [0 : 31] : memref<31xf32>
  // CHECK: loop.for %io_1 = 1 to 2
  // AMD: loop.for %io_1 = 1 to 2
  loop.for %io = 0 to 2 {
    %t = loop.realize "t" [%io * 16 : 16] : !loop.tensor<1, f32>
    // MASKS: loop.for %i_1 = 16 to 32 vectorized
    // SHORT: loop.for %i_1 = 16 to 31 vectorized
    // AMD: loop.for %i_1 = 16 to 32 vectorized
    loop.for %i = %io * 16 to min(31, %io * 16 + 16) vectorized {
      %x = loop.load %a[%i] : f32
      loop.store %x, %t[%i] : f32
    }
    // Stores under masks of AVX2 are slow on some CPUs.
    // MASKS: loop.for %j_1 = 16 to 32 vectorized
    // SHORT: loop.for %j_1 = 16 to 31 vectorized
    // AMD: loop.for %j_1 = 16 to 31 vectorized
    loop.for %j = %io * 16 to min(31, %io * 16 + 16) vectorized {
      %y = loop.load %t[%j] : f32
      loop.store %y, %b[%j] : f32
    }
  }
  func.return
}
