// RUN: not teloom-opt %s --split-input-file 2>&1 | filecheck %s

// CHECK: the upper bound has no result
"loop.for"() <{lower = affine_map<() -> (0)>, upper = affine_map<() -> ()>, kind = #loop.kind<serial>}> ({
^bb0(%i: index):
}) : () -> ()

// -----

// CHECK: the lower bound map does not fit its operands
"loop.for"() <{lower = affine_map<(d0) -> (d0)>, upper = affine_map<() -> (4)>, kind = #loop.kind<serial>}> ({
^bb0(%i: index):
}) : () -> ()

// -----

// CHECK: the body needs one index argument
"loop.for"() <{lower = affine_map<() -> (0)>, upper = affine_map<() -> (4)>, kind = #loop.kind<serial>}> ({
^bb0:
}) : () -> ()

// -----

// CHECK: a condition needs a constraint in each alternative
func.func @nothing_to_hold(%x: f32, %data: memref<4xf32>) {
  %A = loop.bind %data [0 : 4] : memref<4xf32>
  loop.if () {
    loop.store %x, %A[0] : f32
  }
  func.return
}

// -----

// CHECK: a constraint compares with 0; write %a - 3 >= 0 for what is at least 3
func.func @compares_with_one(%i: index, %x: f32, %data: memref<4xf32>) {
  %A = loop.bind %data [0 : 4] : memref<4xf32>
  loop.if (%i >= 1) {
    loop.store %x, %A[0] : f32
  }
  func.return
}

// -----

// CHECK: the constraint map does not fit its operands
"loop.if"() <{constraints = affine_map<(d0) -> (d0)>, counts = array<i64: 0, 1>}> ({
^bb0:
}, {
^bb0:
}) : () -> ()

// -----

// CHECK: counts [2, 0] do not fit 1 constraints
"loop.if"() <{constraints = affine_map<() -> (0)>, counts = array<i64: 2, 0>}> ({
^bb0:
}, {
^bb0:
}) : () -> ()

// -----

// CHECK: 2 axes for a result of type !loop.tensor<1, f32>
%b = loop.realize "b" [0 : 4, 0 : 4] : !loop.tensor<1, f32>

// -----

// CHECK: loop.realize gives a !loop.tensor, not tensor<4xf32>
%b = loop.realize "b" [0 : 4] : tensor<4xf32>

// -----

// CHECK: 1 extents for the 2 axes of !loop.tensor<2, f32>
%b = "loop.realize"() <{stage_name = "b", offsets = affine_map<() -> (0, 0)>, extents = affine_map<() -> (4)>}> : () -> !loop.tensor<2, f32>

// -----

// CHECK: the offset map does not fit its operands
%b = "loop.realize"() <{stage_name = "b", offsets = affine_map<(d0) -> (d0)>, extents = affine_map<() -> (4)>}> : () -> !loop.tensor<1, f32>

// -----

// CHECK: storage memref<4x4xf32> is not 1-D
func.func @plane(%data: memref<4x4xf32>) {
  %A = loop.bind %data [0 : 4, 0 : 4] : memref<4x4xf32>
  func.return
}

// -----

// CHECK: storage memref<4xf32> holds no f64
func.func @other_element(%data: memref<4xf32>) {
  %A = "loop.bind"(%data) <{offsets = affine_map<() -> (0)>, extents = affine_map<() -> (4)>}> : (memref<4xf32>) -> !loop.tensor<1, f64>
  func.return
}

// -----

// CHECK: 1 subscripts for the 2 axes of !loop.tensor<2, f32>
func.func @too_few_subscripts(%data: memref<4xf32>) {
  %A = loop.bind %data [0 : 2, 0 : 2] : memref<4xf32>
  %a = loop.load %A[0] : f32
  func.return
}

// -----

// CHECK: f64 is not the element type of !loop.tensor<1, f32>
func.func @loads_another_type(%data: memref<4xf32>) {
  %A = loop.bind %data [0 : 4] : memref<4xf32>
  %a = loop.load %A[0] : f64
  func.return
}

// -----

// CHECK: 2 subscripts for the 1 axes of !loop.tensor<1, f32>
func.func @too_many_subscripts(%a: f32, %data: memref<4xf32>) {
  %A = loop.bind %data [0 : 4] : memref<4xf32>
  loop.store %a, %A[0, 0] : f32
  func.return
}

// -----

// CHECK: f64 is not the element type of !loop.tensor<1, f32>
func.func @stores_another_type(%a: f64, %data: memref<4xf32>) {
  %A = loop.bind %data [0 : 4] : memref<4xf32>
  loop.store %a, %A[0] : f64
  func.return
}

// -----

// CHECK: loop.store needs a !loop.tensor, got memref<4xf32>
func.func @stores_to_memory(%a: f32, %data: memref<4xf32>) {
  loop.store %a, %data[0] : f32
  func.return
}

// -----

// CHECK: a region of 22 elements in storage memref<21xf32>
func.func @longer_than_its_storage(%data: memref<21xf32>) {
  %A = loop.bind %data [0 : 22] : memref<21xf32>
  func.return
}

// -----

// CHECK: no storage scope "share"; scopes: global, shared, warp, local, and each with a tag, as in global.vtcm; did you mean 'shared'?
func.func @no_scope() {
  %b = loop.realize "b" [0 : 8] in "share" : !loop.tensor<1, f32>
  func.return
}

// -----

// CHECK: axis 1 is none of the 1
func.func @aligned_axis() {
  %b = loop.realize "b" [0 : 8] aligned axis 1 factor 2 offset 0 : !loop.tensor<1, f32>
  func.return
}

// -----

// CHECK: a stride cannot be 2 modulo 2
func.func @aligned_by() {
  %b = loop.realize "b" [0 : 8] aligned axis 0 factor 2 offset 2 : !loop.tensor<1, f32>
  func.return
}

// -----

// CHECK: no storage scope "vtcm"; scopes: global, shared, warp, local
loop.memory "vtcm" limit 1024

// -----

// CHECK: scope "shared" has no tag: only of a memory with one, as "shared.vtcm", a limit and an alignment can be said
loop.memory "shared" limit 1024

// -----

// CHECK: memory "global.vtcm" has neither a limit nor an alignment
loop.memory "global.vtcm"

// -----

// CHECK: memory "global.vtcm" with limit 0: it must hold at least 1 byte
loop.memory "global.vtcm" limit 0

// -----

// CHECK: memory "global.vtcm" with alignment 4: it must be a power of two from 8 on
loop.memory "global.vtcm" alignment 4

// -----

// CHECK: memory "global.vtcm" with alignment 96: it must be a power of two from 8 on
loop.memory "global.vtcm" alignment 96

// -----

// CHECK: loop-invalid.mlir:[[# @LINE + 2]]:1: error: redefinition of symbol "global.vtcm"
loop.memory "global.vtcm" limit 1024
loop.memory "global.vtcm" alignment 64

// -----

// CHECK: 'loop.memory' expects parent op 'builtin.module'
func.func @inside() {
  loop.memory "global.vtcm" limit 1024
  func.return
}

// -----

// CHECK: loop.buffer needs a !loop.tensor, got memref<4xf32>
func.func @buffer_of_a_memref(%A: memref<4xf32>) {
  %a = loop.buffer %A[0 : 4] : memref<4xf32>
  func.return
}

// -----

// CHECK: 1 strides, expected 2
func.func @too_few_strides(%data: memref<?xf32>) {
  %A = loop.bind %data [0 : 2, 0 : 2] strides [2] : memref<?xf32>
  func.return
}

// -----

// CHECK: separators [1] must rise, and have some of the 1 physical axes on both sides
func.func @separated_at_the_end() {
  %b = loop.realize "b" [0 : 8] layout affine_map<(d0) -> (d0)> separators [1] : !loop.tensor<1, f32>
  func.return
}

// -----

// CHECK: a region that reaches element 12 in storage memref<12xf32>
func.func @strides_beyond_the_storage(%data: memref<12xf32>) {
  %A = loop.bind %data [0 : 3, 0 : 2] strides [5, 2] : memref<12xf32>
  func.return
}

// -----

// CHECK: layout<affine_map<(d0, d1) -> (d0)>> is over 2 axes, not 1
func.func @layout_axes() {
  %b = loop.realize "b" [0 : 8] layout affine_map<(d0, d1) -> (d0)> : !loop.tensor<1, f32>
  func.return
}

// -----

// CHECK: layout<affine_map<(d0, d1) -> (d0)>> is over 2 axes, not 1
func.func @layout_axes_of_given(%data: memref<8xf32>) {
  %b = loop.bind %data [0 : 8] layout affine_map<(d0, d1) -> (d0)> : memref<8xf32>
  func.return
}

// -----

// CHECK: (d0 floordiv 0) divides by no positive constant
func.func @layout_by_zero() {
  %b = loop.realize "b" [0 : 8] layout affine_map<(d0) -> (d0 floordiv 0)> : !loop.tensor<1, f32>
  func.return
}

// -----

// CHECK: a layout has physical axes, and no symbols
func.func @layout_symbols() {
  %b = loop.realize "b" [0 : 8] layout affine_map<(d0)[s0] -> (d0)> : !loop.tensor<1, f32>
  func.return
}

// -----

// CHECK: a layout is an affine_map, not 3 : i64
func.func @layout_number() {
  %b = loop.realize "b" [0 : 8] layout 3 : i64 : !loop.tensor<1, f32>
  func.return
}

// -----

// CHECK: a packed triangle is "lower" or "upper", not "left"
func.func @packed_left() {
  %b = loop.realize "b" [0 : 8, 0 : 8] layout affine_map<(d0, d1) -> (d0, d1)> packed left : !loop.tensor<2, f32>
  func.return
}

// -----

// CHECK: a packed layout ends in the row and the column of a triangle, in one dimension of memory
func.func @packed_apart() {
  %b = loop.realize "b" [0 : 8, 0 : 8] layout affine_map<(d0, d1) -> (d0, d1)> separators [1] packed lower : !loop.tensor<2, f32>
  func.return
}

// -----

// CHECK: a packed triangle is not folded: #loop.layout<affine_map<(d0, d1) -> (d0, d1)> packed lower>
func.func @packed_folded() {
  %b = loop.realize "b" [0 : 8, 0 : 8] folded axis 0 factor 2 layout affine_map<(d0, d1) -> (d0, d1)> packed lower : !loop.tensor<2, f32>
  func.return
}

// -----

// CHECK: aligned axis 0 is no axis with a stride in #loop.layout<affine_map<(d0, d1) -> (d0, d1)> packed lower>
func.func @packed_aligned() {
  %b = loop.realize "b" [0 : 8, 0 : 8] aligned axis 0 factor 2 offset 1 layout affine_map<(d0, d1) -> (d0, d1)> packed lower : !loop.tensor<2, f32>
  func.return
}

// -----

// CHECK: aligned axis 0 is no axis with a stride in #loop.layout<affine_map<(d0) -> ((d0 * 2))>>
func.func @aligned_layout() {
  %b = loop.realize "b" [0 : 8] aligned axis 0 factor 2 offset 1 layout affine_map<(d0) -> (d0 * 2)> : !loop.tensor<1, f32>
  func.return
}

// -----

// CHECK: storage memref<8xf32> has no place for separators
func.func @separated_storage(%data: memref<8xf32>) {
  %b = loop.bind %data [0 : 8] layout affine_map<(d0) -> (d0 mod 4, d0 floordiv 4)> separators [1] : memref<8xf32>
  func.return
}

// -----

// CHECK: a region that reaches element 12 in storage memref<12xf32>
func.func @offset_beyond_the_storage(%data: memref<12xf32>) {
  %A = loop.bind %data [0 : 2, 0 : 2] offset 9 : memref<12xf32>
  func.return
}

// -----

// CHECK: memref<4xi8> holds no f32
func.func @buffer_of_another_element(%A: memref<4xf32>) {
  %a = loop.bind %A [0 : 4] : memref<4xf32>
  %b = loop.buffer %a[0 : 4] : memref<4xi8>
  func.return
}

// -----

// CHECK: vector<8xi8> and vector<6xi8> for 2 sums
func.func @dot_of_other_lanes(%a: vector<8xi8>, %b: vector<6xi8>, %s: vector<2xi32>) {
  %t = loop.dot %a, %b into %s : vector<8xi8>, vector<6xi8>, vector<2xi32>
  func.return
}

// -----

// CHECK: vector<6xi8> and vector<6xi8> for 4 sums
func.func @dot_of_parts_of_lanes(%a: vector<6xi8>, %s: vector<4xi32>) {
  %t = loop.dot %a, %a into %s : vector<6xi8>, vector<6xi8>, vector<4xi32>
  func.return
}

// -----

// CHECK: products of vector<2xi8> and vector<2xi32> for sums of vector<1xi16>
func.func @dot_of_wide_factors(%a: vector<2xi8>, %b: vector<2xi32>, %s: vector<1xi16>) {
  %t = loop.dot %a, %b into %s : vector<2xi8>, vector<2xi32>, vector<1xi16>
  func.return
}

// -----

// CHECK: products of vector<4xbf16> and vector<4xi8> for sums of vector<2xf32>
func.func @dot_of_floats_and_integers(%a: vector<4xbf16>, %b: vector<4xi8>, %s: vector<2xf32>) {
  %t = loop.dot %a, %b into %s : vector<4xbf16>, vector<4xi8>, vector<2xf32>
  func.return
}

// -----

// CHECK: vector<4xbf16> has a sign: floats are never unsigned
func.func @dot_of_floats_without_sign(%a: vector<4xbf16>, %s: vector<2xf32>) {
  %t = loop.dot unsigned %a, %a into %s : vector<4xbf16>, vector<4xbf16>, vector<2xf32>
  func.return
}

// -----

// CHECK: loop.element_count needs an extent
func.func @count_of_nothing() {
  %count = loop.element_count []
  func.return
}

// -----

// CHECK: 1 subscripts for the 2 axes of !loop.tensor<2, f32>
func.func @prefetch_of_a_row(%A: memref<12xf32>) {
  %a = loop.bind %A [0 : 3, 0 : 4] : memref<12xf32>
  loop.prefetch %a[0] : f32
  func.return
}

// -----

// CHECK: f64 is not the element type of !loop.tensor<1, f32>
func.func @prefetch_of_another_type(%A: memref<4xf32>) {
  %a = loop.bind %A [0 : 4] : memref<4xf32>
  loop.prefetch %a[0] : f64
  func.return
}

// -----

// CHECK: 2 values for 1 tensors
func.func @reduce_of_another_count(%A: memref<4xf32>, %x: f32) {
  %a = loop.bind %A [0 : 4] : memref<4xf32>
  loop.reduce %x, %x into %a[0] : f32, f32 combine (%p, %q, %r, %s) {
    loop.yield %p, %q : f32, f32
  }
  func.return
}

// -----

// CHECK: i32 at 1 subscripts is no element of !loop.tensor<1, f32>
func.func @reduce_of_another_type(%A: memref<4xf32>, %x: i32) {
  %a = loop.bind %A [0 : 4] : memref<4xf32>
  loop.reduce %x into %a[0] : i32 combine (%p, %q) {
    loop.yield %p : i32
  }
  func.return
}

// -----

// CHECK: combine yields f32, f32, expected f32
func.func @reduce_to_two(%A: memref<4xf32>, %x: f32) {
  %a = loop.bind %A [0 : 4] : memref<4xf32>
  loop.reduce %x into %a[0] : f32 combine (%p, %q) {
    loop.yield %p, %q : f32, f32
  }
  func.return
}

// -----

// CHECK: 2 identity values for 1 tensors
func.func @identity_of_two(%A: memref<4xf32>, %x: f32) {
  %a = loop.bind %A [0 : 4] : memref<4xf32>
  loop.reduce %x into %a[0] : f32 combine (%p, %q) identity [0.0 : f32, 0.0 : f32] {
    loop.yield %p : f32
  }
  func.return
}

// -----

// CHECK: identity 0 : i32 is not a constant of type f32
func.func @identity_of_another_type(%A: memref<4xf32>, %x: f32) {
  %a = loop.bind %A [0 : 4] : memref<4xf32>
  loop.reduce %x into %a[0] : f32 combine (%p, %q) identity [0 : i32] {
    loop.yield %p : f32
  }
  func.return
}

// -----

// CHECK: 1 arguments to combine 1 values
func.func @combine_of_one(%A: memref<4xf32>, %x: f32) {
  %a = loop.bind %A [0 : 4] : memref<4xf32>
  loop.reduce %x into %a[0] : f32 combine (%p) {
    loop.yield %p : f32
  }
  func.return
}

// -----

// CHECK: 1 subscripts for the 2 axes of !loop.tensor<2, f32>
func.func @init_of_a_row(%A: memref<12xf32>, %x: f32) {
  %a = loop.bind %A [0 : 3, 0 : 4] : memref<12xf32>
  loop.init %x, %a[0] : f32
  func.return
}

// -----

// CHECK: no tail 'roundup'; did you mean 'round_up'?; known: auto, guard, cut, predicate, round_up, shift_inwards
func.func @unknown_tail(%A: memref<4xf32>) {
  loop.for %i = 0 to 4 attributes {loop.tail = "roundup"} {
  }
  func.return
}

// -----

// CHECK: no partition 'sometimes'; known: auto, never, always
func.func @unknown_partition(%A: memref<4xf32>) {
  loop.for %i = 0 to 4 attributes {loop.partition = "sometimes"} {
  }
  func.return
}

// -----

// CHECK: loop.tail is 3 : i64, not a word
func.func @number_as_tail(%A: memref<4xf32>) {
  loop.for %i = 0 to 4 attributes {loop.tail = 3 : i64} {
  }
  func.return
}
