// RUN: TELOOM_ROUNDTRIP %s
// RUN: teloom-opt %s | filecheck %s

%p, %i, %f, %v, %m, %u = "test.op"() : () -> (!llvm.ptr, i32, f32, vector<4xf32>, vector<4xi1>, vector<4xi32>)

// Conversions between floats and integers.
// CHECK: llvm.fptosi %f : f32 to i32
%0 = llvm.fptosi %f : f32 to i32
// CHECK: llvm.fptoui %f : f32 to i32
%1 = llvm.fptoui %f : f32 to i32
// CHECK: llvm.uitofp %u : vector<4xi32> to vector<4xf32>
%2 = llvm.uitofp %u : vector<4xi32> to vector<4xf32>

// Values that are not known.
// CHECK: llvm.mlir.poison : vector<4xf32>
%3 = llvm.mlir.poison : vector<4xf32>
// CHECK: llvm.freeze %i : i32
%4 = llvm.freeze %i : i32

// Lanes of vectors.
// CHECK: llvm.extractelement %v[%i : i32] : vector<4xf32>
%5 = llvm.extractelement %v[%i : i32] : vector<4xf32>
// CHECK: llvm.fcmp "olt" %v, %v : vector<4xf32>
%6 = llvm.fcmp "olt" %v, %v : vector<4xf32>
// CHECK: llvm.fcmp "uno" %f, %f {fastmathFlags = #llvm.fastmath<ninf>} : f32
%7 = llvm.fcmp "uno" %f, %f {fastmathFlags = #llvm.fastmath<ninf>} : f32
// CHECK: llvm.select %m, %v, %v : vector<4xi1>, vector<4xf32>
%8 = llvm.select %m, %v, %v : vector<4xi1>, vector<4xf32>

// Accesses under a mask, of integers too.
// CHECK: llvm.intr.masked.load %p, %m, %v {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
%9 = llvm.intr.masked.load %p, %m, %v {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
// CHECK: llvm.intr.masked.store %u, %p, %m {alignment = 4 : i32} : vector<4xi32>, vector<4xi1> into !llvm.ptr
llvm.intr.masked.store %u, %p, %m {alignment = 4 : i32} : vector<4xi32>, vector<4xi1> into !llvm.ptr
// CHECK: llvm.getelementptr inbounds %p[%l] : (!llvm.ptr, vector<4xi64>) -> vector<4x!llvm.ptr>, f32
%l = "test.op"() : () -> vector<4xi64>
%q = llvm.getelementptr inbounds %p[%l] : (!llvm.ptr, vector<4xi64>) -> vector<4x!llvm.ptr>, f32
// CHECK: llvm.intr.masked.gather %q, %m, %v {alignment = 4 : i32} : (vector<4x!llvm.ptr>, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
%10 = llvm.intr.masked.gather %q, %m, %v {alignment = 4 : i32} : (vector<4x!llvm.ptr>, vector<4xi1>, vector<4xf32>) -> vector<4xf32>

// What other threads see first.
// CHECK: llvm.fence seq_cst
llvm.fence seq_cst
// CHECK: llvm.fence release
llvm.fence release

// What LLVM is asked to do with a loop.
// CHECK: #llvm.loop_annotation<vectorize = <disable = false, width = 16 : i32>, unroll = <disable = false, full = true>, mustProgress = true>
"test.op"() {loop = #llvm.loop_annotation<vectorize = <disable = false, width = 16 : i32>, unroll = <disable = false, full = true>, mustProgress = true>} : () -> ()

// Which accesses do not overlap.
// CHECK: #llvm.alias_scope<id = "0.1", domain = <id = "f">>
"test.op"() {alias_scopes = [#llvm.alias_scope<id = "0.1", domain = <id = "f">>]} : () -> ()

// What is wanted near: for a read, in all caches, of data.
// CHECK: "llvm.intr.prefetch"(%p) <{rw = 0 : i32, hint = 3 : i32, cache = 1 : i32}> : (!llvm.ptr) -> ()
"llvm.intr.prefetch"(%p) <{rw = 0 : i32, hint = 3 : i32, cache = 1 : i32}> : (!llvm.ptr) -> ()

// Upstream gives a group of options a name of its own.
// CHECK: "test.op"() {a = #llvm.loop_unroll<disable = true>, b = #llvm.loop_annotation<unroll = <disable = true>, unrollAndJam = <count = 4 : i32>>}
"test.op"() {a = #llvm.loop_unroll<disable = true>, b = #llvm.loop_annotation<unroll = #llvm.loop_unroll<disable = true>, unrollAndJam = #llvm.loop_unroll_and_jam<count = 4 : i32>>} : () -> ()
