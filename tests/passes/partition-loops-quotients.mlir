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
