// RUN: teloom-opt %s -p 'partition-loops' --cpu x86-64-v4 | filecheck %s
// RUN: teloom-opt %s -p 'partition-loops' --cpu x86-64-v2 | filecheck %s --check-prefix APART

// A few vectors load under a mask what a short loop asks for, where the target does that fast.
// CHECK-LABEL: func.func @window
// APART-LABEL: func.func @window
func.func @window(%A: memref<80xf32>, %B: memref<40xf32>) attributes {
    te.signature = {arrays = [
      {name = "A", dtype = "float32", shape = affine_map<() -> (80)>},
      {name = "B", dtype = "float32", shape = affine_map<() -> (40)>, output}]}} {
  %a = loop.bind %A [0 : 80] : memref<80xf32>
  %b = loop.bind %B [0 : 40] : memref<40xf32>
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : index
  // CHECK: loop.for %i = 0 to 40 vectorized
  // CHECK: scf.if
  // CHECK-NOT: loop.for
  // APART: loop.for %{{.*}} = 0 to 1 vectorized
  // APART-NOT: scf.if
  // APART: loop.for %{{.*}} = 1 to 40 vectorized
  loop.for %i = 0 to 40 vectorized {
    %is_inside = arith.cmpi sge, %i, %one : index
    %x = scf.if %is_inside -> (f32) {
      %0 = loop.load %a[%i * 2 - 1] : f32
      scf.yield %0 : f32
    } else {
      scf.yield %zero : f32
    }
    loop.store %x, %b[%i] : f32
  }
  func.return
}

// Beside a load under a mask is one that all lanes share.
// CHECK-LABEL: func.func @weighted
func.func @weighted(%A: memref<80xf32>, %W: memref<3xf32>, %B: memref<40xf32>) {
  %a = loop.bind %A [0 : 80] : memref<80xf32>
  %w = loop.bind %W [0 : 3] : memref<3xf32>
  %b = loop.bind %B [0 : 40] : memref<40xf32>
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : index
  // CHECK: loop.for %i = 0 to 40 vectorized
  // CHECK: scf.if
  // CHECK-NOT: loop.for
  loop.for %i = 0 to 40 vectorized {
    %is_inside = arith.cmpi sge, %i, %one : index
    %x = scf.if %is_inside -> (f32) {
      %0 = loop.load %a[%i - 1] : f32
      %1 = loop.load %w[2] : f32
      %2 = arith.mulf %0, %1 : f32
      scf.yield %2 : f32
    } else {
      scf.yield %zero : f32
    }
    loop.store %x, %b[%i] : f32
  }
  func.return
}

// Loads that are far apart have no mask.
// CHECK-LABEL: func.func @apart
func.func @apart(%A: memref<320xf32>, %B: memref<40xf32>) attributes {
    te.signature = {arrays = [
      {name = "A", dtype = "float32", shape = affine_map<() -> (40, 8)>},
      {name = "B", dtype = "float32", shape = affine_map<() -> (40)>, output}]}} {
  %a = loop.bind %A [0 : 40, 0 : 8] : memref<320xf32>
  %b = loop.bind %B [0 : 40] : memref<40xf32>
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : index
  // CHECK: loop.for %{{.*}} = 0 to 1 vectorized
  // CHECK: loop.for %{{.*}} = 1 to 40 vectorized
  loop.for %i = 0 to 40 vectorized {
    %is_inside = arith.cmpi sge, %i, %one : index
    %x = scf.if %is_inside -> (f32) {
      %0 = loop.load %a[%i - 1, 0] : f32
      scf.yield %0 : f32
    } else {
      scf.yield %zero : f32
    }
    loop.store %x, %b[%i] : f32
  }
  func.return
}

// Nor are they worth it in a loop that is long, but for its last vector.
// CHECK-LABEL: func.func @long
func.func @long(%A: memref<100xf32>, %B: memref<100xf32>) attributes {
    te.signature = {arrays = [
      {name = "A", dtype = "float32", shape = affine_map<() -> (100)>},
      {name = "B", dtype = "float32", shape = affine_map<() -> (100)>, output}]}} {
  %a = loop.bind %A [0 : 100] : memref<100xf32>
  %b = loop.bind %B [0 : 100] : memref<100xf32>
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : index
  // CHECK: loop.for %{{.*}} = 0 to 1 vectorized
  // CHECK: loop.for %{{.*}} = 1 to 113 vectorized
  // APART: loop.for %{{.*}} = 1 to 100 vectorized
  loop.for %i = 0 to 100 vectorized {
    %is_inside = arith.cmpi sge, %i, %one : index
    %x = scf.if %is_inside -> (f32) {
      %0 = loop.load %a[%i - 1] : f32
      scf.yield %0 : f32
    } else {
      scf.yield %zero : f32
    }
    loop.store %x, %b[%i] : f32
  }
  func.return
}

// What is left over of a loop over many vectors ends early: it is few vectors less, without masks.
// CHECK-LABEL: func.func @left_over_of_many
// APART-LABEL: func.func @left_over_of_many
func.func @left_over_of_many(%n: index, %A: memref<?xf32>, %B: memref<?xf32>) attributes {
    te.signature = {sizes = ["n"], arrays = [
      {name = "A", dtype = "float32", shape = affine_map<(d0) -> (d0)>},
      {name = "B", dtype = "float32", shape = affine_map<(d0) -> (d0)>, output}]}} {
  %a = loop.bind %A [0 : %n] : memref<?xf32>
  %b = loop.bind %B [0 : %n] : memref<?xf32>
  // CHECK: loop.for %io = 0 to %n floordiv 512
  // CHECK: loop.for %io_1 = %n floordiv 512 to %n ceildiv 512
  // CHECK-NEXT: loop.for %ii_1 = 0 to min(512, %n - %io_1 * 512) vectorized
  // CHECK-NOT: scf.if
  // APART: loop.for %ii_1 = 0 to min(512, %n - %io_1 * 512) vectorized
  loop.for %io = 0 to %n ceildiv 512 {
    loop.for %ii = 0 to min(512, %n - %io * 512) vectorized {
      %x = loop.load %a[%io * 512 + %ii] : f32
      loop.store %x, %b[%io * 512 + %ii] : f32
    }
  }
  // CHECK: loop.for %jo_1 = %n floordiv 128 to %n ceildiv 128
  // CHECK-NEXT: loop.for %ji_1 = 0 to 128 vectorized
  // CHECK: scf.if
  // APART: loop.for %ji_1 = 0 to min(128, %n - %jo_1 * 128) vectorized
  loop.for %jo = 0 to %n ceildiv 128 {
    loop.for %ji = 0 to min(128, %n - %jo * 128) vectorized {
      %x = loop.load %a[%jo * 128 + %ji] : f32
      loop.store %x, %b[%jo * 128 + %ji] : f32
    }
  }
  func.return
}
