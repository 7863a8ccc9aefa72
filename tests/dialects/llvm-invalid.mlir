// RUN: not teloom-opt %s --split-input-file 2>&1 | filecheck %s

// CHECK: loop annotation has no option 'unrol'; known: disableNonforced, vectorize
"test.op"() {loop = #llvm.loop_annotation<unrol = true>} : () -> ()

// -----

// CHECK: loop annotation has no option 'ful'; known: disable, count, runtimeDisable, full
"test.op"() {loop = #llvm.loop_annotation<unroll = <ful = true>>} : () -> ()

// -----

// CHECK: loop option 'full' is a boolean, got 3 : i32
"test.op"() {loop = #llvm.loop_annotation<unroll = <full = 3 : i32>>} : () -> ()

// -----

// CHECK: loop option 'width' is an integer, got true
"test.op"() {loop = #llvm.loop_annotation<vectorize = <width = true>>} : () -> ()

// -----

// CHECK: llvm.fcmp of vector<4xf32> gives vector<4xi1>, not i1
%v = "test.op"() : () -> vector<4xf32>
%c = "llvm.fcmp"(%v, %v) <{predicate = 1 : i64}> : (vector<4xf32>, vector<4xf32>) -> i1

// -----

// CHECK: 'lt' is not a valid FCmpPredicateFlag
%v = "test.op"() : () -> vector<4xf32>
%c = llvm.fcmp "lt" %v, %v : vector<4xf32>

// -----

// CHECK: i32 should be of base attribute vector
%i = "test.op"() : () -> i32
%x = llvm.extractelement %i[%i : i32] : i32

// -----

// CHECK: expected attribute i1 but got i32
%v, %m = "test.op"() : () -> (vector<4xf32>, vector<4xi32>)
%x = llvm.select %m, %v, %v : vector<4xi32>, vector<4xf32>

// -----

// CHECK: expected 'domain'
"test.op"() {scope = #llvm.alias_scope<id = "T", of = "f">} : () -> ()

// -----

// CHECK: property 'cache' expected
%p = "test.op"() : () -> !llvm.ptr
"llvm.intr.prefetch"(%p) <{rw = 0 : i32, hint = 3 : i32}> : (!llvm.ptr) -> ()

// -----

// CHECK: loop option 'vectorize' is a group: vectorize = <..>
"test.op"() {b = #llvm.loop_annotation<vectorize = #llvm.loop_unroll<disable = true>>} : () -> ()

// -----

// CHECK: loop annotation has no option 'enable'; known: disable, count
"test.op"() {b = #llvm.loop_unroll<enable = true>} : () -> ()

// -----

// CHECK: 72:6: error: llvm.load is not written like this
// CHECK-NEXT: %v = llvm.load
// CHECK-NEXT: ^^^^^^^^^
%p = "test.op"() : () -> !llvm.ptr
%v = llvm.load %p {alignment = "x"} : !llvm.ptr -> f32

// -----

// CHECK: error: llvm.alloca is not written like this
%n = "test.op"() : () -> i64
%p = llvm.alloca %n x f32 : () -> !llvm.ptr
