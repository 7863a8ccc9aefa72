// RUN: teloom-opt %s -p partition-loops | filecheck %s

// A column below 128 has the quotient 0, and is its own remainder. One that goes up to 159 keeps
// both; so does one whose loop has an end that no constant bounds.

// CHECK-LABEL: func.func @rows
func.func @rows(%n: index, %A: memref<512xf32>, %B: memref<480xf32>) {
  %a = loop.bind %A [0 : 4, 0 : 128] : memref<512xf32>
  %b = loop.bind %B [0 : 480] : memref<480xf32>
  loop.for %r = 0 to 3 {
    loop.for %c = 0 to 128 {
      // CHECK: loop.load %a[%r, %c] : f32
      %v = loop.load %a[%r + %c floordiv 128, %c mod 128] : f32
      // CHECK-NEXT: loop.store %v, %b[%r * 128 + %c] : f32
      loop.store %v, %b[%r * 128 + %c floordiv 128 + %c mod 128] : f32
    }
    loop.for %c = 0 to 128 {
      // CHECK: loop.load %a[%r, %c_1] : f32
      // CHECK-NEXT: loop.reduce %v_1 into %b[%r] : f32
      %v = loop.load %a[%r, %c] : f32
      loop.reduce %v into %b[%r + %c floordiv 128] : f32 combine (%x, %y) identity [0.0 : f32] {
        %s = arith.addf %x, %y : f32
        loop.yield %s : f32
      }
    }
    loop.for %c = 0 to 160 {
      // CHECK: loop.load %a[%r + %c_2 floordiv 128, %c_2 mod 128] : f32
      %v = loop.load %a[%r + %c floordiv 128, %c mod 128] : f32
      loop.store %v, %b[%r * 160 + %c] : f32
    }
    loop.for %c = 0 to %n {
      // CHECK: loop.load %a[%r, %c_3 mod 128] : f32
      %v = loop.load %a[%r, %c mod 128] : f32
      loop.store %v, %b[%r * 128 + %c floordiv 128 + %c mod 128] : f32
    }
  }
  func.return
}

// -----

// Columns of a ring: the quotient changes once, or at both ends. Rows are left as they are.
// CHECK-LABEL: func.func @ring
func.func @ring(%A: memref<40xf32>, %B: memref<84xf32>) {
  %a = loop.bind %A [0 : 4, 0 : 10] : memref<40xf32>
  %b = loop.bind %B [0 : 4, 0 : 21] : memref<84xf32>
  // CHECK:      loop.for %i = 0 to 4 {
  // CHECK-NEXT:   loop.for %j = 0 to 7 vectorized {
  // CHECK-NEXT:     loop.load %a[(%i + 1) mod 4, %j + 3] : f32
  // CHECK:        loop.for %j_1 = 7 to 10 vectorized {
  // CHECK-NEXT:     loop.load %a[(%i + 1) mod 4, %j_1 - 7] : f32
  loop.for %i = 0 to 4 {
    loop.for %j = 0 to 10 vectorized {
      %x = loop.load %a[(%i + 1) mod 4, (%j + 3) mod 10] : f32
      loop.store %x, %b[%i, %j] : f32
    }
  }
  // CHECK:      loop.for %m = 0 to 1 vectorized {
  // CHECK-NEXT:   loop.load %a[0, 9] : f32
  // CHECK:      loop.for %m_1 = 1 to 11 vectorized {
  // CHECK-NEXT:   loop.load %a[0, %m_1 - 1] : f32
  // CHECK:      loop.for %m_2 = 11 to 12 vectorized {
  // CHECK-NEXT:   loop.load %a[0, 0] : f32
  loop.for %m = 0 to 12 vectorized {
    %x = loop.load %a[0, (%m + 9) mod 10] : f32
    loop.store %x, %b[0, %m] : f32
  }
  // Where it changes often, the loop stays one.
  // CHECK:      loop.for %o = 0 to 21 vectorized {
  // CHECK-NEXT:   loop.load %a[0, %o mod 5] : f32
  // CHECK-NOT:  loop.for
  loop.for %o = 0 to 21 vectorized {
    %x = loop.load %a[0, %o mod 5] : f32
    loop.store %x, %b[0, %o] : f32
  }
  func.return
}
