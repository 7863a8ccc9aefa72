// RUN: TELOOM_ROUNDTRIP %s | filecheck %s

// Every command; handles carry the names that the user sees.
// CHECK-LABEL: schedule.sequence @commands on @f {
schedule.sequence @commands on @f {
  // CHECK-NEXT: %C = schedule.get "C"
  %C = schedule.get "C"
  // CHECK-NEXT: %i, %j, %k, %l = schedule.axes 4 of %C
  %i, %j, %k, %l = schedule.axes 4 of %C
  // CHECK-NEXT: %io, %ii = schedule.split %i factor 8
  %io, %ii = schedule.split %i factor 8
  // CHECK-NEXT: %jo, %ji = schedule.split %j nparts 4 tail "guard"
  %jo, %ji = schedule.split %j nparts 4 tail "guard"
  // CHECK-NEXT: schedule.pad_einsum %i by 16
  schedule.pad_einsum %i by 16
  // CHECK-NEXT: %one = schedule.singleton of %C
  %one = schedule.singleton of %C
  // CHECK-NEXT: %f = schedule.fuse %ii, %jo
  %f = schedule.fuse %ii, %jo
  // CHECK-NEXT: %s = schedule.shift %f by -3
  %s = schedule.shift %f by -3
  // CHECK-NEXT: %r = schedule.reverse %s
  %r = schedule.reverse %s
  // CHECK-NEXT: %w = schedule.skew %r along %ji factor 2
  %w = schedule.skew %r along %ji factor 2
  // CHECK-NEXT: %ko, %lo, %ki, %li = schedule.tile %k, %l by 8, 32
  %ko, %lo, %ki, %li = schedule.tile %k, %l by 8, 32
  // CHECK-NEXT: schedule.reorder %ki, %ko
  schedule.reorder %ki, %ko
  // CHECK-NEXT: schedule.vectorize %li
  schedule.vectorize %li
  // CHECK-NEXT: schedule.unroll %ki
  schedule.unroll %ki
  // CHECK-NEXT: schedule.parallel %io
  schedule.parallel %io
  // CHECK-NEXT: schedule.specialize %C affine_set<()[s0, s1] : ((s0 mod 32) == 0, (s1 + -4) >= 0)>
  schedule.specialize %C affine_set<()[s0, s1] : (s0 mod 32 == 0, s1 >= 4)>
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.specialize %C affine_set<()[s0, s1] : ((s0 mod 32) == 0, (s1 + -4) >= 0)>
  schedule.specialize %C affine_set<()[s0, s1] : (s0 mod 32 == 0, s1 >= 4)>
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.specialize %C affine_set<()[s0, s1] : ((s0 mod 32) == 0, (s1 + -4) >= 0)>
  schedule.specialize %C affine_set<()[s0, s1] : (s0 mod 32 == 0, s1 >= 4)>
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.specialize %C affine_set<()[s0, s1] : ((s0 mod 32) == 0, (s1 + -4) >= 0)>
  schedule.specialize %C affine_set<()[s0, s1] : (s0 mod 32 == 0, s1 >= 4)>
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.specialize %C affine_set<()[s0, s1] : ((s0 mod 32) == 0, (s1 + -4) >= 0)>
  schedule.specialize %C affine_set<()[s0, s1] : (s0 mod 32 == 0, s1 >= 4)>
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.specialize %C affine_set<()[s0, s1] : ((s0 mod 32) == 0, (s1 + -4) >= 0)>
  schedule.specialize %C affine_set<()[s0, s1] : (s0 mod 32 == 0, s1 >= 4)>
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.specialize %C affine_set<()[s0, s1] : ((s0 mod 32) == 0, (s1 + -4) >= 0)>
  schedule.specialize %C affine_set<()[s0, s1] : (s0 mod 32 == 0, s1 >= 4)>
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.specialize %C affine_set<()[s0, s1] : ((s0 mod 32) == 0, (s1 + -4) >= 0)>
  schedule.specialize %C affine_set<()[s0, s1] : (s0 mod 32 == 0, s1 >= 4)>
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.specialize %C affine_set<()[s0, s1] : ((s0 mod 32) == 0, (s1 + -4) >= 0)>
  schedule.specialize %C affine_set<()[s0, s1] : (s0 mod 32 == 0, s1 >= 4)>
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.specialize %C affine_set<()[s0, s1] : ((s0 mod 32) == 0, (s1 + -4) >= 0)>
  schedule.specialize %C affine_set<()[s0, s1] : (s0 mod 32 == 0, s1 >= 4)>
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.specialize %C affine_set<()[s0, s1] : ((s0 mod 32) == 0, (s1 + -4) >= 0)>
  schedule.specialize %C affine_set<()[s0, s1] : (s0 mod 32 == 0, s1 >= 4)>
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.specialize %C affine_set<()[s0, s1] : ((s0 mod 32) == 0, (s1 + -4) >= 0)>
  schedule.specialize %C affine_set<()[s0, s1] : (s0 mod 32 == 0, s1 >= 4)>
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.specialize %C affine_set<()[s0, s1] : ((s0 mod 32) == 0, (s1 + -4) >= 0)>
  schedule.specialize %C affine_set<()[s0, s1] : (s0 mod 32 == 0, s1 >= 4)>
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.specialize %C affine_set<()[s0, s1] : ((s0 mod 32) == 0, (s1 + -4) >= 0)>
  schedule.specialize %C affine_set<()[s0, s1] : (s0 mod 32 == 0, s1 >= 4)>
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.specialize %C affine_set<()[s0, s1] : ((s0 mod 32) == 0, (s1 + -4) >= 0)>
  schedule.specialize %C affine_set<()[s0, s1] : (s0 mod 32 == 0, s1 >= 4)>
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.specialize %C affine_set<()[s0, s1] : ((s0 mod 32) == 0, (s1 + -4) >= 0)>
  schedule.specialize %C affine_set<()[s0, s1] : (s0 mod 32 == 0, s1 >= 4)>
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.specialize %C affine_set<()[s0, s1] : ((s0 mod 32) == 0, (s1 + -4) >= 0)>
  schedule.specialize %C affine_set<()[s0, s1] : (s0 mod 32 == 0, s1 >= 4)>
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.specialize %C affine_set<()[s0, s1] : ((s0 mod 32) == 0, (s1 + -4) >= 0)>
  schedule.specialize %C affine_set<()[s0, s1] : (s0 mod 32 == 0, s1 >= 4)>
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.specialize %C affine_set<()[s0, s1] : ((s0 mod 32) == 0, (s1 + -4) >= 0)>
  schedule.specialize %C affine_set<()[s0, s1] : (s0 mod 32 == 0, s1 >= 4)>
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.pragma %io "unroll.count" = 4 : i64
  schedule.pragma %io "unroll.count" = 4 : i64
  // CHECK-NEXT: schedule.pragma %io "unroll_explicit"
  schedule.pragma %io "unroll_explicit"
  // CHECK-NEXT: schedule.partition %io "always"
  schedule.partition %io "always"
  // CHECK-NEXT: schedule.never_partition %io, %ki
  schedule.never_partition %io, %ki
  // CHECK-NEXT: schedule.always_partition %io
  schedule.always_partition %io
  // CHECK-NEXT: schedule.separate_at %io at 2
  schedule.separate_at %io at 2
  // CHECK-NEXT: schedule.bind %ko "threadIdx.x"
  schedule.bind %ko "threadIdx.x"
  // CHECK-NEXT: schedule.bind %lo "blockIdx.z" extent 32
  schedule.bind %lo "blockIdx.z" extent 32
  // CHECK-NEXT: %B = schedule.get "B"
  %B = schedule.get "B"
  // CHECK-NEXT: schedule.compute_at %B, %C, %io
  schedule.compute_at %B, %C, %io
  // CHECK-NEXT: schedule.storage_align %{{.*}} factor 32 offset 1
  schedule.storage_align %io factor 32 offset 1
  // CHECK-NEXT: schedule.transform_layout %B affine_map<(d0, d1) -> (d1, d0)> separators [1]
  schedule.transform_layout %B affine_map<(d0, d1) -> (d1, d0)> separators [1]
  // CHECK-NEXT: schedule.transform_layout %B affine_map<(d0, d1) -> (d0, d1)> packed upper
  schedule.transform_layout %B affine_map<(d0, d1) -> (d0, d1)> packed upper
  // CHECK-NEXT: schedule.transform_layout argument 1 affine_map<(d0) -> ((d0 floordiv 4), (d0 mod 4))>
  schedule.transform_layout argument 1 affine_map<(d0) -> (d0 floordiv 4, d0 mod 4)>
  // CHECK-NEXT: schedule.double_buffer %B
  schedule.double_buffer %B
  // CHECK-NEXT: schedule.stream_stores %C
  schedule.stream_stores %C
  // CHECK-NEXT: schedule.prefetch %C, %B at %io offset 4
  schedule.prefetch %C, %B at %io offset 4
  // CHECK-NEXT: schedule.prefetch %C, %B result 1 at %ko offset 0
  schedule.prefetch %C, %B result 1 at %ko offset 0
  // CHECK-NEXT: schedule.prefetch %C, argument 0 at %ko offset 1
  schedule.prefetch %C, argument 0 at %ko offset 1
  // CHECK-NEXT: schedule.ring_buffer %B copies 3
  schedule.ring_buffer %B copies 3
  // CHECK-NEXT: schedule.bound %j from -1 extent 32
  schedule.bound %j from -1 extent 32
  // CHECK-NEXT: schedule.bound_extent %j extent 32
  schedule.bound_extent %j extent 32
  // CHECK-NEXT: schedule.align_bounds %j modulus 8
  schedule.align_bounds %j modulus 8
  // CHECK-NEXT: schedule.align_bounds %j modulus 8 remainder 3
  schedule.align_bounds %j modulus 8 remainder 3
  // CHECK-NEXT: schedule.ring_buffer %B copies 3
  schedule.ring_buffer %B copies 3
  // CHECK-NEXT: schedule.ring_buffer %B copies 3
  schedule.ring_buffer %B copies 3
  // CHECK-NEXT: schedule.bound %j from -1 extent 32
  schedule.bound %j from -1 extent 32
  // CHECK-NEXT: schedule.bound_extent %j extent 32
  schedule.bound_extent %j extent 32
  // CHECK-NEXT: schedule.align_bounds %j modulus 8
  schedule.align_bounds %j modulus 8
  // CHECK-NEXT: schedule.align_bounds %j modulus 8 remainder 3
  schedule.align_bounds %j modulus 8 remainder 3
  // CHECK-NEXT: schedule.ring_buffer %B copies 3
  schedule.ring_buffer %B copies 3
  // CHECK-NEXT: schedule.ring_buffer %B copies 3
  schedule.ring_buffer %B copies 3
  // CHECK-NEXT: schedule.ring_buffer %B copies 3
  schedule.ring_buffer %B copies 3
  // CHECK-NEXT: schedule.ring_buffer %B copies 3
  schedule.ring_buffer %B copies 3
  // CHECK-NEXT: schedule.bound %j from -1 extent 32
  schedule.bound %j from -1 extent 32
  // CHECK-NEXT: schedule.bound_extent %j extent 32
  schedule.bound_extent %j extent 32
  // CHECK-NEXT: schedule.align_bounds %j modulus 8
  schedule.align_bounds %j modulus 8
  // CHECK-NEXT: schedule.align_bounds %j modulus 8 remainder 3
  schedule.align_bounds %j modulus 8 remainder 3
  // CHECK-NEXT: schedule.ring_buffer %B copies 3
  schedule.ring_buffer %B copies 3
  // CHECK-NEXT: schedule.set_scope %B "global.vtcm"
  schedule.set_scope %B "global.vtcm"
  // CHECK-NEXT: schedule.set_mode %B "hull" budget 5000
  schedule.set_mode %B "hull" budget 5000
  // CHECK-NEXT: schedule.set_mode %C budget 1000000
  schedule.set_mode %C budget 1000000
  // CHECK-NEXT: schedule.compute_root %B
  schedule.compute_root %B
  // CHECK-NEXT: %g = schedule.group %B, %C
  %g = schedule.group %B, %C
  // CHECK-NEXT: schedule.compute_root %g
  schedule.compute_root %g
  // CHECK-NEXT: %CL = schedule.cache_write %C "local"
  %CL = schedule.cache_write %C "local"
  // CHECK-NEXT: %CF, %v = schedule.rfactor %C, %li at 2
  %CF, %v = schedule.rfactor %C, %li at 2
  // CHECK-NEXT: %CT = schedule.symmetrize %C, %io, %ki
  %CT = schedule.symmetrize %C, %io, %ki
  // CHECK-NEXT: %CP = schedule.precompute %C, %ki, %io
  %CP = schedule.precompute %C, %ki, %io
  // CHECK-NEXT: %CS = schedule.cache_read %CL "shared" readers %C, %B
  %CS = schedule.cache_read %CL "shared" readers %C, %B
  // CHECK-NEXT: %CR = schedule.cache_read %C result 1 "shared" readers %B
  %CR = schedule.cache_read %C result 1 "shared" readers %B
  // CHECK-NEXT: %AS = schedule.cache_read argument 0 "global.vtcm" readers %B
  %AS = schedule.cache_read argument 0 "global.vtcm" readers %B
  // CHECK-NEXT: %AF = schedule.cache_read argument 0 "global" as f64 readers %B
  %AF = schedule.cache_read argument 0 "global" as f64 readers %B
  // CHECK-NEXT: %B2 = schedule.clone_in %B readers %C
  %B2 = schedule.clone_in %B readers %C
  // CHECK-NEXT: %B3 = schedule.fission_results %B result 2
  %B3 = schedule.fission_results %B result 2
  // CHECK-NEXT: %B4, %B5 = schedule.fission_results %B result 1, 0
  %B4, %B5 = schedule.fission_results %B result 1, 0
  // CHECK-NEXT: schedule.compute_inline %B
  schedule.compute_inline %B
  // CHECK-NEXT: schedule.reverse_compute_inline %C
  schedule.reverse_compute_inline %C
  // CHECK-NEXT: %p, %q = schedule.reverse_compute_at %C, %B, %ko inner 2
  %p, %q = schedule.reverse_compute_at %C, %B, %ko inner 2
  // CHECK-NEXT: schedule.reverse_compute_at %C, %B, %ko
  schedule.reverse_compute_at %C, %B, %ko
}

// A stage without relations: its order names its root axes.
// CHECK-LABEL: te.func @plain
te.func @plain(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  // CHECK: %C = schedule.stage "C" (%i = %n) : tensor<?xf32> {
  %C = schedule.stage "C" (%i = %n) : tensor<?xf32> {
    // CHECK-NEXT: schedule.specialized (%n mod 8 == 0, %n - 1 >= 0)
    schedule.specialized (%n mod 8 == 0, %n - 1 >= 0)
    // CHECK-NEXT: schedule.specialized (%n mod 8 == 0, %n - 1 >= 0)
    schedule.specialized (%n mod 8 == 0, %n - 1 >= 0)
    // CHECK-NEXT: schedule.specialized (%n mod 8 == 0, %n - 1 >= 0)
    schedule.specialized (%n mod 8 == 0, %n - 1 >= 0)
    // CHECK-NEXT: schedule.bounded %i from -1 extent 32
    schedule.bounded %i from -1 extent 32
    // CHECK-NEXT: schedule.bounded %i modulus 8 remainder 0
    schedule.bounded %i modulus 8 remainder 0
    // CHECK-NEXT: schedule.promised (%n - 8 >= 0) or (%n - 4 == 0) "n is 4, or at least 8"
    schedule.promised (%n - 8 >= 0) or (%n - 4 == 0) "n is 4, or at least 8"
    // CHECK-NEXT: schedule.specialized (%n mod 8 == 0, %n - 1 >= 0)
    schedule.specialized (%n mod 8 == 0, %n - 1 >= 0)
    // CHECK-NEXT: schedule.specialized (%n mod 8 == 0, %n - 1 >= 0)
    schedule.specialized (%n mod 8 == 0, %n - 1 >= 0)
    // CHECK-NEXT: schedule.specialized (%n mod 8 == 0, %n - 1 >= 0)
    schedule.specialized (%n mod 8 == 0, %n - 1 >= 0)
    // CHECK-NEXT: schedule.bounded %i from -1 extent 32
    schedule.bounded %i from -1 extent 32
    // CHECK-NEXT: schedule.bounded %i modulus 8 remainder 0
    schedule.bounded %i modulus 8 remainder 0
    // CHECK-NEXT: schedule.promised (%n - 8 >= 0) or (%n - 4 == 0)
    schedule.promised (%n - 8 >= 0) or (%n - 4 == 0)
    // CHECK-NEXT: schedule.specialized (%n mod 8 == 0, %n - 1 >= 0)
    schedule.specialized (%n mod 8 == 0, %n - 1 >= 0)
    // CHECK-NEXT: schedule.specialized (%n mod 8 == 0, %n - 1 >= 0)
    schedule.specialized (%n mod 8 == 0, %n - 1 >= 0)
    // CHECK-NEXT: schedule.specialized (%n mod 8 == 0, %n - 1 >= 0)
    schedule.specialized (%n mod 8 == 0, %n - 1 >= 0)
    // CHECK-NEXT: schedule.specialized (%n mod 8 == 0, %n - 1 >= 0)
    schedule.specialized (%n mod 8 == 0, %n - 1 >= 0)
    // CHECK-NEXT: schedule.specialized (%n mod 8 == 0, %n - 1 >= 0)
    schedule.specialized (%n mod 8 == 0, %n - 1 >= 0)
    // CHECK-NEXT: schedule.bounded %i from -1 extent 32
    schedule.bounded %i from -1 extent 32
    // CHECK-NEXT: schedule.bounded %i modulus 8 remainder 0
    schedule.bounded %i modulus 8 remainder 0
    // CHECK-NEXT: schedule.promised (%n - 8 >= 0) or (%n - 4 == 0)
    schedule.promised (%n - 8 >= 0) or (%n - 4 == 0)
    // CHECK-NEXT: schedule.order %i
    schedule.order %i
    // CHECK-NEXT: schedule.equation (%{{.*}}) {
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// No axes: the order says so.
// CHECK-LABEL: te.func @no_axes
te.func @no_axes() -> (tensor<f32>) {
  // CHECK: schedule.stage "C" () : tensor<f32> {
  %C = schedule.stage "C" () : tensor<f32> {
    // CHECK-NEXT: schedule.order none
    schedule.order none
    // CHECK-NEXT: schedule.region []
    schedule.region []
    // CHECK-NEXT: schedule.equation () {
    schedule.equation () {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return %C : tensor<f32>
}

// Relations, kinds, a stage computed at an axis, and everything that infer-bounds writes.
// CHECK-LABEL: te.func @nested
te.func @nested(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    // CHECK: %io, %ii = schedule.split %i factor 8
    %io, %ii = schedule.split %i factor 8
    // CHECK-NEXT: schedule.partitioned %io "never"
    schedule.partitioned %io "never"
    // CHECK-NEXT: schedule.separated %io at 2
    schedule.separated %io at 2
    // CHECK-NEXT: schedule.pragmas %io {note = "kept"}
    schedule.pragmas %io {note = "kept"}
    // CHECK-NEXT: schedule.order %io parallel, %ii vectorized
    schedule.order %io parallel, %ii vectorized
    // CHECK-NEXT: schedule.region [0 : 20]
    schedule.region [0 : 20]
    // CHECK-NEXT: schedule.range %io = 0 to 3
    schedule.range %io = 0 to 3
    // CHECK-NEXT: schedule.range %ii = max(0, %io - 2) to min(8, %io * -8 + 20)
    schedule.range %ii = max(0, %io - 2) to min(8, %io * -8 + 20)
    // CHECK-NEXT: schedule.value %i = %io * 8 + %ii
    schedule.value %i = 8 * %io + %ii
    // CHECK-NEXT: schedule.guard (%io - %ii == 0, %io * -8 - %ii + 19 >= 0)
    schedule.guard (%io * -8 - %ii + 19 >= 0, %io - %ii == 0)
    // CHECK-NEXT: %B = schedule.stage "B" at %io (%j = 20) : tensor<20xf32> {
    %B = schedule.stage "B" at %io (%j = 20) : tensor<20xf32> {
      // CHECK-NEXT: schedule.order %j unrolled
      schedule.order %j unrolled
      // CHECK-NEXT: schedule.region [%io * 8 : 8]
      schedule.region [%io * 8 : 8]
      schedule.equation (%p) {
        %a = te.read %A[%p] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%q) {
      %b = te.read %B[%q] : f32
      te.yield %b : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// Every relation of one axis; the axis that another is skewed along stays a leaf.
// CHECK-LABEL: te.func @moved
te.func @moved() -> (tensor<9x9xf32>) {
  %C = schedule.stage "C" (%i = 9, %j = 9) : tensor<9x9xf32> {
    // CHECK: %s = schedule.shift %i by 4
    %s = schedule.shift %i by 4
    // CHECK-NEXT: %r = schedule.reverse %s
    %r = schedule.reverse %s
    // CHECK-NEXT: %w = schedule.skew %j along %r factor -1
    %w = schedule.skew %j along %r factor -1
    // CHECK-NEXT: %m, %n = schedule.remap %w, %r by affine_map<(d0, d1)[s0] -> ((d0 + d1), ((d1 + s0) floordiv 2))>
    %m, %n = schedule.remap %w, %r by affine_map<(d0, d1)[s0] -> (d0 + d1, (d1 + s0) floordiv 2)>
    // CHECK-NEXT: schedule.order %m, %n
    schedule.order %m, %n
    schedule.equation (%p, %q) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return %C : tensor<9x9xf32>
}

// Thread axes with the extent that one must have, and the scopes of two stages.
// CHECK-LABEL: te.func @threads
te.func @threads(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %io, %ii = schedule.split %i factor 10
    // CHECK: schedule.extent %ii = 10
    schedule.extent %ii = 10
    // CHECK-NEXT: schedule.order %io blockIdx.x, %ii threadIdx.x
    schedule.order %io blockIdx.x, %ii threadIdx.x
    // CHECK-NEXT: %B = schedule.stage "B" at %io in "shared" double_buffered (%j = 20) : tensor<20xf32> {
    %B = schedule.stage "B" at %io in "shared" double_buffered (%j = 20) : tensor<20xf32> {
      schedule.order %j
      // CHECK: schedule.region hull [%io * 10 : 10]
      schedule.region hull [%io * 10 : 10]
      // CHECK-NEXT: schedule.equation (%{{.*}}) {
      schedule.equation (%p) {
        %a = te.read %A[%p] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%q) {
      %b = te.read %B[%q] : f32
      te.yield %b : f32
    }
  }
  // A scope that is said is written, global too.
  // CHECK: schedule.stage "D" in "global" layout affine_map<(d0) -> ((d0 mod 4), (d0 floordiv 4))> (%i_1 = 20) : tensor<20xf32> {
  %D = schedule.stage "D" in "global" layout affine_map<(d0) -> (d0 mod 4, d0 floordiv 4)> (%i = 20) : tensor<20xf32> {
    schedule.order %i
    // CHECK: schedule.region [0 : 20]
    // CHECK-NEXT: schedule.equation
    schedule.region [0 : 20]
    schedule.equation (%q) {
      %c = te.read %C[%q] : f32
      te.yield %c : f32
    }
  }
  te.return %D : tensor<20xf32>
}

// Reduce axes, several results and an init region, as in te.compute.
// CHECK-LABEL: te.func @reduction
te.func @reduction(%A: tensor<4x8xf32>, %B: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  // CHECK: schedule.stage "S" (%i = 4) reduce (%k = 1 to 8) : tensor<4xf32>, tensor<4xi32> {
  %S, %N = schedule.stage "S" (%i = 4) reduce (%k = 1 to 8) : tensor<4xf32>, tensor<4xi32> {
    // CHECK-NEXT: schedule.order %k, %i
    schedule.order %k, %i
    schedule.equation (%p, %r) {
      %a = te.read %A[%p, %r] : f32
      %one = arith.constant 1 : i32
      te.yield %a, %one : f32, i32
    // CHECK: } combine (%x: f32, %m: i32, %y: f32, %n: i32) identity [0.000000e+00 : f32, 0 : i32] {
    } combine (%x: f32, %m: i32, %y: f32, %n: i32) identity [0.0 : f32, 0 : i32] {
      %s = arith.addf %x, %y : f32
      %t = arith.addi %m, %n : i32
      te.yield %s, %t : f32, i32
    // CHECK: } init (%{{.*}}) {
    } init (%p) {
      %b = te.read %B[%p] : f32
      %zero = arith.constant 0 : i32
      te.yield %b, %zero : f32, i32
    }
  }
  te.return %S, %N : tensor<4xf32>, tensor<4xi32>
}

// A stage of opaque code has no axes.
// CHECK-LABEL: te.func @extern
te.func @extern(%n: index) -> (tensor<?xf32>) {
  // CHECK: schedule.stage "C" in "local" () : tensor<?xf32> {
  %C = schedule.stage "C" in "local" () : tensor<?xf32> {
    // CHECK-NEXT: schedule.order none
    schedule.order none
    // CHECK-NEXT: schedule.extern (%c: tensor<?xf32>[%n]) {
    schedule.extern (%c: tensor<?xf32>[%n]) {
      // CHECK-NEXT: te.buffer %c[0 : %n] : memref<?xf32>
      %b = te.buffer %c[0 : %n] : memref<?xf32>
    }
  }
  te.return %C : tensor<?xf32>
}

// The steps of a recurrence read its state.
// CHECK-LABEL: te.func @recurrence
te.func @recurrence() -> (tensor<8xf32>) {
  %S = schedule.stage "S" (%t = 8) : tensor<8xf32> {
    %to, %ti = schedule.split %t factor 4
    schedule.order %to, %ti unrolled
    // CHECK: %s = schedule.state 0 : tensor<8xf32>
    %s = schedule.state 0 : tensor<8xf32>
    %n = schedule.stage "n" at %ti (%i = 8) : tensor<8xf32> {
      schedule.order %i
      schedule.equation (%p) {
        // CHECK: te.read %s[%p - 1] : f32
        %a = te.read %s[%p - 1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%p) {
      %a = te.read %n[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %S : tensor<8xf32>
}

// What is computed in a loop is returned by name.
// CHECK-LABEL: te.func @returned
te.func @returned(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %C = schedule.stage "C" (%i = 8) : tensor<8xf32> {
    schedule.order %i
    // CHECK: %B = schedule.stage "B" at %i stored at root (%j = 8)
    %B = schedule.stage "B" at %i stored at root (%j = 8) : tensor<8xf32> {
      schedule.order %j
      schedule.equation (%p) {
        %a = te.read %A[%p] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%p) {
      %b = te.read %B[%p] : f32
      te.yield %b : f32
    }
  }
  // CHECK: %[[B:.*]] = schedule.result "B" 0 : tensor<8xf32>
  // CHECK-NEXT: te.return %[[B]], %C
  %B = schedule.result "B" 0 : tensor<8xf32>
  te.return %B, %C : tensor<8xf32>, tensor<8xf32>
}

// What a loop prefetches, before and after it is known which elements these are.
// CHECK-LABEL: te.func @prefetched
te.func @prefetched(%n: index, %A: tensor<?x8xf32>[%n, 8]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %n) : tensor<?xf32> {
    %io, %ii = schedule.split %i factor 4
    // CHECK: schedule.prefetched %A at %io offset 2
    schedule.prefetched %A at %io offset 2
    // CHECK-NEXT: schedule.prefetched %A at %ii offset 1 [max(0, %io * 4 - 1) to min(%n, %io * 4 + %ii + 2), 0 to 8]
    schedule.prefetched %A at %ii offset 1 [max(0, %io * 4 - 1) to min(%n, %io * 4 + %ii + 2), 0 to 8]
    schedule.order %io, %ii
    schedule.equation (%p) {
      %a = te.read %A[%p, 0] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// Of opaque code with axes, the first arguments are the root axes, as index values.
// CHECK-LABEL: te.func @extern_with_axes
te.func @extern_with_axes(%n: index) -> (tensor<?xf32>) {
  // CHECK: schedule.stage "C" (%i = %n) reduce (%k = 4) : tensor<?xf32> {
  %C = schedule.stage "C" (%i = %n) reduce (%k = 4) : tensor<?xf32> {
    %io, %ii = schedule.split %i factor 2
    // CHECK: schedule.order %io parallel, %k unrolled, %ii
    schedule.order %io parallel, %k unrolled, %ii
    // CHECK-NEXT: schedule.extern (%p, %r) (%c: tensor<?xf32>[%n * 2]) {
    schedule.extern (%p, %r) (%c: tensor<?xf32>[%n * 2]) {
      // CHECK-NEXT: te.buffer %c[%p * 2 : 2] : memref<2xf32, strided<[1], offset: ?>>
      %b = te.buffer %c[%p * 2 : 2] : memref<2xf32, strided<[1], offset: ?>>
    // CHECK-NEXT: } init (%q, %o) {
    } init (%q, %o) {
    }
  }
  te.return %C : tensor<?xf32>
}

// Where a stage is stored further out than it is computed, and how much of it.
// CHECK-LABEL: schedule.sequence @windows on @f {
schedule.sequence @windows on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  %i, %j = schedule.axes 2 of %B
  // CHECK: schedule.store_at %B, %C, %y
  schedule.store_at %B, %C, %y
  // CHECK-NEXT: schedule.store_root %B
  schedule.store_root %B
  // CHECK-NEXT: schedule.fold_storage %i{{$}}
  schedule.fold_storage %i
  // CHECK-NEXT: schedule.fold_storage %j factor 3
  schedule.fold_storage %j factor 3
  // CHECK-NEXT: schedule.rolling_buffer %B
  schedule.rolling_buffer %B
}

// CHECK-LABEL: te.func @stored
te.func @stored(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    schedule.order %i
    // CHECK: schedule.stage "B" at %i stored at %i (
    %B = schedule.stage "B" at %i stored at %i (%j = 20) : tensor<20xf32> {
      schedule.order %j
      // CHECK: schedule.stage "D" at %j stored at root folded axis 0 (
      %D = schedule.stage "D" at %j stored at root folded axis 0 (%k = 20) : tensor<20xf32> {
        schedule.order %k
        schedule.equation (%p) {
          %a = te.read %A[%p] : f32
          te.yield %a : f32
        }
      }
      schedule.equation (%p) {
        %d = te.read %D[%p] : f32
        te.yield %d : f32
      }
    }
    schedule.equation (%q) {
      %b = te.read %B[%q] : f32
      te.yield %b : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK: schedule.named_sequence @tiles(%B: !schedule.stage, %a: !schedule.axis) -> (!schedule.axis) {
schedule.named_sequence @tiles(%B: !schedule.stage, %a: !schedule.axis) -> (!schedule.axis) {
  // CHECK-NEXT: schedule.param "tile" of 4, 8
  schedule.param "tile" of 4, 8
  // CHECK-NEXT: %o, %i = schedule.split %a factor tile = 8
  %o, %i = schedule.split %a factor tile = 8
  // CHECK-NEXT: schedule.yield %o : !schedule.axis
  schedule.yield %o : !schedule.axis
}

// CHECK: schedule.named_sequence @nothing() {
schedule.named_sequence @nothing() {
}

schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  // CHECK: %o = schedule.include @tiles(%C, %i) with tile = 4 : (!schedule.stage, !schedule.axis) -> !schedule.axis
  %o = schedule.include @tiles(%C, %i) with tile = 4 : (!schedule.stage, !schedule.axis) -> !schedule.axis
  // CHECK-NEXT: schedule.include @nothing() : () -> ()
  schedule.include @nothing() : () -> ()
  // CHECK-NEXT: schedule.for_each elementwise not output named "p*" readers of %C (%S) {
  schedule.for_each elementwise not output named "p*" readers of %C (%S) {
    // CHECK-NEXT: schedule.compute_inline %S
    schedule.compute_inline %S
  }
  // CHECK: %k = schedule.alternatives -> (!schedule.axis) {
  %k = schedule.alternatives -> (!schedule.axis) {
    schedule.yield %o : !schedule.axis
    // CHECK: } or {
  } or {
    schedule.vectorize %o
    schedule.yield %o : !schedule.axis
  }
  // CHECK: schedule.alternatives {
  // CHECK-NEXT: } or {
  // CHECK-NEXT: }
  schedule.alternatives {
  } or {
  }
}

// CHECK-LABEL: schedule.sequence @tensorized
schedule.sequence @tensorized on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  // CHECK: schedule.tensorize %i by @negate4
  schedule.tensorize %i by @negate4
}

// What is asked for, and what `match-intrinsics` makes of it.
// CHECK-LABEL: te.func @tensorized_stages
te.func @tensorized_stages(%n: index, %A: tensor<?x8xf32>[%n, 8]) -> (tensor<?xf32>, tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %n) reduce (%k = 8) : tensor<?xf32> {
    %io, %ii = schedule.split %i factor 4
    schedule.order %io, %ii, %k
    // CHECK: schedule.tensorized %ii by @row_sums
    schedule.tensorized %ii by @row_sums
    schedule.equation (%p, %r) {
      %a = te.read %A[%p, %r] : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.0 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  %D = schedule.stage "D" (%i = %n) reduce (%k = 8) : tensor<?xf32> {
    %io, %ii = schedule.split %i factor 4
    schedule.order %io, %k, %ii
    // CHECK: schedule.code resets [[II:%ii_1]] from {{\[}}[[II]] = 0] when (%n - %io_1 * 4 - 4 >= 0) (%p_1) (%out: tensor<?xf32>[%n]) {
    schedule.code resets %ii from [%ii = 0] when (%n - %io * 4 - 4 >= 0) (%p) (%out: tensor<?xf32>[%n]) {
      // CHECK-NEXT: te.buffer %out[%p_1 : 4] : memref<4xf32, strided<[1], offset: ?>>
      %c = te.buffer %out[%p : 4] : memref<4xf32, strided<[1], offset: ?>>
    }
    // CHECK: schedule.code updates [[II]] from {{\[}}[[II]] = 0] (%p_2, %r_1) (%out_1: tensor<?xf32>[%n]) {
    schedule.code updates %ii from [%ii = 0] (%p, %r) (%out: tensor<?xf32>[%n]) {
      %a = te.buffer %A[%p : 4, %r : 1] : memref<4x1xf32, strided<[8, 1], offset: ?>>
    }
    schedule.equation (%p, %r) {
      %a = te.read %A[%p, %r] : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.0 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %C, %D : tensor<?xf32>, tensor<?xf32>
}

// The data axes of a stage of an update are those of its tensors, the reduce axes are its domain.
// CHECK-LABEL: te.func @sums
te.func @sums(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %S = schedule.stage "S" (%i = 9) reduce (%r = 1 to 9) : tensor<9xf32> {
    schedule.order %i, %r
    // CHECK: schedule.update (%k) state %s reorderable : tensor<9xf32> {
    schedule.update (%k) state %s reorderable : tensor<9xf32> {
      %before = te.read %s[%k - 1] : f32
      te.write %before, %s[%k] : f32
    // CHECK: } until (%u) state %t {
    } until (%u) state %t {
      %true = arith.constant true
      te.yield %true : i1
    // CHECK: } init (%p) {
    } init (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %S : tensor<9xf32>
}

// Where the init part of a reduction runs.
// CHECK-LABEL: schedule.sequence @start on @f
schedule.sequence @start on @f {
  %C = schedule.get "C"
  %i, %k = schedule.axes 2 of %C
  // CHECK: schedule.decompose_reduction %i
  schedule.decompose_reduction %i
  %D = schedule.get "D"
  // CHECK: schedule.fuse_reduction_epilogue %C, %D
  schedule.fuse_reduction_epilogue %C, %D
}

// CHECK-LABEL: te.func @started
te.func @started(%A: tensor<4x8xf32>) -> (tensor<4xf32>) {
  // CHECK: schedule.stage "S" mode "hull" reassociated by "rfactor" (%i = 4)
  %S = schedule.stage "S" mode "hull" reassociated by "rfactor" (%i = 4) reduce (%k = 8) : tensor<4xf32> {
    // CHECK: schedule.decomposed %i
    schedule.decomposed %i
    // CHECK-NEXT: schedule.order %i, %k
    schedule.order %i, %k
    schedule.equation (%p, %q) {
      %a = te.read %A[%p, %q] : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.0 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<4xf32>
}

// CHECK-LABEL: schedule.sequence @blocks
schedule.sequence @blocks on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  // CHECK: schedule.blockize %i
  schedule.blockize %i
  // CHECK-NEXT: schedule.decompose_padding %C
  schedule.decompose_padding %C
}

// Bounds from data are values for ranges and guards.
// CHECK-LABEL: te.func @bounds_from_data
te.func @bounds_from_data(%P: tensor<5xi32>, %A: tensor<9xf32>) -> (tensor<4xf32>) {
  %S = schedule.stage "S" (%i = 4) reduce (%k = 9) : tensor<4xf32> {
    schedule.order %i, %k
    // CHECK: %first, %end = schedule.bounds %k
    %first, %end = schedule.bounds %k
    schedule.region [0 : 4]
    schedule.range %i = 0 to 4
    // CHECK: schedule.range %k = %first to min(9, %end)
    schedule.range %k = %first to min(9, %end)
    schedule.equation (%p, %q) {
      %a = te.read %A[%q] : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.0 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    // CHECK: } bounds %{{.*}} (%r) {
    } bounds %q (%r) {
      %0 = te.read %P[%r] : i32
      %1 = arith.index_cast %0 : i32 to index
      te.yield %r, %1 : index, index
    }
  }
  te.return %S : tensor<4xf32>
}

// Stages in each other's loops, and in an order.
// CHECK-LABEL: schedule.sequence @ordered on @f {
schedule.sequence @ordered on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %x, %y = schedule.axes 2 of %B
  %i, %j = schedule.axes 2 of %C
  // CHECK: schedule.compute_with %B, %C, %j{{$}}
  schedule.compute_with %B, %C, %j
  // CHECK-NEXT: schedule.compute_with %B, %C, %j align ["none", "start"]
  schedule.compute_with %B, %C, %j align ["none", "start"]
  // CHECK-NEXT: schedule.merge %x, %C, %i
  schedule.merge %x, %C, %i
  // CHECK-NEXT: schedule.fission %j
  schedule.fission %j
  // CHECK-NEXT: schedule.after %B, %D{{$}}
  schedule.after %B, %D
  // CHECK-NEXT: schedule.after %B, %C at %i
  schedule.after %B, %C at %i
  // CHECK-NEXT: schedule.between %D, %B at %x, %C at %i
  schedule.between %D, %B at %x, %C at %i
}

// CHECK-LABEL: te.func @sharing
te.func @sharing() -> (tensor<8x4xf32>, tensor<8xf32>, tensor<8x4xf32>) {
  // CHECK: schedule.stage "A" (
  %A = schedule.stage "A" (%i = 8, %j = 4) : tensor<8x4xf32> {
    schedule.order %i, %j
    schedule.equation (%p, %q) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  // CHECK: schedule.stage "B" sharing 1 (
  %B = schedule.stage "B" sharing 1 (%i = 8) : tensor<8xf32> {
    schedule.order %i
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  // CHECK: schedule.stage "C" sharing 1 align [start] in "local" (
  %C = schedule.stage "C" sharing 1 align [start] in "local" (%i = 8, %j = 4) : tensor<8x4xf32> {
    schedule.order %i, %j
    schedule.equation (%p, %q) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return %A, %B, %C : tensor<8x4xf32>, tensor<8xf32>, tensor<8x4xf32>
}

// Numbers that are known at the call: a size of the function, and a sum of sizes.
// CHECK-LABEL: schedule.sequence @sizes on @f {
schedule.sequence @sizes on @f {
  %C = schedule.get "C"
  %i, %j, %k, %l = schedule.axes 4 of %C
  // CHECK: %io, %ii = schedule.split %i factor size 1
  %io, %ii = schedule.split %i factor size 1
  // CHECK-NEXT: %jo, %ji = schedule.split %j nparts size affine_map<()[s0, s1] -> (((s0 * 2) + s1))>
  %jo, %ji = schedule.split %j nparts size affine_map<()[s0, s1] -> (s0 * 2 + s1)>
  // CHECK-NEXT: %ko, %lo, %ki, %li = schedule.tile %k, %l by size affine_map<()[s0] -> ((s0 + 1))>, size 0
  %ko, %lo, %ki, %li = schedule.tile %k, %l by size affine_map<()[s0, s1] -> (s0 + 1)>, size 0
}
