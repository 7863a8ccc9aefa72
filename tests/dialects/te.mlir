// RUN: TELOOM_ROUNDTRIP %s | filecheck %s

// Sizes come first; a dynamic dimension has its extent in brackets, a static one needs none.
// CHECK-LABEL: te.func @sizes(%n: index, %m: index, %A: tensor<?x4xf32>[%n * 2 + 1, 4], %B: tensor<3xf64>, %C: tensor<?xui8>[%m floordiv 2]) -> (tensor<?xf32>) {
te.func @sizes(%n: index, %m: index, %A: tensor<?x4xf32>[2 * %n + 1, 4], %B: tensor<3xf64>, %C: tensor<?xui8>[%m floordiv 2]) -> (tensor<?xf32>) {
  // CHECK: te.compute "D" (%i = %n) : tensor<?xf32> {
  %D = te.compute "D" (%i = %n) : tensor<?xf32> {
    // CHECK: te.read %A[%i * 2 + 1, 3] : f32
    %a = te.read %A[%i * 2 - 1 + 2, 3] : f32
    te.yield %a : f32
  }
  // CHECK: te.return %D : tensor<?xf32>
  te.return %D : tensor<?xf32>
}

// Arguments and results are numbered, sizes first; a call may leave sizes out.
// CHECK-LABEL: te.func @call_order(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) order [2, 1] {
te.func @call_order(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) order [2, 1] {
  %B = te.compute "B" (%i = %n) : tensor<?xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %B : tensor<?xf32>
}

// An argument or a result may say how its array lies in memory, part by part.
// CHECK-LABEL: te.func @placed(%n: index, %s: index, %A: tensor<?x4xf32>[%n, 4] strides [%s, 1] offset %n * 2 factor 4 aligned 64, %B: tensor<4xf32> strides [0], %f: tensor<f32> strides [] offset 3) -> (tensor<?x4xf32> strides [1, %n] aligned 32, tensor<2xf32>) {
te.func @placed(%n: index, %s: index, %A: tensor<?x4xf32>[%n, 4] strides [%s, 1] offset 2 * %n factor 4 aligned 64, %B: tensor<4xf32> strides [0] offset 0 factor 1, %f: tensor<f32> strides [] offset 3) -> (tensor<?x4xf32> strides [1, %n] aligned 32, tensor<2xf32>) {
  %C = te.compute "C" (%i = %n, %j = 4) : tensor<?x4xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%i = 2) : tensor<2xf32> {
    %b = te.read %B[%i] : f32
    te.yield %b : f32
  }
  te.return %C, %D : tensor<?x4xf32>, tensor<2xf32>
}

// An argument may have a layout.
// CHECK-LABEL: te.func @laid_out(%A: tensor<4x8xf32> layout affine_map<(d0, d1) -> ((d1 floordiv 4), d0, (d1 mod 4))> separators [1] offset 16 aligned 64) -> () {
te.func @laid_out(%A: tensor<4x8xf32> layout affine_map<(d0, d1) -> (d1 floordiv 4, d0, d1 mod 4)> separators [1] offset 16 aligned 64) -> () {
  te.return
}

// An array may repeat its only element along an axis.
// CHECK-LABEL: te.func @repeated(%n: index, %s: index, %A: tensor<?x4xf32>[%n, 4] strides [%s, 1] factor 2 aligned 64 broadcast) -> () {
te.func @repeated(%n: index, %s: index, %A: tensor<?x4xf32>[%n, 4] strides [%s, 1] factor 2 aligned 64 broadcast) -> () {
  te.return
}

// Nothing in, nothing out.
// CHECK-LABEL: te.func @empty() -> () {
// CHECK-NEXT: te.return
te.func @empty() -> () {
  te.return
}

// A tensor without axes has one element, and is read without subscripts.
// CHECK-LABEL: te.func @scalar
te.func @scalar(%A: tensor<f32>) -> (tensor<f32>) {
  // CHECK: te.compute "B" () : tensor<f32> {
  %B = te.compute "B" () : tensor<f32> {
    // CHECK: te.read %A[] : f32
    %a = te.read %A[] : f32
    te.yield %a : f32
  }
  te.return %B : tensor<f32>
}

// One equation may give several tensors, of one shape and several element types.
// CHECK-LABEL: te.func @two_results
te.func @two_results(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi1>) {
  // CHECK: %D, %P = te.compute "D" (%i = 8) : tensor<8xf32>, tensor<8xi1> {
  %D, %P = te.compute "D" (%i = 8) : tensor<8xf32>, tensor<8xi1> {
    %a = te.read %A[%i] : f32
    %zero = arith.constant 0.0 : f32
    %positive = arith.cmpf ogt, %a, %zero : f32
    // CHECK: te.yield %a, %positive : f32, i1
    te.yield %a, %positive : f32, i1
  }
  // CHECK: te.return %D, %P : tensor<8xf32>, tensor<8xi1>
  te.return %D, %P : tensor<8xf32>, tensor<8xi1>
}

// Reduce axes follow the data axes, from 0 or from a bound of their own; the argmax keeps a pair.
// CHECK-LABEL: te.func @argmax
te.func @argmax(%n: index, %A: tensor<4x?xf32>[4, %n]) -> (tensor<4xi32>, tensor<4xf32>) {
  // CHECK: te.compute "M" (%i = 4) reduce (%k = 1 to %n - 1, %l = 1) : tensor<4xi32>, tensor<4xf32> {
  %M, %V = te.compute "M" (%i = 4) reduce (%k = 1 to %n - 1, %l = 1) : tensor<4xi32>, tensor<4xf32> {
    %a = te.read %A[%i, %k + %l] : f32
    %at = arith.index_cast %k : index to i32
    te.yield %at, %a : i32, f32
  // CHECK: } combine (%p: i32, %x: f32, %q: i32, %y: f32) identity [-1 : i32, 0xff800000 : f32] {
  } combine (%p: i32, %x: f32, %q: i32, %y: f32) identity [-1 : i32, 0xff800000 : f32] {
    %first = arith.cmpf oge, %x, %y : f32
    %r = arith.select %first, %p, %q : i32
    %z = arith.select %first, %x, %y : f32
    te.yield %r, %z : i32, f32
  }
  te.return %M, %V : tensor<4xi32>, tensor<4xf32>
}

// A fold may start from an element of its own instead of the identity.
// CHECK-LABEL: te.func @bias
te.func @bias(%A: tensor<4x8xf32>, %B: tensor<4xf32>) -> (tensor<4xf32>) {
  %S = te.compute "S" (%i = 4) reduce (%k = 8) : tensor<4xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  // CHECK: } init (%i_1) {
  } init (%i) {
    // CHECK-NEXT: te.read %B[%i_1] : f32
    %b = te.read %B[%i] : f32
    te.yield %b : f32
  }
  te.return %S : tensor<4xf32>
}

// A fold that starts from an init may have an identity that is not known.
// CHECK-LABEL: te.func @start
te.func @start(%A: tensor<4x8xf32>, %B: tensor<4xf32>) -> (tensor<4xf32>) {
  %S = te.compute "S" (%i = 4) reduce (%k = 8) : tensor<4xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  // CHECK: } combine (%x: f32, %y: f32) {
  } combine (%x: f32, %y: f32) {
    %s = arith.maximumf %x, %y : f32
    te.yield %s : f32
  } init (%i) {
    %b = te.read %B[%i] : f32
    te.yield %b : f32
  }
  te.return %S : tensor<4xf32>
}

// A fold may combine with what the body yields behind the values, the same at all of its points.
// CHECK-LABEL: te.func @clipped
te.func @clipped(%A: tensor<4x8xf32>, %B: tensor<4xf32>) -> (tensor<4xf32>) {
  %S = te.compute "S" (%i = 4) reduce (%k = 8) : tensor<4xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %B[%i] : f32
    // CHECK: te.yield %a, %b : f32, f32
    te.yield %a, %b : f32, f32
  // CHECK: } combine (%x: f32, %y: f32, %most: f32) {
  } combine (%x: f32, %y: f32, %most: f32) {
    %s = arith.addf %x, %y : f32
    %c = arith.minimumf %s, %most : f32
    te.yield %c : f32
  } init (%i) {
    %zero = arith.constant 0.0 : f32
    te.yield %zero : f32
  }
  te.return %S : tensor<4xf32>
}

// A subscript may be any index value; an element of an unsigned tensor is a scalar without a sign.
// CHECK-LABEL: te.func @gather
te.func @gather(%A: tensor<9x4xui8>, %B: tensor<5xi32>) -> (tensor<5x4xui8>) {
  %G = te.compute "G" (%i = 5, %j = 4) : tensor<5x4xui8> {
    %b = te.read %B[%i] : i32
    %row = arith.index_cast %b : i32 to index
    // CHECK: te.read %A[%row, %j ceildiv 2 + %i mod 3] : i8
    %a = te.read %A[%row, %j ceildiv 2 + %i mod 3] : i8
    te.yield %a : i8
  }
  te.return %G : tensor<5x4xui8>
}

// A product is written value first and multiplied out; parentheses stay where they are needed.
// CHECK-LABEL: te.func @subscripts
te.func @subscripts(%A: tensor<99xf32>) -> (tensor<4x4xf32>) {
  %B = te.compute "B" (%i = 4, %j = 4) : tensor<4x4xf32> {
    // CHECK: te.read %A[%i * 2 + %j * 2] : f32
    %0 = te.read %A[2 * (%i + %j)] : f32
    // CHECK: te.read %A[(%i + %j * 4) floordiv 2 mod 3] : f32
    %1 = te.read %A[(%i + 4 * %j) floordiv 2 mod 3] : f32
    // CHECK: te.read %A[%i * -1 + %j + 3] : f32
    %2 = te.read %A[-%i + %j + 3] : f32
    te.yield %0 : f32
  }
  te.return %B : tensor<4x4xf32>
}

// Both bounds of a promise are affine expressions.
// CHECK-LABEL: te.func @bounded
te.func @bounded(%n: index, %A: tensor<?xf32>[%n], %B: tensor<5xi32>) -> (tensor<5xf32>) {
  %G = te.compute "G" (%i = 5) : tensor<5xf32> {
    %b = te.read %B[%i] : i32
    %near = arith.index_cast %b : i32 to index
    // CHECK: %at = te.bounded %near in %i * 2 - 1 to %n
    %at = te.bounded %near in 2 * %i - 1 to %n
    %a = te.read %A[%at] : f32
    te.yield %a : f32
  }
  te.return %G : tensor<5xf32>
}

// An extern names the tensors that it fills; a dynamic one has its extents in brackets.
// CHECK-LABEL: te.func @extern
te.func @extern(%n: index, %A: tensor<?x8xui8>[%n, 8]) -> (tensor<?xi8>, tensor<f32>) {
  // CHECK: te.extern "C" (%c: tensor<?xi8>[%n * 2], %d: tensor<f32>) {
  %C, %D = te.extern "C" (%c: tensor<?xi8>[2 * %n], %d: tensor<f32>) {
    // CHECK: te.buffer %A[%n floordiv 2 : 1, 0 : 8] aligned 16 factor 4 : memref<1x8xi8, strided<[?, 1], offset: ?>>
    %a = te.buffer %A[%n floordiv 2 : 1, 0 : 8] aligned 16 factor 4 : memref<1x8xi8, strided<[?, 1], offset: ?>>
    // CHECK: te.buffer %d[] : memref<f32>
    %b = te.buffer %d[] : memref<f32>
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %b[] : memref<f32>
  }
  te.return %C, %D : tensor<?xi8>, tensor<f32>
}

// A scan says from which time on its steps give the elements; they read its results as states.
// CHECK-LABEL: te.func @scan
te.func @scan(%n: index, %k: index, %X: tensor<?x4xf32>[%k, 4], %Y: tensor<?x4xi32>[%k, 4]) -> (tensor<?x4xf32>, tensor<?x4xi32>) {
  // CHECK: %S, %T = te.scan "S" (%t = %n, %i = 4) init %X, %Y until %k + 1 state %s, %{{.*}} : tensor<?x4xf32>, tensor<?x4xi32> {
  %S, %T = te.scan "S" (%t = %n, %i = 4) init %X, %Y until %k + 1 state %s, %c : tensor<?x4xf32>, tensor<?x4xi32> {
    %a, %b = te.compute "step" (%u = %n, %j = 4) : tensor<?x4xf32>, tensor<?x4xi32> {
      // CHECK: te.read %s[%u - 1, %j] : f32
      %0 = te.read %s[%u - 1, %j] : f32
      %1 = te.read %c[%u - 1, %j] : i32
      te.yield %0, %1 : f32, i32
    }
    // CHECK: te.yield %a, %b : tensor<?x4xf32>, tensor<?x4xi32>
    te.yield %a, %b : tensor<?x4xf32>, tensor<?x4xi32>
  }
  te.return %S, %T : tensor<?x4xf32>, tensor<?x4xi32>
}

// An update may have the elements of a domain.
// CHECK-LABEL: te.func @update_of_a_triangle
te.func @update_of_a_triangle(%n: index) -> (tensor<?x?xf32>) {
  // CHECK: %U = te.update "U" (%i = %n, %j = %n) reduce (%r = %n) where (%i - %j >= 0) state %u : tensor<?x?xf32> {
  %U = te.update "U" (%i = %n, %j = %n) reduce (%r = %n) where (%i - %j >= 0) state %u : tensor<?x?xf32> {
    %0 = te.read %u[%r, 0] : f32
    te.write %0, %u[%r, %r] : f32
  } init {
    %one = arith.constant 1.0 : f32
    te.yield %one : f32
  }
  te.return %U : tensor<?x?xf32>
}

// Results of a scan may have more axes than it has: their shapes stand behind the types. Without an
// init the steps give all times.
// CHECK-LABEL: te.func @scan_of_shapes
te.func @scan_of_shapes(%m: index, %n: index) -> (tensor<?xf32>, tensor<?x?xf32>, tensor<?xf32>) {
  // CHECK: %S, %T = te.scan "S" (%t = %m) state %s, %r : tensor<?xf32>[%m], tensor<?x?xf32>[%m, %n + 1] {
  %S, %T = te.scan "S" (%t = %m) state %s, %r : tensor<?xf32>[%m], tensor<?x?xf32>[%m, %n + 1] {
    %a = te.compute "a" (%u = %m) : tensor<?xf32> {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
    %b = te.compute "b" (%u = %m, %i = %n + 1) : tensor<?x?xf32> {
      %0 = te.read %a[%u] : f32
      te.yield %0 : f32
    }
    te.yield %a, %b : tensor<?xf32>, tensor<?x?xf32>
  }
  // CHECK: %U = te.scan "U" (%t_1 = %m) state %v : tensor<?xf32> {
  %U = te.scan "U" (%t = %m) state %v : tensor<?xf32> {
    %c = te.compute "c" (%u = %m) : tensor<?xf32> {
      %two = arith.constant 2.0 : f32
      te.yield %two : f32
    }
    te.yield %c : tensor<?xf32>
  }
  te.return %S, %T, %U : tensor<?xf32>, tensor<?x?xf32>, tensor<?xf32>
}

// Memory of two bodies may have one name, and that of a stage.
// CHECK-LABEL: te.func @names_of_memory
// CHECK: loop.realize "B" [] : !loop.tensor<0, f32>
// CHECK: loop.realize "B" [] : !loop.tensor<0, f32>
te.func @names_of_memory() -> (tensor<4xf32>, tensor<4xf32>) {
  %B = te.extern "B" (%b: tensor<4xf32>) {
    %t = loop.realize "B" [] : !loop.tensor<0, f32>
  }
  %C = te.extern "C" (%c: tensor<4xf32>) {
    %t = loop.realize "B" [] : !loop.tensor<0, f32>
  }
  te.return %B, %C : tensor<4xf32>, tensor<4xf32>
}

// Axes stand in front of the results, and have their bounds; the init region names those of its
// own. A buffer may leave out leading axes of one element.
// CHECK-LABEL: te.func @extern_with_axes
te.func @extern_with_axes(%n: index, %A: tensor<?x64xf32>[%n, 64]) -> (tensor<?x4xf32>, tensor<?xf32>) {
  // CHECK: te.extern "C" (%i = %n) reduce (%k = 1 to 8) (%c: tensor<?x4xf32>[%n, 4], %d: tensor<?xf32>[%n]) {
  %C, %D = te.extern "C" (%i = %n) reduce (%k = 1 to 8) (%c: tensor<?x4xf32>[%n, 4], %d: tensor<?xf32>[%n]) {
    // CHECK: te.buffer %A[%i : 1, %k * 8 : 8] : memref<8xf32, strided<[1], offset: ?>>
    %0 = te.buffer %A[%i : 1, %k * 8 : 8] : memref<8xf32, strided<[1], offset: ?>>
    // CHECK: te.buffer %c[%i : 1, 0 : 4] : memref<1x4xf32, strided<[4, 1], offset: ?>>
    %1 = te.buffer %c[%i : 1, 0 : 4] : memref<1x4xf32, strided<[4, 1], offset: ?>>
    // CHECK: te.buffer %d[%i : 1] : memref<f32, strided<[], offset: ?>>
    %2 = te.buffer %d[%i : 1] : memref<f32, strided<[], offset: ?>>
  // CHECK: } init (%p, %x, %y) {
  } init (%p, %x, %y) {
    // CHECK: te.buffer %x[%p : 1, 0 : 4] : memref<4xf32, strided<[1], offset: ?>>
    %3 = te.buffer %x[%p : 1, 0 : 4] : memref<4xf32, strided<[1], offset: ?>>
  }
  te.return %C, %D : tensor<?x4xf32>, tensor<?xf32>
}

// Bounds of a reduce axis may be over the data axes, and over the reduce axes before it.
// CHECK-LABEL: te.func @bounds_over_axes
te.func @bounds_over_axes(%n: index, %A: tensor<?x?xf32>[%n, %n]) -> (tensor<?xf32>) {
  // CHECK: te.compute "S" (%i = %n) reduce (%k = %i to %n, %l = %i * 2 - %k to %k + %n) : tensor<?xf32> {
  %S = te.compute "S" (%i = %n) reduce (%k = %i to %n, %l = 2 * %i - %k to %k + %n) : tensor<?xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %S : tensor<?xf32>
}

// A domain: not all points of the data axes are elements.
// CHECK-LABEL: te.func @triangle
te.func @triangle(%n: index, %A: tensor<?x?xf32>[%n, %n]) -> (tensor<?x?xf32>) {
  // CHECK: te.compute "L" (%i = %n, %j = %n) where (%j * 2 - %i == 0, %n - %i - 2 >= 0) : tensor<?x?xf32> {
  %L = te.compute "L" (%i = %n, %j = %n) where (%n - 2 - %i >= 0, %j * 2 - %i == 0) : tensor<?x?xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %L : tensor<?x?xf32>
}

// An intrinsic: an equation over tensors of its own, and code that does the same.
// CHECK-LABEL: te.intrinsic @negate4 (%x: tensor<4xf32>) {
te.intrinsic @negate4 (%x: tensor<4xf32>) {
  // CHECK-NEXT: te.compute "z" (%i = 4) : tensor<4xf32> {
  %z = te.compute "z" (%i = 4) : tensor<4xf32> {
    %0 = te.read %x[%i] : f32
    %1 = arith.negf %0 : f32
    te.yield %1 : f32
  }
  // CHECK: te.extern "body" (%out: tensor<4xf32>) {
  %body = te.extern "body" (%out: tensor<4xf32>) {
    // CHECK-NEXT: te.buffer %x[0 : 4] aligned 16 : memref<4xf32, strided<[1], offset: ?>>
    %a = te.buffer %x[0 : 4] aligned 16 : memref<4xf32, strided<[1], offset: ?>>
    %c = te.buffer %out[0 : 4] : memref<4xf32, strided<[1], offset: ?>>
  }
}

// Points of a domain change a tensor, of which the init region says what it begins as. They may
// come in any order if the program says so.
// CHECK-LABEL: te.func @histogram
te.func @histogram(%n: index, %X: tensor<?xi32>[%n]) -> (tensor<10xi32>) {
  // CHECK: te.update "H" (%i = 10) reduce (%r = %n) state %h reorderable : tensor<10xi32> {
  %H = te.update "H" (%i = 10) reduce (%r = %n) state %h reorderable : tensor<10xi32> {
    %x = te.read %X[%r] : i32
    %at = arith.index_cast %x : i32 to index
    %bin = te.bounded %at in 0 to 10
    %old = te.read %h[%bin] : i32
    %new = arith.addi %old, %x : i32
    // CHECK: te.write %new, %h[%bin] : i32
    te.write %new, %h[%bin] : i32
  // CHECK: } init {
  } init {
    // CHECK: arith.index_cast %i
    %start = arith.index_cast %i : index to i32
    te.yield %start : i32
  }
  te.return %H : tensor<10xi32>
}

// Points of a domain may change nothing.
// CHECK-LABEL: te.func @unchanged
te.func @unchanged() -> (tensor<9xf32>) {
  // CHECK: te.update "S" (%i = 9) reduce (%r = 16) state %s : tensor<9xf32> {
  // CHECK-NEXT: } init {
  %S = te.update "S" (%i = 9) reduce (%r = 16) state %s : tensor<9xf32> {
  } init {
    %one = arith.constant 1.0 : f32
    te.yield %one : f32
  }
  te.return %S : tensor<9xf32>
}

// A loop of the domain may end early. Writes may stand in branches.
// CHECK-LABEL: te.func @until
te.func @until(%A: tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>) {
  // CHECK: %H, %K = te.update "H" (%p = 9) reduce (%t = 1 to 100, %i = 9) state %h, %k : tensor<9xf32>, tensor<9xf32> {
  %H, %K = te.update "H" (%p = 9) reduce (%t = 1 to 100, %i = 9) state %h, %k : tensor<9xf32>, tensor<9xf32> {
    %old = te.read %h[%i] : f32
    %zero = arith.constant 0.0 : f32
    %positive = arith.cmpf ogt, %old, %zero : f32
    scf.if %positive {
      te.write %zero, %k[%i] : f32
    }
  // CHECK: } until (%u) state %g, %l {
  } until (%u) state %g, %l {
    %now = te.read %g[0] : f32
    %zero = arith.constant 0.0 : f32
    %negative = arith.cmpf olt, %now, %zero : f32
    te.yield %negative : i1
  } init {
    %a = te.read %A[%p] : f32
    te.yield %a, %a : f32, f32
  }
  te.return %H, %K : tensor<9xf32>, tensor<9xf32>
}

// Bounds of reduce axes may come from data, within those of the header.
// CHECK-LABEL: te.func @bounds_from_data
te.func @bounds_from_data(%n: index, %P: tensor<5xi32>, %A: tensor<?xf32>[%n]) -> (tensor<4xf32>) {
  // CHECK: te.compute "S" (%i = 4) reduce (%l = 2, %k = %n) : tensor<4xf32> {
  %S = te.compute "S" (%i = 4) reduce (%l = 2, %k = %n) : tensor<4xf32> {
    %a = te.read %A[%k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  // CHECK: } bounds %k (%p) {
  } bounds %k (%p) {
    %0 = te.read %P[%p] : i32
    %1 = te.read %P[%p + 1] : i32
    %2 = arith.index_cast %0 : i32 to index
    %3 = arith.index_cast %1 : i32 to index
    // CHECK: te.yield %{{.*}}, %{{.*}} : index, index
    te.yield %2, %3 : index, index
  }
  te.return %S : tensor<4xf32>
}

// A data axis may start anywhere.
// CHECK-LABEL: te.func @data_axes_from_anywhere
te.func @data_axes_from_anywhere(%n: index) -> (tensor<?x4xf32>) {
  // CHECK: te.compute "B" (%i = -1 to %n, %j = %n to %n + 4) : tensor<?x4xf32> {
  %B = te.compute "B" (%i = -1 to %n, %j = %n to %n + 4) : tensor<?x4xf32> {
    %one = arith.constant 1.0 : f32
    te.yield %one : f32
  }
  te.return %B : tensor<?x4xf32>
}
