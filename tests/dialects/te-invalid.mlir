// RUN: not teloom-opt %s --split-input-file 2>&1 | filecheck %s

// CHECK: sizes come before tensors
te.func @size_after_tensor(%A: tensor<4xf32>, %n: index) -> () {
  te.return
}

// -----

// CHECK: axis 0 has extent 5, but dimension 0 of tensor<4xf32> is 4
te.func @constant_differs(%A: tensor<4xf32>[5]) -> () {
  te.return
}

// -----

// CHECK: axis 0 has extent 4, but dimension 0 of tensor<?xf32> is ?
te.func @constant_for_dynamic(%A: tensor<?xf32>[4]) -> () {
  te.return
}

// -----

// CHECK: axis 0 of tensor<4xf32> is 4, but its extent is symbolic
te.func @symbol_for_constant(%n: index, %A: tensor<4xf32>[%n]) -> () {
  te.return
}

// -----

// CHECK: 1 extents for the 2 axes of tensor<4x4xf32>
te.func @too_few_extents(%A: tensor<4x4xf32>[4]) -> () {
  te.return
}

// -----

// CHECK: argument %A of type tensor<?xf32> needs its extents in brackets, as in tensor<?xf32>[%n]
te.func @no_extents(%A: tensor<?xf32>) -> () {
  te.return
}

// -----

// CHECK: %m is not a size of this function; its sizes: %n
te.func @unknown_size(%n: index, %A: tensor<?xf32>[%m]) -> () {
  te.return
}

// -----

// CHECK: argument of type f32 is not a tensor
te.func @scalar_argument(%a: f32[]) -> () {
  te.return
}

// -----

// CHECK: te.return's types differ from the function's results
te.func @other_result(%A: tensor<4xf32>) -> (tensor<5xf32>) {
  te.return %A : tensor<4xf32>
}

// -----

// CHECK: a te.func must end in te.return
te.func @no_return() -> () {
  "test.termop"() : () -> ()
}

// -----

// CHECK: order [1] must name each of 1..2 once (sizes before it may be left out)
te.func @order_leaves_out(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) order [1] {
  te.return %A : tensor<?xf32>
}

// -----

// CHECK: order [1, 2, 2] must name each of 1..2 once (sizes before it may be left out)
te.func @order_repeats(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) order [1, 2, 2] {
  te.return %A : tensor<?xf32>
}

// -----

// CHECK: 'te.return' expects parent op 'te.func'
func.func @not_te() {
  te.return
}

// -----

// CHECK: axis 0 has extent 4, but dimension 0 of tensor<5xf32> is 5
te.func @results_differ(%A: tensor<4xf32>) -> () {
  %B, %C = te.compute "B" (%i = 4) : tensor<4xf32>, tensor<5xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a, %a : f32, f32
  }
  te.return
}

// -----

// CHECK: axis 0 has the negative extent -4
te.func @negative_extent() -> () {
  %B = te.compute "B" (%i = -4) : tensor<4xf32> {
    %one = arith.constant 1.0 : f32
    te.yield %one : f32
  }
  te.return
}

// -----

// CHECK: axis 0 has extent 4, but dimension 0 of tensor<5xf32> is 5
te.func @extent_of_an_axis_that_starts_at_one() -> () {
  %B = te.compute "B" (%i = 1 to 5) : tensor<5xf32> {
    %one = arith.constant 1.0 : f32
    te.yield %one : f32
  }
  te.return
}

// -----

// CHECK: the body region yields (i32), expected (f32)
te.func @yields_another_type() -> () {
  %B = te.compute "B" (%i = 4) : tensor<4xf32> {
    %one = arith.constant 1 : i32
    te.yield %one : i32
  }
  te.return
}

// -----

// CHECK: the body region yields (f32, f32), expected (f32)
te.func @yields_too_many() -> () {
  %B = te.compute "B" (%i = 4) : tensor<4xf32> {
    %one = arith.constant 1.0 : f32
    te.yield %one, %one : f32, f32
  }
  te.return
}

// -----

// CHECK: the body region must end in te.yield
te.func @no_yield() -> () {
  %B = te.compute "B" (%i = 4) : tensor<4xf32> {
    "test.termop"() : () -> ()
  }
  te.return
}

// -----

// CHECK: reduce axes need a combine region
te.func @no_combine(%A: tensor<4xf32>) -> () {
  %B = te.compute "B" () reduce (%k = 4) : tensor<f32> {
    %a = te.read %A[%k] : f32
    te.yield %a : f32
  }
  te.return
}

// -----

// CHECK: a combine region needs reduce axes
te.func @nothing_to_combine(%A: tensor<4xf32>) -> () {
  %B = te.compute "B" (%i = 4) : tensor<4xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return
}

// -----

// CHECK: the combine region has arguments (f32), expected (f32, f32)
te.func @combines_one(%A: tensor<4xf32>) -> () {
  %B = te.compute "B" () reduce (%k = 4) : tensor<f32> {
    %a = te.read %A[%k] : f32
    te.yield %a : f32
  } combine (%x: f32) identity [0.0 : f32] {
    te.yield %x : f32
  }
  te.return
}

// -----

// CHECK: identity 0 : i32 is not a constant of type f32
te.func @identity_of_another_type(%A: tensor<4xf32>) -> () {
  %B = te.compute "B" () reduce (%k = 4) : tensor<f32> {
    %a = te.read %A[%k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0 : i32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return
}

// -----

// CHECK: a fold starts from an identity or an init; it has neither
te.func @no_identity(%A: tensor<4xf32>) -> () {
  %B = te.compute "B" () reduce (%k = 4) : tensor<f32> {
    %a = te.read %A[%k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return
}

// -----

// CHECK: a combine region with further arguments knows no identity
te.func @identity_of_a_combiner_of_more(%A: tensor<4xf32>) -> () {
  %B = te.compute "B" () reduce (%k = 4) : tensor<f32> {
    %a = te.read %A[%k] : f32
    te.yield %a, %a : f32, f32
  } combine (%x: f32, %y: f32, %z: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %z : f32
    te.yield %s : f32
  }
  te.return
}

// -----

// CHECK: the body region yields (f32), expected (f32, f32)
te.func @nothing_more_for_a_combiner(%A: tensor<4xf32>) -> () {
  %B = te.compute "B" () reduce (%k = 4) : tensor<f32> {
    %a = te.read %A[%k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32, %z: f32) {
    %s = arith.addf %x, %z : f32
    te.yield %s : f32
  } init () {
    %zero = arith.constant 0.0 : f32
    te.yield %zero : f32
  }
  te.return
}

// -----

// CHECK: 2 identity values for 1 results
te.func @identities(%A: tensor<4xf32>) -> () {
  %B = te.compute "B" () reduce (%k = 4) : tensor<f32> {
    %a = te.read %A[%k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32, 0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return
}

// -----

// CHECK: the init region has arguments (), expected (index)
te.func @init_without_axes(%A: tensor<4x4xf32>) -> () {
  %B = te.compute "B" (%i = 4) reduce (%k = 4) : tensor<4xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  } init () {
    %one = arith.constant 1.0 : f32
    te.yield %one : f32
  }
  te.return
}

// -----

// CHECK: 1 subscripts for the 2 axes of tensor<4x4xf32>
te.func @too_few_subscripts(%A: tensor<4x4xf32>) -> () {
  %B = te.compute "B" (%i = 4) : tensor<4xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return
}

// -----

// CHECK: :{{[0-9]+}}:19: error: string literal expected as stage name
te.func @no_quotes(%A: tensor<4xf32>) -> () {
  %B = te.compute B (%i = 4) : tensor<4xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return
}

// -----

// CHECK: :{{[0-9]+}}:27: error: te.read of tensor<4xui8> gives i8, not ui8
te.func @keeps_the_sign(%A: tensor<4xui8>) -> () {
  %B = te.compute "B" (%i = 4) : tensor<4xui8> {
    %a = te.read %A[%i] : ui8
    te.yield %a : ui8
  }
  te.return
}

// -----

// CHECK: te.read needs a tensor, got index
te.func @reads_no_tensor(%n: index) -> () {
  %B = te.compute "B" (%i = 4) : tensor<4xf32> {
    %a = te.read %n[%i] : f32
    te.yield %a : f32
  }
  te.return
}

// -----

// CHECK: value %j is not defined above this use
te.func @unknown_axis(%A: tensor<4xf32>) -> () {
  %B = te.compute "B" (%i = 4) : tensor<4xf32> {
    %a = te.read %A[%j] : f32
    te.yield %a : f32
  }
  te.return
}

// -----

// CHECK: a product of two values is not affine
te.func @product(%A: tensor<16xf32>) -> () {
  %B = te.compute "B" (%i = 4, %j = 4) : tensor<4x4xf32> {
    %a = te.read %A[%i * %j] : f32
    te.yield %a : f32
  }
  te.return
}

// -----

// CHECK: floordiv by 0
te.func @division_by_zero(%A: tensor<16xf32>) -> () {
  %B = te.compute "B" (%i = 4) : tensor<4xf32> {
    %a = te.read %A[%i floordiv 0] : f32
    te.yield %a : f32
  }
  te.return
}

// -----

// A result is computed: an argument has a buffer of its own already.
// CHECK: error: returns its argument A; compute a copy of it
te.func @returns_argument(%A: tensor<4xf32>) -> (tensor<4xf32>) {
  te.return %A : tensor<4xf32>
}

// -----

// One tensor cannot be two results, which have a buffer each.
// CHECK: error: returns A twice; compute a copy of it
te.func @returns_twice() -> (tensor<4xf32>, tensor<4xf32>) {
  %A = te.compute "A" (%i = 4) : tensor<4xf32> {
    %one = arith.constant 1.0 : f32
    te.yield %one : f32
  }
  te.return %A, %A : tensor<4xf32>, tensor<4xf32>
}

// -----

// Commands name stages, so that a name stands for one.
// CHECK: error: two stages are named "A"
// CHECK-NEXT: %B = te.compute
te.func @same_name() -> (tensor<4xf32>) {
  %A = te.compute "A" (%i = 4) : tensor<4xf32> {
    %one = arith.constant 1.0 : f32
    te.yield %one : f32
  }
  %B = te.compute "A" (%i = 4) : tensor<4xf32> {
    %one = arith.constant 1.0 : f32
    te.yield %one : f32
  }
  te.return %B : tensor<4xf32>
}

// -----

// Only the function's own sizes may be extents.
// CHECK: error: extents are over the function's sizes, n is not one
te.func @computed_extent() -> (tensor<?xf32>) {
  %n = arith.constant 4 : index
  %A = te.compute "A" (%i = %n) : tensor<?xf32> {
    %one = arith.constant 1.0 : f32
    te.yield %one : f32
  }
  te.return %A : tensor<?xf32>
}

// -----

// A promise is about an index value.
// CHECK: error: operand 'value' at position 0 does not verify: Expected attribute index but got i32
te.func @bounded_type(%A: tensor<9xf32>, %B: tensor<5xi32>) -> (tensor<5xf32>) {
  %G = te.compute "G" (%i = 5) : tensor<5xf32> {
    %b = te.read %B[%i] : i32
    %at = te.bounded %b in 0 to 9
    %a = te.read %A[%at] : f32
    te.yield %a : f32
  }
  te.return %G : tensor<5xf32>
}

// -----

// It has two bounds.
// CHECK: error: the bounds' map does not fit its operands
te.func @bounded_once(%A: tensor<9xf32>) -> (tensor<5xf32>) {
  %G = te.compute "G" (%i = 5) : tensor<5xf32> {
    %at = "te.bounded"(%i) <{map = affine_map<() -> (0)>}> : (index) -> index
    %a = te.read %A[%at] : f32
    te.yield %a : f32
  }
  te.return %G : tensor<5xf32>
}

// -----

// CHECK: 1 strides for the 2 axes of A
te.func @too_few_strides(%A: tensor<4x4xf32> strides [4]) -> () {
  te.return
}

// -----

// CHECK: stride -1 of axis 0 of A is negative; let the equations read the axis from its end
te.func @negative_stride(%A: tensor<4xf32> strides [-1] offset 3) -> () {
  te.return
}

// -----

// CHECK: alignment 48 of A is not a power of two up to 4294967296
te.func @alignment_of_48(%A: tensor<4xf32> aligned 48) -> () {
  te.return
}

// -----

// CHECK: alignment 8589934592 of A is not a power of two up to 4294967296
te.func @alignment_beyond_llvm(%A: tensor<4xf32> aligned 8589934592) -> () {
  te.return
}

// -----

// CHECK: offset factor 0 of A is not positive
te.func @factor_of_zero(%A: tensor<4xf32> offset 4 factor 0) -> () {
  te.return
}

// -----

// CHECK: offset 6 of A is no multiple of 4
te.func @offset_between(%A: tensor<4xf32> offset 6 factor 4) -> () {
  te.return
}

// -----

// CHECK: offset -1 of A is negative
te.func @negative_offset(%A: tensor<4xf32> offset -1) -> () {
  te.return
}

// -----

// CHECK: %m is not a size of this function; its sizes: %n
te.func @stride_of_no_size(%n: index, %A: tensor<4xf32> strides [%m]) -> () {
  te.return
}

// -----

// CHECK: A is without strides: no element of it is repeated along an axis, as broadcast says
te.func @repeated_without_strides(%A: tensor<4xf32> broadcast) -> () {
  te.return
}

// -----

// CHECK: B is written: no element of it is repeated along an axis, as broadcast says
te.func @repeated_result(%s: index) -> (tensor<4xf32> strides [%s] broadcast) {
  %B = te.compute "B" (%i = 4) : tensor<4xf32> {
    %one = arith.constant 1.0 : f32
    te.yield %one : f32
  }
  te.return %B : tensor<4xf32>
}

// -----

// CHECK: stride 0 of axis 1 of B, which is written: its elements would be at one address
te.func @all_at_one_address() -> (tensor<4x4xf32> strides [4, 0]) {
  %B = te.compute "B" (%i = 4, %j = 4) : tensor<4x4xf32> {
    %one = arith.constant 1.0 : f32
    te.yield %one : f32
  }
  te.return %B : tensor<4x4xf32>
}

// -----

// CHECK: a stage needs at least one result
te.func @extern_of_nothing() -> () {
  te.extern "C" () {
  }
  te.return
}

// -----

// CHECK: 2 placements for 1 tensors and results
"te.func"() <{sym_name = "two_for_one", function_type = (tensor<4xf32>) -> (), shapes = [affine_map<() -> (4)>], placements = [{}, {alignment = 8 : i64}]}> ({
^bb0(%A: tensor<4xf32>):
  te.return
}) : () -> ()

// -----

// CHECK: strides is over 1 sizes, the function has 0
"te.func"() <{sym_name = "stride_over_nothing", function_type = (tensor<4xf32>) -> (), shapes = [affine_map<() -> (4)>], placements = [{strides = affine_map<()[s0] -> (s0)>}]}> ({
^bb0(%A: tensor<4xf32>):
  te.return
}) : () -> ()

// -----

// CHECK: result %c of type tensor<?xf32> needs its extents in brackets, as in tensor<?xf32>[%n]
te.func @extern_without_extents() -> () {
  %C = te.extern "C" (%c: tensor<?xf32>) {
  }
  te.return
}

// -----

// CHECK: axis 0 has extent 5, but dimension 0 of tensor<4xf32> is 4
te.func @extern_of_another_shape() -> () {
  %C = te.extern "C" (%c: tensor<4xf32>[5]) {
  }
  te.return
}

// -----

// CHECK: te.read stands in an equation; an extern takes a te.buffer
te.func @extern_reads(%A: tensor<4xf32>) -> () {
  %C = te.extern "C" (%c: tensor<4xf32>) {
    %a = te.read %A[0] : f32
  }
  te.return
}

// -----

// CHECK: writes A, which is none of its results
te.func @extern_writes(%A: tensor<4xf32>) -> () {
  %C = te.extern "C" (%c: tensor<4xf32>) {
    %a = te.buffer %A[0 : 4] : memref<4xf32>
    %one = arith.constant 1.0 : f32
    loop.for %i = 0 to 4 {
      memref.store %one, %a[%i] : memref<4xf32>
    }
  }
  te.return
}

// -----

// CHECK: a te.buffer stands in the body of an extern, in no loop of it
te.func @buffer_in_a_loop(%A: tensor<4xf32>) -> () {
  %C = te.extern "C" (%c: tensor<4xf32>) {
    loop.for %i = 0 to 4 {
      %a = te.buffer %A[0 : 4] : memref<4xf32>
    }
  }
  te.return
}

// -----

// CHECK: te.buffer needs a tensor, got index
te.func @buffer_of_a_size(%n: index) -> () {
  %C = te.extern "C" (%c: tensor<4xf32>) {
    %a = te.buffer %n[0 : 4] : memref<4xf32>
  }
  te.return
}

// -----

// CHECK: 1 pairs for 2 axes
te.func @buffer_of_another_rank(%A: tensor<4x4xf32>) -> () {
  %C = te.extern "C" (%c: tensor<4xf32>) {
    %a = te.buffer %A[0 : 4] : memref<4xf32>
  }
  te.return
}

// -----

// CHECK: memref<4xf64> holds no f32
te.func @buffer_of_another_element(%A: tensor<4xf32>) -> () {
  %C = te.extern "C" (%c: tensor<4xf32>) {
    %a = te.buffer %A[0 : 4] : memref<4xf64>
  }
  te.return
}

// -----

// CHECK: axis 0 of the box has the extent 3, which is not that of memref<4xf32>
te.func @buffer_of_another_extent(%A: tensor<4xf32>) -> () {
  %C = te.extern "C" (%c: tensor<4xf32>) {
    %a = te.buffer %A[1 : 3] : memref<4xf32>
  }
  te.return
}

// -----

// CHECK: axis 0 of the box has the extent symbolic, which is not that of memref<4xf32>
te.func @buffer_of_symbolic_extent(%n: index, %A: tensor<4xf32>) -> () {
  %C = te.extern "C" (%c: tensor<4xf32>) {
    %a = te.buffer %A[0 : %n] : memref<4xf32>
  }
  te.return
}

// -----

// CHECK: axis 0 has the negative extent -1
te.func @buffer_of_negative_extent(%A: tensor<4xf32>) -> () {
  %C = te.extern "C" (%c: tensor<4xf32>) {
    %a = te.buffer %A[1 : -1] : memref<?xf32>
  }
  te.return
}

// -----

// CHECK: 1 pairs for the 2 axes of memref<4x1xf32>
te.func @buffer_with_an_axis_more(%A: tensor<4xf32>) -> () {
  %C = te.extern "C" (%c: tensor<4xf32>) {
    %a = te.buffer %A[0 : 4] : memref<4x1xf32>
  }
  te.return
}

// -----

// CHECK: the layout of memref<4xf32, strided<[4, 1]>> does not say 1 strides
te.func @buffer_with_a_stride_more(%A: tensor<4xf32>) -> () {
  %C = te.extern "C" (%c: tensor<4xf32>) {
    %a = te.buffer %A[0 : 4] : memref<4xf32, strided<[4, 1]>>
  }
  te.return
}

// -----

// CHECK: memref<4xf32, 1 : i64> names a memory space that is no scope
te.func @buffer_in_a_space(%A: tensor<4xf32>) -> () {
  %C = te.extern "C" (%c: tensor<4xf32>) {
    %a = te.buffer %A[0 : 4] : memref<4xf32, 1 : i64>
  }
  te.return
}

// -----

// CHECK: an alignment of 24 bytes is no power of two
te.func @buffer_aligned_to_24(%A: tensor<4xf32>) -> () {
  %C = te.extern "C" (%c: tensor<4xf32>) {
    %a = te.buffer %A[0 : 4] aligned 24 : memref<4xf32>
  }
  te.return
}

// -----

// CHECK: an alignment of 8589934592 bytes is no power of two up to 4294967296
te.func @buffer_aligned_beyond_llvm(%A: tensor<4xf32>) -> () {
  %C = te.extern "C" (%c: tensor<4xf32>) {
    %a = te.buffer %A[0 : 4] aligned 8589934592 : memref<4xf32>
  }
  te.return
}

// -----

// CHECK: factor 0 is not positive
te.func @buffer_with_factor_0(%A: tensor<4xf32>) -> () {
  %C = te.extern "C" (%c: tensor<4xf32>) {
    %a = te.buffer %A[0 : 4] factor 0 : memref<4xf32>
  }
  te.return
}

// -----

// CHECK: the box's maps do not fit their operands
te.func @buffer_with_another_map(%A: tensor<4xf32>) -> () {
  %C = te.extern "C" (%c: tensor<4xf32>) {
    %a = "te.buffer"(%A) <{offsets = affine_map<(d0) -> (d0)>, extents = affine_map<() -> (4)>}> : (tensor<4xf32>) -> memref<4xf32>
  }
  te.return
}

// -----

// CHECK: is over 3 axes, not 2
te.func @layout_of_three_axes(%A: tensor<4x8xf32> layout affine_map<(d0, d1, d2) -> (d1, d0)>) -> () {
  te.return
}

// -----

// CHECK: the layout of B is that of its stage; schedule.transform_layout gives it
te.func @layout_of_a_result() -> (tensor<4xf32> layout affine_map<(d0) -> (d0 * 2)>) {
  %B = te.compute "B" (%i = 4) : tensor<4xf32> {
    %one = arith.constant 1.0 : f32
    te.yield %one : f32
  }
  te.return %B : tensor<4xf32>
}

// -----

// A part of what is only read is not written, lane by lane neither.
// CHECK: writes A, which is none of its results
te.func @vector_to_an_input(%A: tensor<4x8xf32>) -> (tensor<4xf32>) {
  %B = te.extern "B" (%b: tensor<4xf32>) {
    %0 = te.buffer %A[0 : 4, 0 : 8] : memref<4x8xf32>
    %1 = te.buffer %b[0 : 4] : memref<4xf32>
    %zero = arith.constant 0 : index
    %v = vector.load %1[%zero] : memref<4xf32>, vector<4xf32>
    %p = memref.subview %0[1, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1], offset: 8>>
    vector.store %v, %p[%zero] : memref<8xf32, strided<[1], offset: 8>>, vector<4xf32>
  }
  te.return %B : tensor<4xf32>
}

// -----

// CHECK: a scan needs an axis, which is time
te.func @scan_without_time(%A: tensor<1x4xf32>, %B: tensor<1xf32>) -> () {
  %S = te.scan "S" () init %B until 1 state %s : tensor<f32> {
    te.yield %s : tensor<f32>
  }
  te.return
}

// -----

// CHECK: axis 0 has extent 9, but dimension 0 of tensor<8x4xf32> is 8
te.func @scan_of_another_shape(%A: tensor<1x4xf32>, %B: tensor<1xf32>) -> () {
  %S = te.scan "S" (%t = 9, %i = 4) init %A until 1 state %s : tensor<8x4xf32> {
    %n = te.compute "n" (%u = 8, %j = 4) : tensor<8x4xf32> {
      %0 = te.read %s[%u - 1, %j] : f32
      te.yield %0 : f32
    }
    te.yield %n : tensor<8x4xf32>
  }
  te.return
}

// -----

// CHECK: an init of type tensor<1xf32> for a result of type tensor<8x4xf32>
te.func @scan_with_another_init(%A: tensor<1x4xf32>, %B: tensor<1xf32>) -> () {
  %S = te.scan "S" (%t = 8, %i = 4) init %B until 1 state %s : tensor<8x4xf32> {
    %n = te.compute "n" (%u = 8, %j = 4) : tensor<8x4xf32> {
      %0 = te.read %s[%u - 1, %j] : f32
      te.yield %0 : f32
    }
    te.yield %n : tensor<8x4xf32>
  }
  te.return
}

// -----

// CHECK: 2 inits for 1 results
te.func @scan_with_two_inits(%A: tensor<1x4xf32>, %B: tensor<1xf32>) -> () {
  %S = te.scan "S" (%t = 8, %i = 4) init %A, %A until 1 state %s : tensor<8x4xf32> {
    %n = te.compute "n" (%u = 8, %j = 4) : tensor<8x4xf32> {
      %0 = te.read %s[%u - 1, %j] : f32
      te.yield %0 : f32
    }
    te.yield %n : tensor<8x4xf32>
  }
  te.return
}

// -----

// CHECK: 2 states for 1 results
te.func @scan_with_two_states(%A: tensor<1x4xf32>, %B: tensor<1xf32>) -> () {
  %S = te.scan "S" (%t = 8, %i = 4) init %A until 1 state %s, %q : tensor<8x4xf32> {
    %n = te.compute "n" (%u = 8, %j = 4) : tensor<8x4xf32> {
      %0 = te.read %s[%u - 1, %j] : f32
      te.yield %0 : f32
    }
    te.yield %n : tensor<8x4xf32>
  }
  te.return
}

// -----

// CHECK: an axis of a scan has no uses: its equations have their own
te.func @scan_that_uses_an_axis(%A: tensor<1x4xf32>, %B: tensor<1xf32>) -> () {
  %S = te.scan "S" (%t = 8, %i = 4) init %A until 1 state %s : tensor<8x4xf32> {
    %n = te.compute "n" (%u = 8, %j = 4) : tensor<8x4xf32> {
      %0 = te.read %s[%t, %j] : f32
      te.yield %0 : f32
    }
    te.yield %n : tensor<8x4xf32>
  }
  te.return
}

// -----

// CHECK: the steps of a scan are te.computes and te.externs, found te.update
te.func @scan_with_an_update(%A: tensor<1x4xf32>, %B: tensor<1xf32>) -> () {
  %S = te.scan "S" (%t = 8, %i = 4) init %A until 1 state %s : tensor<8x4xf32> {
    %n = te.update "n" (%u = 8, %j = 4) reduce (%r = 1) state %h : tensor<8x4xf32> {
    } init {
      %0 = te.read %s[%u - 1, %j] : f32
      te.yield %0 : f32
    }
    te.yield %n : tensor<8x4xf32>
  }
  te.return
}

// -----

// CHECK: an extern that is a step has an axis, which is time
te.func @scan_with_an_extern(%A: tensor<1x4xf32>, %B: tensor<1xf32>) -> () {
  %S = te.scan "S" (%t = 8, %i = 4) init %A until 1 state %s : tensor<8x4xf32> {
    %n = te.extern "n" (%o: tensor<8x4xf32>) {
    }
    te.yield %n : tensor<8x4xf32>
  }
  te.return
}

// -----

// CHECK: the region yields (tensor<1x4xf32>), expected (tensor<8x4xf32>)
te.func @scan_that_yields_an_init(%A: tensor<1x4xf32>, %B: tensor<1xf32>) -> () {
  %S = te.scan "S" (%t = 8, %i = 4) init %A until 1 state %s : tensor<8x4xf32> {
    %n = te.compute "n" (%u = 8, %j = 4) : tensor<8x4xf32> {
      %0 = te.read %s[%u - 1, %j] : f32
      te.yield %0 : f32
    }
    te.yield %A : tensor<1x4xf32>
  }
  te.return
}

// -----

// CHECK: the region must end in te.yield
te.func @scan_without_a_yield(%A: tensor<1xf32>) -> () {
  %S = te.scan "S" (%t = 8) init %A until 1 state %s : tensor<8xf32> {
    %n = te.compute "n" (%u = 8) : tensor<8xf32> {
      %0 = te.read %s[%u - 1] : f32
      te.yield %0 : f32
    }
    llvm.unreachable
  }
  te.return
}

// -----

// CHECK: the region needs an index per axis, and a state per result
te.func @scan_without_a_state(%A: tensor<1xf32>) -> () {
  %S = "te.scan"(%A) <{stage_name = "S", lowers = affine_map<() -> (0)>, uppers = affine_map<() -> (8)>, until_map = affine_map<() -> (1)>, operandSegmentSizes = array<i32: 0, 0, 1>}> ({
  ^bb0(%t: index):
    %n = te.compute "n" (%u = 8) : tensor<8xf32> {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
    te.yield %n : tensor<8xf32>
  }) : (tensor<1xf32>) -> tensor<8xf32>
  te.return
}

// -----

// CHECK: the map of `until` does not fit its operands
te.func @scan_until_two_times(%A: tensor<1xf32>) -> () {
  %S = "te.scan"(%A) <{stage_name = "S", lowers = affine_map<() -> (0)>, uppers = affine_map<() -> (8)>, until_map = affine_map<() -> (1, 2)>, operandSegmentSizes = array<i32: 0, 0, 1>}> ({
  ^bb0(%t: index, %s: tensor<8xf32>):
    te.yield %s : tensor<8xf32>
  }) : (tensor<1xf32>) -> tensor<8xf32>
  te.return
}

// -----

// CHECK: a scan whose results have different shapes has no init: its steps say how they begin
te.func @scan_of_shapes_with_an_init(%A: tensor<1xf32>, %B: tensor<1x4xf32>) -> () {
  %S, %T = te.scan "S" (%t = 8) init %A, %B until 1 state %s, %r : tensor<8xf32>, tensor<8x4xf32> {
    %n = te.compute "n" (%u = 8) : tensor<8xf32> {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
    %p = te.compute "p" (%u = 8, %j = 4) : tensor<8x4xf32> {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
    te.yield %n, %p : tensor<8xf32>, tensor<8x4xf32>
  }
  te.return
}

// -----

// CHECK: the first axes of tensor<7x4xf32> are not those of the scan
te.func @scan_of_other_times(%A: tensor<1xf32>, %B: tensor<1x4xf32>) -> () {
  %S, %T = te.scan "S" (%t = 8) state %s, %r : tensor<8xf32>, tensor<7x4xf32> {
    %n = te.compute "n" (%u = 8) : tensor<8xf32> {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
    %p = te.compute "p" (%u = 8, %j = 4) : tensor<8x4xf32> {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
    te.yield %n, %p : tensor<8xf32>, tensor<8x4xf32>
  }
  te.return
}

// -----

// CHECK: axis 1 has extent 5, but dimension 1 of tensor<8x4xf32> is 4
te.func @scan_of_a_wrong_shape(%A: tensor<1xf32>, %B: tensor<1x4xf32>) -> () {
  %S, %T = te.scan "S" (%t = 8) state %s, %r : tensor<8xf32>, tensor<8x4xf32>[8, 5] {
    %n = te.compute "n" (%u = 8) : tensor<8xf32> {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
    %p = te.compute "p" (%u = 8, %j = 4) : tensor<8x4xf32> {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
    te.yield %n, %p : tensor<8xf32>, tensor<8x4xf32>
  }
  te.return
}

// -----

// CHECK: results with no other axes than the scan need no shapes
te.func @scan_of_shapes_for_nothing(%A: tensor<1xf32>, %B: tensor<1x4xf32>) -> () {
  %S, %T = te.scan "S" (%t = 8) state %s, %r : tensor<8xf32>[8], tensor<8xf32> {
    %n = te.compute "n" (%u = 8) : tensor<8xf32> {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
    %p = te.compute "p" (%u = 8, %j = 4) : tensor<8x4xf32> {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
    te.yield %n, %p : tensor<8xf32>, tensor<8x4xf32>
  }
  te.return
}

// -----

// CHECK: a result of type tensor<?x4xf32> needs its extents in brackets, as in tensor<?xf32>[%n]
te.func @scan_of_an_unknown_shape(%A: tensor<1xf32>, %B: tensor<1x4xf32>) -> () {
  %S, %T = te.scan "S" (%t = 8) state %s, %r : tensor<8xf32>, tensor<?x4xf32> {
    %n = te.compute "n" (%u = 8) : tensor<8xf32> {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
    %p = te.compute "p" (%u = 8, %j = 4) : tensor<8x4xf32> {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
    te.yield %n, %p : tensor<8xf32>, tensor<8x4xf32>
  }
  te.return
}

// -----

// CHECK: initial times need an init
te.func @scan_until_without_an_init() -> () {
  %S = "te.scan"() <{stage_name = "S", lowers = affine_map<() -> (0)>, uppers = affine_map<() -> (8)>, until_map = affine_map<() -> (1)>, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%t: index, %s: tensor<8xf32>):
    te.yield %s : tensor<8xf32>
  }) : () -> tensor<8xf32>
  te.return
}

// -----

// CHECK: 1 shapes for 2 results
te.func @scan_with_a_shape_too_few() -> () {
  %S, %T = "te.scan"() <{stage_name = "S", lowers = affine_map<() -> (0)>, uppers = affine_map<() -> (8)>, until_map = affine_map<() -> (0)>, shapes = [affine_map<() -> (8, 4)>], operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%t: index, %s: tensor<8x4xf32>, %r: tensor<8xf32>):
    te.yield %s, %r : tensor<8x4xf32>, tensor<8xf32>
  }) : () -> (tensor<8x4xf32>, tensor<8xf32>)
  te.return
}

// -----

// CHECK: a shape's map does not fit its operands
te.func @scan_with_a_shape_over_nothing() -> () {
  %S = "te.scan"() <{stage_name = "S", lowers = affine_map<() -> (0)>, uppers = affine_map<() -> (8)>, until_map = affine_map<() -> (0)>, shapes = [affine_map<(d0) -> (8, 4)>], operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%t: index, %s: tensor<8x4xf32>):
    te.yield %s : tensor<8x4xf32>
  }) : () -> tensor<8x4xf32>
  te.return
}

// -----

// CHECK: the body needs one argument per result, of its type and shape
te.func @extern_with_another_argument() -> () {
  %C = "te.extern"() <{stage_name = "C", shapes = [affine_map<() -> (4)>], lowers = affine_map<() -> ()>, uppers = affine_map<() -> ()>, data_axes = 0 : i64}> ({
  ^bb0(%c: tensor<5xf32>):
  }, {}) : () -> tensor<4xf32>
  te.return
}

// -----

// CHECK: a shape's map does not fit its operands
te.func @extern_with_another_map() -> () {
  %C = "te.extern"() <{stage_name = "C", shapes = [affine_map<(d0) -> (4)>], lowers = affine_map<() -> ()>, uppers = affine_map<() -> ()>, data_axes = 0 : i64}> ({
  ^bb0(%c: tensor<4xf32>):
  }, {}) : () -> tensor<4xf32>
  te.return
}

// -----

// CHECK: a box is over axes and the function's sizes, not zero
te.func @buffer_at_a_value(%A: tensor<4xf32>) -> () {
  %C = te.extern "C" (%c: tensor<4xf32>) {
    %zero = arith.constant 0 : index
    %a = te.buffer %A[%zero : 4] : memref<4xf32>
  }
  te.return
}

// -----

// CHECK: axes stand in parentheses of their own, before the results
te.func @extern_axis_behind_a_result() -> () {
  %C = te.extern "C" (%c: tensor<4xf32>, %i = 4) {
  }
  te.return
}

// -----

// CHECK: data axis 0 must start at 0
te.func @extern_axis_from_1() -> () {
  %C = te.extern "C" (%i = 1 to 4) (%c: tensor<4xf32>) {
  }
  te.return
}

// -----

// CHECK: reduce axes need an init region, which fills what the body updates
te.func @extern_without_init() -> () {
  %C = te.extern "C" (%i = 4) reduce (%k = 2) (%c: tensor<4xf32>) {
  }
  te.return
}

// -----

// CHECK: an init region needs reduce axes
te.func @extern_with_init() -> () {
  %C = te.extern "C" (%i = 4) (%c: tensor<4xf32>) {
  } init (%p, %o) {
  }
  te.return
}

// -----

// CHECK: the init needs one index per axis, and one argument per result, of its type and shape
te.func @extern_with_another_init() -> () {
  %C = te.extern "C" (%i = 4) reduce (%k = 2) (%c: tensor<4xf32>) {
  } init (%o) {
  }
  te.return
}

// -----

// CHECK: 1 shapes for 2 results
te.func @extern_with_a_shape_less() -> () {
  %C, %D = "te.extern"() <{stage_name = "C", shapes = [affine_map<() -> (4)>], lowers = affine_map<() -> ()>, uppers = affine_map<() -> ()>, data_axes = 0 : i64}> ({
  ^bb0(%c: tensor<4xf32>, %d: tensor<4xf32>):
  }, {}) : () -> (tensor<4xf32>, tensor<4xf32>)
  te.return
}

// -----

// CHECK: 'te.extern' does not contain single-block regions
te.func @extern_with_two_blocks() -> () {
  %C = te.extern "C" (%i = 4) reduce (%k = 2) (%c: tensor<4xf32>) {
  } init (%p, %o) {
    cf.br ^bb1
  ^bb1:
    cf.br ^bb1
  }
  te.return
}

// -----

// CHECK: what a point fills is over data axes; k is a reduce axis
te.func @extern_slice_over_a_reduce_axis() -> () {
  %C = te.extern "C" (%i = 4) reduce (%k = 2) (%c: tensor<8xf32>) {
    %0 = te.buffer %c[%i * 2 + %k : 1] : memref<f32, strided<[], offset: ?>>
  } init (%p, %o) {
  }
  te.return
}

// -----

// CHECK: te.read stands in an equation; an extern takes a te.buffer
te.func @extern_init_reads(%A: tensor<4xf32>) -> () {
  %C = te.extern "C" (%i = 4) reduce (%k = 2) (%c: tensor<4xf32>) {
  } init (%p, %o) {
    %a = te.read %A[%p] : f32
  }
  te.return
}

// -----

// CHECK: 2 pairs for the 1 axes of memref<8xf32>
te.func @buffer_that_leaves_two_elements_out(%A: tensor<4x8xf32>) -> () {
  %C = te.extern "C" (%c: tensor<4xf32>) {
    %a = te.buffer %A[0 : 2, 0 : 8] : memref<8xf32>
  }
  te.return
}

// -----

// CHECK: value %l is not defined above this use
te.func @bounds_over_a_later_axis(%A: tensor<4xf32>) -> () {
  %S = te.compute "S" (%i = 4) reduce (%k = %l to 4, %l = 4) : tensor<4xf32> {
    %a = te.read %A[%k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    te.yield %x : f32
  }
  te.return
}

// -----

// CHECK: data axis 1 must run as far wherever others are
te.func @data_axis_over_another(%A: tensor<4xf32>) -> () {
  %S = te.compute "S" (%i = 4, %j = %i) : tensor<4x4xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return
}

// -----

// CHECK: an intrinsic holds one te.compute and te.externs that do the same
te.intrinsic @without_an_equation (%x: tensor<4xf32>) {
  %body = te.extern "body" (%out: tensor<4xf32>) {
  }
}

// -----

// CHECK: an intrinsic needs an extern "body" or "update"
te.intrinsic @without_code (%x: tensor<4xf32>) {
  %z = te.compute "z" (%i = 4) : tensor<4xf32> {
    %0 = te.read %x[%i] : f32
    te.yield %0 : f32
  }
}

// -----

// CHECK: an extern of an intrinsic is named body, reset, update, not code
te.intrinsic @another_form (%x: tensor<4xf32>) {
  %z = te.compute "z" (%i = 4) : tensor<4xf32> {
    %0 = te.read %x[%i] : f32
    te.yield %0 : f32
  }
  %body = te.extern "code" (%out: tensor<4xf32>) {
  }
}

// -----

// CHECK: the body of an intrinsic fills what its equation does
te.intrinsic @another_type (%x: tensor<4xf32>) {
  %z = te.compute "z" (%i = 4) : tensor<4xf32> {
    %0 = te.read %x[%i] : f32
    te.yield %0 : f32
  }
  %body = te.extern "body" (%out: tensor<4xf64>) {
  }
}

// -----

// CHECK: the update of an intrinsic needs an equation that reduces
te.intrinsic @nothing_to_update (%x: tensor<4xf32>) {
  %z = te.compute "z" (%i = 4) : tensor<4xf32> {
    %0 = te.read %x[%i] : f32
    te.yield %0 : f32
  }
  %body = te.extern "update" (%out: tensor<4xf32>) {
  }
}

// -----

// CHECK: the tensors of an intrinsic are static
te.intrinsic @of_a_size (%x: tensor<?xf32>) {
  %z = te.compute "z" (%i = 4) : tensor<4xf32> {
    %0 = te.read %x[%i] : f32
    te.yield %0 : f32
  }
  %body = te.extern "body" (%out: tensor<4xf32>) {
  }
}

// -----

// CHECK: an update needs a domain: axes after reduce
te.func @update_without_a_domain(%A: tensor<4xf32>) -> () {
  %H = te.update "H" (%i = 4) state %h : tensor<4xf32> {
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return
}

// -----

// CHECK: 2 states for 1 results
te.func @update_of_two_states(%A: tensor<4xf32>) -> () {
  %H = te.update "H" (%i = 4) reduce (%r = 4) state %h, %k : tensor<4xf32> {
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return
}

// -----

// CHECK: the init region yields (f32), expected (i32)
te.func @update_that_begins_as_floats(%A: tensor<4xf32>) -> () {
  %H = te.update "H" (%i = 4) reduce (%r = 4) state %h : tensor<4xi32> {
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return
}

// -----

// CHECK: the until region needs an index per axis of the domain, then a state per result
te.func @update_until_a_third_axis(%A: tensor<4xf32>) -> () {
  %H = te.update "H" (%i = 4) reduce (%r = 4) state %h : tensor<4xf32> {
  } until (%p, %q) state %g {
    %true = arith.constant true
    te.yield %true : i1
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return
}

// -----

// CHECK: the until region yields one i1: whether the loop has ended
te.func @update_until_a_float(%A: tensor<4xf32>) -> () {
  %H = te.update "H" (%i = 4) reduce (%r = 4) state %h : tensor<4xf32> {
  } until (%p) state %g {
    %now = te.read %g[%p] : f32
    te.yield %now : f32
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return
}

// -----

// CHECK: a point reads states before it writes; read above the te.write
te.func @update_that_reads_what_it_wrote(%A: tensor<4xf32>) -> () {
  %H = te.update "H" (%i = 4) reduce (%r = 4) state %h : tensor<4xf32> {
    %old = te.read %h[%r] : f32
    te.write %old, %h[0] : f32
    %new = te.read %h[0] : f32
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return
}

// -----

// CHECK: writes what is no state of an update
te.func @write_to_an_argument(%A: tensor<4xf32>) -> () {
  %H = te.update "H" (%i = 4) reduce (%r = 4) state %h : tensor<4xf32> {
    %old = te.read %h[%r] : f32
    te.write %old, %A[%r] : f32
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return
}

// -----

// CHECK: until only reads
te.func @write_in_until(%A: tensor<4xf32>) -> () {
  %H = te.update "H" (%i = 4) reduce (%r = 4) state %h : tensor<4xf32> {
  } until (%p) state %g {
    %old = te.read %g[%p] : f32
    te.write %old, %g[%p] : f32
    %true = arith.constant true
    te.yield %true : i1
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return
}

// -----

// CHECK: 2 subscripts for the 1 axes of tensor<4xf32>
te.func @write_of_two_subscripts(%A: tensor<4xf32>) -> () {
  %H = te.update "H" (%i = 4) reduce (%r = 4) state %h : tensor<4xf32> {
    %old = te.read %h[%r] : f32
    te.write %old, %h[%r, 0] : f32
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return
}

// -----

// CHECK: writes i32 to tensor<4xf32>
te.func @write_of_an_integer(%A: tensor<4xf32>) -> () {
  %H = te.update "H" (%i = 4) reduce (%r = 4) state %h : tensor<4xf32> {
    %old = arith.constant 1 : i32
    te.write %old, %h[%r] : i32
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return
}

// -----

// CHECK: the axes of an intrinsic have constant bounds
te.intrinsic @triangle (%x: tensor<4xf32>) {
  %z = te.compute "z" (%i = 4) reduce (%k = %i) : tensor<4xf32> {
    %0 = te.read %x[%k] : f32
    te.yield %0 : f32
  } combine (%s: f32, %t: f32) identity [0.0 : f32] {
    %0 = arith.addf %s, %t : f32
    te.yield %0 : f32
  }
  %body = te.extern "body" (%out: tensor<4xf32>) {
  }
}

// -----

// CHECK: %p is no axis of this equation
te.func @bounds_of_no_axis(%A: tensor<4xf32>) -> () {
  %S = te.compute "S" (%i = 4) reduce (%k = 4) : tensor<4xf32> {
    %a = te.read %A[%k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    te.yield %x : f32
  } bounds %p (%p) {
  }
  te.return
}

// -----

// CHECK: only reduce axes have bounds from data
te.func @bounds_of_a_data_axis(%A: tensor<4xf32>) -> () {
  %S = te.compute "S" (%i = 4) reduce (%k = 4) : tensor<4xf32> {
    %a = te.read %A[%k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    te.yield %x : f32
  } bounds %i (%p) {
    te.yield %p, %p : index, index
  }
  te.return
}

// -----

// CHECK: the bounds region yields (index), expected (index, index)
te.func @one_bound(%A: tensor<4xf32>) -> () {
  %S = te.compute "S" (%i = 4) reduce (%k = 4) : tensor<4xf32> {
    %a = te.read %A[%k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    te.yield %x : f32
  } bounds %k (%p) {
    te.yield %p : index
  }
  te.return
}

// -----

// CHECK: an axis has bounds from data twice
te.func @bounds_twice(%A: tensor<4xf32>) -> () {
  %S = te.compute "S" (%i = 4) reduce (%k = 4) : tensor<4xf32> {
    %a = te.read %A[%k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    te.yield %x : f32
  } bounds %k, %k (%p) {
    te.yield %p, %p, %p, %p : index, index, index, index
  }
  te.return
}

// -----

// CHECK: data axis 0 must start at 0
te.func @step_that_starts_at_one(%X: tensor<1xf32>) -> (tensor<8xf32>) {
  %S = te.scan "S" (%t = 8) init %X until 1 state %s : tensor<8xf32> {
    %next = te.compute "next" (%u = 1 to 9) : tensor<8xf32> {
      %x = te.read %s[%u - 1] : f32
      te.yield %x : f32
    }
    te.yield %next : tensor<8xf32>
  }
  te.return %S : tensor<8xf32>
}

// -----

// CHECK: a domain is over sizes and data axes; bounds are of reduce axes
te.func @domain_over_reduce_axes(%A: tensor<4xf32>) -> (tensor<4xf32>) {
  %S = te.compute "S" (%i = 4) reduce (%k = 4) where (%i - %k >= 0) : tensor<4xf32> {
    %a = te.read %A[%k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    te.yield %x : f32
  }
  te.return %S : tensor<4xf32>
}

// -----

// CHECK: only the axes of an equation or an update have a domain
te.func @domain_of_a_scan(%X: tensor<1xf32>) -> (tensor<8xf32>) {
  %S = te.scan "S" (%t = 8) where (%t - 1 >= 0) init %X until 1 state %s : tensor<8xf32> {
    %next = te.compute "next" (%u = 8) : tensor<8xf32> {
      %x = te.read %s[%u - 1] : f32
      te.yield %x : f32
    }
    te.yield %next : tensor<8xf32>
  }
  te.return %S : tensor<8xf32>
}

// -----

// CHECK: 0 lower bounds and 1 upper bounds of its axes
te.func @bounds_of_half_an_axis() -> () {
  %S = "te.scan"() <{stage_name = "S", lowers = affine_map<() -> ()>, uppers = affine_map<() -> (8)>, until_map = affine_map<() -> (0)>, shapes = [affine_map<(d0) -> (8, 4)>], operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%t: index, %s: tensor<8x4xf32>):
    te.yield %s : tensor<8x4xf32>
  }) : () -> tensor<8x4xf32>
  te.return
}

// -----

// CHECK: argument %A of type tensor<*xf32> has no number of axes
te.func @no_rank(%A: tensor<*xf32>) -> (tensor<4xf32>) {
  te.return %A : tensor<4xf32>
}
