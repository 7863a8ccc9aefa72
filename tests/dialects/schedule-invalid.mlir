// RUN: not teloom-opt %s --split-input-file 2>&1 | filecheck %s

// CHECK: axis i was consumed by split; use io, ii
schedule.sequence @consumed_by_split on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 8
  schedule.vectorize %i
}

// -----

// CHECK: axis j was consumed by fuse; use ij
schedule.sequence @consumed_by_fuse on @f {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %ij = schedule.fuse %i, %j
  %jo, %ji = schedule.split %j factor 8
}

// -----

// CHECK: axis j was consumed by tile; use io, jo, ii, ji
schedule.sequence @consumed_by_tile on @f {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 8, 8
  schedule.reorder %j, %io
}

// -----

// CHECK: axis i was consumed by shift; use s
schedule.sequence @consumed_by_shift on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %s = schedule.shift %i by 3
  schedule.vectorize %i
}

// -----

// CHECK: axis i was consumed by reverse; use r
schedule.sequence @consumed_by_reverse on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %r = schedule.reverse %i
  schedule.vectorize %i
}

// -----

// CHECK: axis j was consumed by skew; use w
schedule.sequence @consumed_by_skew on @f {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %w = schedule.skew %j along %i factor 1
  %v = schedule.skew %i along %j factor 1
}

// -----

// CHECK: split of axis i by factor 0: factor must be at least 1
schedule.sequence @factor_zero on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 0
}

// -----

// CHECK: split of axis i by nparts -1: nparts must be at least 1
schedule.sequence @nparts_negative on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i nparts -1
}

// -----

// CHECK: :{{[0-9]+}}:29: error: a split needs `factor` or `nparts`, with a number
schedule.sequence @neither on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i
}

// -----

// CHECK: :{{[0-9]+}}:29: error: a split needs `factor` or `nparts`, with a number
schedule.sequence @other_word on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i by 8
}

// -----

// CHECK: split of axis i needs a factor or nparts, got neither
schedule.sequence @neither_in_generic_form on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = "schedule.split"(%i) : (!schedule.axis) -> (!schedule.axis, !schedule.axis)
}

// -----

// CHECK: split of axis i needs a factor or nparts, got both
schedule.sequence @both on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 8 nparts 4
}

// -----

// CHECK: fuse needs at least one axis
schedule.sequence @fuses_none on @f {
  %f = schedule.fuse
}

// -----

// CHECK: fuse names axis i twice
schedule.sequence @fuses_twice on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %f = schedule.fuse %i, %i
}

// -----

// CHECK: no storage scope "Local"; scopes: global, shared, warp, local, {{.*}}; did you mean 'local'?
schedule.sequence @cache_write_scope on @f {
  %C = schedule.get "C"
  %CL = schedule.cache_write %C "Local"
}

// -----

// CHECK: no storage scope "vtcm"; scopes: global, shared, warp, local, {{.*}}
schedule.sequence @cache_read_scope on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %BL = schedule.cache_read %B "vtcm" readers %C
}

// -----

// CHECK: cache_read needs at least one reader
schedule.sequence @no_reader on @f {
  %B = schedule.get "B"
  %BL = schedule.cache_read %B "local" readers
}

// -----

// CHECK: cache_read names reader C twice
schedule.sequence @readers_twice on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %BL = schedule.cache_read %B "local" readers %C, %C
}

// -----

// CHECK: clone_in needs at least one reader
schedule.sequence @no_reader_of_clone on @f {
  %B = schedule.get "B"
  %B2 = schedule.clone_in %B readers
}

// -----

// CHECK: clone_in names reader C twice
schedule.sequence @readers_of_clone_twice on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %B2 = schedule.clone_in %B readers %C, %C
}

// -----

// CHECK: fission_results of result -1: they count from 0
schedule.sequence @negative_result on @f {
  %B = schedule.get "B"
  %B1 = schedule.fission_results %B result -1
}

// -----

// CHECK: fission_results names result 1 twice
schedule.sequence @result_twice on @f {
  %B = schedule.get "B"
  %B1, %B2 = schedule.fission_results %B result 1, 1
}

// -----

// CHECK: fission_results needs at least one result
schedule.sequence @no_result_apart on @f {
  %B = schedule.get "B"
  "schedule.fission_results"(%B) <{numbers = array<i64>}> : (!schedule.stage) -> ()
}

// -----

// CHECK: fission_results makes 2 stages, not 1
schedule.sequence @stages_of_results on @f {
  %B = schedule.get "B"
  %B1 = "schedule.fission_results"(%B) <{numbers = array<i64: 1, 2>}> : (!schedule.stage) -> !schedule.stage
}

// -----

// CHECK: cache_read wants one tensor: of a stage, as %B, or argument 0
schedule.sequence @cache_of_nothing on @f {
  %C = schedule.get "C"
  %BL = schedule.cache_read "local" readers %C
}

// -----

// CHECK: cache_read wants one tensor: of a stage, as %B, or argument 0
schedule.sequence @cache_of_two on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %BL = schedule.cache_read %B argument 0 "local" readers %C
}

// -----

// CHECK: cache_read of an argument, which has no result 1: it is one tensor
schedule.sequence @result_of_an_argument on @f {
  %C = schedule.get "C"
  %BL = schedule.cache_read argument 0 result 1 "local" readers %C
}

// -----

// CHECK: a copy has no elements of type index
schedule.sequence @cache_of_indices on @f {
  %C = schedule.get "C"
  %BL = schedule.cache_read argument 0 "local" as index readers %C
}

// -----

// CHECK: type expected
schedule.sequence @cache_of_nothing_said on @f {
  %C = schedule.get "C"
  %BL = schedule.cache_read argument 0 "local" as readers %C
}

// -----

// An axis is no reader.
// CHECK: operand is used with type !schedule.stage, but has been previously used or defined with type !schedule.axis
schedule.sequence @axis_as_reader on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %BL = schedule.cache_read argument 0 "local" readers %i
}

// -----

// CHECK: group needs at least one stage
schedule.sequence @group_of_none on @f {
  %g = schedule.group
}

// -----

// CHECK: group names stage C twice
schedule.sequence @groups_twice on @f {
  %C = schedule.get "C"
  %g = schedule.group %C, %C
}

// -----

// CHECK: skew of axis j along i by factor 0: factor must not be 0
schedule.sequence @skew_zero on @f {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %w = schedule.skew %j along %i factor 0
}

// -----

// CHECK: skew names axis i twice
schedule.sequence @skew_along_itself on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %w = schedule.skew %i along %i factor 1
}

// -----

// CHECK: remap names axis i twice
schedule.sequence @remap_twice on @f {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %p, %q = schedule.remap %i, %i by affine_map<(d0, d1) -> (d1, d0)>
}

// -----

// CHECK: remap of axes i by (d0, d1) -> (d1, d0): the map needs 1 dimensions
schedule.sequence @remap_of_another_rank on @f {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %p, %q = schedule.remap %i by affine_map<(d0, d1) -> (d1, d0)>
}

// -----

// CHECK: mod with non-constant (semi-affine) is not supported yet
schedule.sequence @remap_divides_by_a_size on @f {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %p = schedule.remap %i by affine_map<(d0)[s0] -> (d0 mod s0)>
}

// -----

// CHECK: remap of axes i by (d0) -> (): the map has 0 results, for 0 axes
schedule.sequence @remap_to_nothing on @f {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.remap %i by affine_map<(d0) -> ()>
}

// -----

// CHECK: (d0 floordiv 0) divides by no positive constant
schedule.sequence @remap_divides on @f {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %p, %q = schedule.remap %i, %j by affine_map<(d0, d1) -> (d0 floordiv 0, d1)>
}

// -----

// CHECK: tile of axis j by 0: a factor must be at least 1
schedule.sequence @tile_zero on @f {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 8, 0
}

// -----

// CHECK: tile names axis i twice
schedule.sequence @tiles_twice on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %i by 8, 8
}

// -----

// CHECK: reorder needs at least one axis
schedule.sequence @reorders_nothing on @f {
  schedule.reorder
}

// -----

// CHECK: reorder names axis i twice
schedule.sequence @reorders_twice on @f {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.reorder %i, %j, %i
}

// -----

// CHECK: the order names i, the leaf axes are io, ii
te.func @order_of_a_parent() -> () {
  %C = schedule.stage "C" (%i = 9) : tensor<9xf32> {
    %io, %ii = schedule.split %i factor 4
    schedule.order %i
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return
}

// -----

// CHECK: the order names io, the leaf axes are io, ii
te.func @order_leaves_out() -> () {
  %C = schedule.stage "C" (%i = 9) : tensor<9xf32> {
    %io, %ii = schedule.split %i factor 4
    schedule.order %io
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return
}

// -----

// CHECK: axis i was consumed by split; use io, ii
te.func @consumed_in_a_stage() -> () {
  %C = schedule.stage "C" (%i = 9) : tensor<9xf32> {
    %io, %ii = schedule.split %i factor 4
    %a, %b = schedule.split %i factor 2
    schedule.order %io, %ii, %a, %b
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return
}

// -----

// CHECK: schedule.skew of i, which is no leaf
te.func @along_an_axis_of_another_stage() -> () {
  %C = schedule.stage "C" (%i = 9) : tensor<9xf32> {
    schedule.order %i
    %B = schedule.stage "B" at %i (%j = 9) : tensor<9xf32> {
      %w = schedule.skew %j along %i factor 1
      schedule.order %w
      schedule.equation (%p) {
        %one = arith.constant 1.0 : f32
        te.yield %one : f32
      }
    }
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return
}

// -----

// CHECK: schedule.skew of a data axis and a reduce axis: i, ko
te.func @along_a_reduce_axis() -> () {
  %S = schedule.stage "S" (%i = 4) reduce (%k = 9) : tensor<4xf32> {
    %ko, %ki = schedule.split %k factor 4
    %w = schedule.skew %i along %ko factor 1
    schedule.order %w, %ko, %ki
    schedule.equation (%p, %r) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    } combine (%x: f32, %y: f32) identity [0.0 : f32] {
      te.yield %x : f32
    }
  }
  te.return
}

// -----

// CHECK: schedule.fuse of a data axis and a reduce axis: i, k
te.func @fuses_data_with_reduce() -> () {
  %S = schedule.stage "S" (%i = 4) reduce (%k = 9) : tensor<4xf32> {
    %f = schedule.fuse %i, %k
    schedule.order %f
    schedule.equation (%p, %r) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    } combine (%x: f32, %y: f32) identity [0.0 : f32] {
      te.yield %x : f32
    }
  }
  te.return
}

// -----

// CHECK: a stage has one schedule.order, found 0
te.func @no_order() -> () {
  %C = schedule.stage "C" (%i = 9) : tensor<9xf32> {
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return
}

// -----

// CHECK: a stage has one schedule.order, found 2
te.func @two_orders() -> () {
  %C = schedule.stage "C" (%i = 9) : tensor<9xf32> {
    schedule.order %i
    schedule.order %i
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return
}

// -----

// CHECK: order names axis i twice
te.func @order_repeats() -> () {
  %C = schedule.stage "C" (%i = 9) : tensor<9xf32> {
    schedule.order %i, %i
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return
}

// -----

// CHECK: 2 kinds for 1 axes
te.func @kinds() -> () {
  %C = schedule.stage "C" (%i = 9) : tensor<9xf32> {
    "schedule.order"(%i) <{kinds = [#loop.kind<serial>, #loop.kind<serial>]}> : (!schedule.axis) -> ()
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return
}

// -----

// CHECK: the region must end in schedule.equation, schedule.update or schedule.extern
te.func @no_equation() -> () {
  %C = schedule.stage "C" (%i = 9) : tensor<9xf32> {
    schedule.order %i
    "test.termop"() : () -> ()
  }
  te.return
}

// -----

// CHECK: axis 0 has extent 8, but dimension 0 of tensor<9xf32> is 9
te.func @another_extent() -> () {
  %C = schedule.stage "C" (%i = 8) : tensor<9xf32> {
    schedule.order %i
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return
}

// -----

// CHECK: the body region has arguments (index, index), expected (index)
te.func @equation_of_two_axes() -> () {
  %C = schedule.stage "C" (%i = 9) : tensor<9xf32> {
    schedule.order %i
    schedule.equation (%p, %q) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return
}

// -----

// CHECK: the body region yields (f64), expected (f32)
te.func @yields_another_type() -> () {
  %C = schedule.stage "C" (%i = 9) : tensor<9xf32> {
    schedule.order %i
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f64
      te.yield %one : f64
    }
  }
  te.return
}

// -----

// CHECK: the bounds' maps do not fit their operands
te.func @range() -> () {
  %C = schedule.stage "C" (%i = 9) : tensor<9xf32> {
    schedule.order %i
    "schedule.range"(%i) <{lower = affine_map<() -> (0)>, upper = affine_map<() -> ()>}> : (!schedule.axis) -> ()
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return
}

// -----

// CHECK: 2 pairs for 1 data axes
te.func @region() -> () {
  %C = schedule.stage "C" (%i = 9) : tensor<9xf32> {
    schedule.order %i
    schedule.region [0 : 9, 0 : 1]
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return
}

// -----

// CHECK: a condition needs a constraint in each alternative
te.func @guard() -> () {
  %C = schedule.stage "C" (%i = 9) : tensor<9xf32> {
    schedule.order %i
    schedule.guard ()
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return
}

// -----

// CHECK: io is a leaf axis
te.func @value_of_a_leaf() -> () {
  %C = schedule.stage "C" (%i = 9) : tensor<9xf32> {
    %io, %ii = schedule.split %i factor 4
    schedule.order %io, %ii
    schedule.value %io = %ii
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return
}

// -----

// CHECK: a stage inside another needs `at` an axis of it, one at the root none
te.func @nested_without_at() -> () {
  %C = schedule.stage "C" (%i = 9) : tensor<9xf32> {
    schedule.order %i
    %B = schedule.stage "B" (%j = 9) : tensor<9xf32> {
      schedule.order %j
      schedule.equation (%p) {
        %one = arith.constant 1.0 : f32
        te.yield %one : f32
      }
    }
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return
}

// -----

// CHECK: is at i, which is no leaf axis of stage "C"
te.func @at_a_parent() -> () {
  %C = schedule.stage "C" (%i = 9) : tensor<9xf32> {
    %io, %ii = schedule.split %i factor 4
    schedule.order %io, %ii
    %B = schedule.stage "B" at %i (%j = 9) : tensor<9xf32> {
      schedule.order %j
      schedule.equation (%p) {
        %one = arith.constant 1.0 : f32
        te.yield %one : f32
      }
    }
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return
}

// -----

// CHECK: 'schedule.order' expects parent op 'schedule.stage'
schedule.order none

// -----

// CHECK: bind of axis i: no thread axis "threadidx.x"; thread axes: blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z, vthread; did you mean 'threadIdx.x'?
schedule.sequence @no_thread_axis on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.bind %i "threadidx.x"
}

// -----

// A kind that is no thread axis.
// CHECK: bind of axis i: no thread axis "parallel"
schedule.sequence @kind_without_threads on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.bind %i "parallel"
}

// -----

// CHECK: bind of axis i to threadIdx.x of extent 0: an extent must be at least 1
schedule.sequence @no_threads on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.bind %i "threadIdx.x" extent 0
}

// -----

// CHECK: error: 9223372036854775808 is no integer of 64 bits
// CHECK-NEXT: schedule.bind %i "threadIdx.x" extent 9223372036854775808
schedule.sequence @wide_extent on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.bind %i "threadIdx.x" extent 9223372036854775808
}

// -----

// CHECK: axis i was consumed by split; use io, ii
schedule.sequence @bind_consumed on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 8
  schedule.bind %i "threadIdx.x"
}

// -----

// CHECK: no storage scope "vtcm"; scopes: global, shared, warp, local, and each with a tag, as in global.vtcm
schedule.sequence @no_scope on @f {
  %B = schedule.get "B"
  schedule.set_scope %B "vtcm"
}

// -----

// CHECK: no mode 'hul'; modes: exact, hull, box; did you mean 'hull'?
schedule.sequence @no_mode on @f {
  %B = schedule.get "B"
  schedule.set_mode %B "hul"
}

// -----

// CHECK: a budget of 0 operations: it must be at least 1
schedule.sequence @no_budget on @f {
  %B = schedule.get "B"
  schedule.set_mode %B budget 0
}

// -----

// CHECK: set_mode says neither a mode nor a budget
schedule.sequence @nothing_said on @f {
  %B = schedule.get "B"
  schedule.set_mode %B
}

// -----

// A tag has letters.
// CHECK: no storage scope "shared."; scopes: global, shared, warp, local
schedule.sequence @empty_tag on @f {
  %B = schedule.get "B"
  schedule.set_scope %B "shared."
}

// -----

// CHECK: no storage scope "Local"; {{.*}}; did you mean 'local'?
te.func @f(%A: tensor<4xf32>) -> (tensor<4xf32>) {
  %B = schedule.stage "B" in "Local" (%i = 4) : tensor<4xf32> {
    %io, %ii = schedule.split %i factor 2
    schedule.order %io, %ii
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %B : tensor<4xf32>
}

// -----

// CHECK: no storage scope "memory"; scopes: global, shared, warp, local
te.func @f(%A: tensor<4xf32>) -> (tensor<4xf32>) {
  %B = schedule.stage "B" in "memory" (%i = 4) : tensor<4xf32> {
    %io, %ii = schedule.split %i factor 2
    schedule.order %io, %ii
    schedule.region [0 : 4]
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %B : tensor<4xf32>
}

// -----

// CHECK: i is no leaf axis
te.func @f(%A: tensor<4xf32>) -> (tensor<4xf32>) {
  %B = schedule.stage "B" (%i = 4) : tensor<4xf32> {
    %io, %ii = schedule.split %i factor 2
    schedule.extent %i = 4
    schedule.order %io, %ii
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %B : tensor<4xf32>
}

// -----

// CHECK: storage_align of axis i by factor 0: factor must be at least 1
schedule.sequence @align_zero on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.storage_align %i factor 0 offset 0
}

// -----

// CHECK: storage_align of axis i by offset 4: with factor 4 it must be in 0 .. 3
schedule.sequence @align_beyond on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.storage_align %i factor 4 offset 4
}

// -----

// CHECK: schedule.fold_storage is a command: it stands in a schedule.sequence
te.func @command_in_a_stage() -> (tensor<9xf32>) {
  %A = schedule.stage "A" (%i = 9) : tensor<9xf32> {
    schedule.fold_storage %i
    schedule.order %i
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return %A : tensor<9xf32>
}

// -----

// CHECK: axis 1 is none of the 1
te.func @aligned_leaf() -> (tensor<9xf32>) {
  %A = schedule.stage "A" aligned axis 1 factor 4 offset 1 (%i = 9) : tensor<9xf32> {
    %io, %ii = schedule.split %i factor 3
    schedule.order %io, %ii
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return %A : tensor<9xf32>
}

// -----

// CHECK: layout<affine_map<(d0, d1) -> (d1, d0)>> is over 2 axes, not 1
te.func @layout_axes() -> (tensor<9xf32>) {
  %A = schedule.stage "A" layout affine_map<(d0, d1) -> (d1, d0)> (%i = 9) : tensor<9xf32> {
    schedule.order %i
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return %A : tensor<9xf32>
}

// -----

// CHECK: the body needs one argument per result, of its type and shape
te.func @extern_of_another_result() -> () {
  %C = schedule.stage "C" () : tensor<5xf32> {
    schedule.order none
    schedule.extern (%c: tensor<4xf32>) {
    }
  }
  te.return
}

// -----

// CHECK: transform_layout wants one tensor: of a stage, as %B, or argument 0
"schedule.sequence"() <{sym_name = "layout_of_nothing", target = @f}> ({
  "schedule.transform_layout"() <{layout = #loop.layout<affine_map<(d0) -> (d0)>>}> : () -> ()
}) : () -> ()

// -----

// CHECK: no stage "C" has a result 1 of type tensor<8xf32>
te.func @no_result() -> (tensor<8xf32>) {
  %C = schedule.stage "C" (%i = 8) : tensor<8xf32> {
    schedule.order %i
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  %R = schedule.result "C" 1 : tensor<8xf32>
  te.return %R : tensor<8xf32>
}

// -----

// CHECK: no stage "C" has a result -1 of type tensor<8xf32>
te.func @result_below_0() -> (tensor<8xf32>) {
  %C, %D = schedule.stage "C" (%i = 8) : tensor<8xf32>, tensor<8xf32> {
    schedule.order %i
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one, %one : f32, f32
    }
  }
  %R = schedule.result "C" -1 : tensor<8xf32>
  te.return %R : tensor<8xf32>
}

// -----

// CHECK: the stage has no result 1 of type tensor<8xf32>
te.func @state_of_no_result() -> () {
  %S = schedule.stage "S" (%t = 8) : tensor<8xf32> {
    schedule.order %t
    %s = schedule.state 1 : tensor<8xf32>
    schedule.equation (%p) {
      %a = te.read %s[%p - 1] : f32
      te.yield %a : f32
    }
  }
  te.return
}

// -----

// CHECK: a stage without axes has no time, and no state
te.func @state_without_time() -> () {
  %S = schedule.stage "S" () : tensor<f32> {
    schedule.order none
    %s = schedule.state 0 : tensor<f32>
    schedule.equation () {
      %a = te.read %s[] : f32
      te.yield %a : f32
    }
  }
  te.return
}

// -----

// CHECK: prefetch at axis i with offset -1: it must be in 0 .. 1048576
schedule.sequence @into_the_past on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.prefetch %C, %B at %i offset -1
}

// -----

// CHECK: prefetch at axis i with offset 1048577: it must be in 0 .. 1048576
schedule.sequence @far on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.prefetch %C, argument 0 at %i offset 1048577
}

// -----

// CHECK: prefetch wants one tensor: of a stage, as %B, or argument 0
schedule.sequence @no_tensor on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.prefetch %C, at %i offset 1
}

// -----

// CHECK: prefetch of an argument, which has no result 1: it is one tensor
schedule.sequence @result_of_an_argument on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.prefetch %C, argument 0 result 1 at %i offset 1
}

// -----

// CHECK: prefetches at i, which is no leaf axis of stage "C"
te.func @prefetched_at_no_leaf(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %C = schedule.stage "C" (%i = 8) : tensor<8xf32> {
    %io, %ii = schedule.split %i factor 4
    schedule.prefetched %A at %i offset 1
    schedule.order %io, %ii
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<8xf32>
}

// -----

// CHECK: bounds of another number of axes than tensor<8xf32>
te.func @prefetched_of_another_rank(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %C = schedule.stage "C" (%i = 8) : tensor<8xf32> {
    schedule.prefetched %A at %i offset 1 [0 to 8, 0 to 8]
    schedule.order %i
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<8xf32>
}

// -----

// CHECK: the body needs one index per axis, and one argument per result, of its type and shape
te.func @extern_without_its_axis() -> () {
  %C = schedule.stage "C" (%i = 4) : tensor<4xf32> {
    schedule.order %i
    schedule.extern (%c: tensor<4xf32>) {
    }
  }
  te.return
}

// -----

// CHECK: an axis of an extern with a func.call cannot be vectorized: it is no scalar code
func.func private @f()
te.func @extern_vectorized() -> () {
  %C = schedule.stage "C" (%i = 4) : tensor<4xf32> {
    schedule.order %i vectorized
    schedule.extern (%p) (%c: tensor<4xf32>) {
      func.call @f() : () -> ()
    }
  }
  te.return
}

// -----

// CHECK: an alignment of an extern, whose points are no elements
te.func @extern_aligned() -> () {
  %C = schedule.stage "C" aligned axis 0 factor 4 offset 1 (%i = 4) : tensor<4xf32> {
    schedule.order %i
    schedule.extern (%p) (%c: tensor<4xf32>) {
    }
  }
  te.return
}

// -----

// CHECK: a layout of an extern, whose points are no elements
te.func @extern_with_a_layout() -> () {
  %C = schedule.stage "C" layout affine_map<(d0) -> (d0 floordiv 2, d0 mod 2)> (%i = 4) : tensor<4xf32> {
    schedule.order %i
    schedule.extern (%p) (%c: tensor<4xf32>) {
    }
  }
  te.return
}

// -----

// CHECK: data axis 0 must start at 0
te.func @extern_from_1() -> () {
  %C = schedule.stage "C" (%i = 1 to 4) : tensor<4xf32> {
    schedule.order %i
    schedule.extern (%p) (%c: tensor<4xf32>) {
    }
  }
  te.return
}

// -----

// CHECK: stage "B" is stored at i, which is no leaf axis of a stage around it
te.func @stored_at_a_consumed_axis(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %io, %ii = schedule.split %i factor 4
    schedule.order %io, %ii
    %B = schedule.stage "B" at %ii stored at %i (%j = 20) : tensor<20xf32> {
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
  te.return %C : tensor<20xf32>
}

// -----

// A chunk is one of two.
// CHECK: parallel of axis i: no chunk "guided"; it is "static" or "dynamic"
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.parallel %i chunk "guided"
}

// -----

// CHECK: no tail 'masked'; known: auto, guard, cut, predicate, round_up, shift_inwards
schedule.sequence @unknown_tail on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 8 tail "masked"
}

// -----

// CHECK: no tail 'predicat'; did you mean 'predicate'?
schedule.sequence @unknown_tail_of_a_tile on @f {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 8, 8 tail "predicat"
}

// -----

// CHECK: no partition 'often'; known: auto, never, always
schedule.sequence @unknown_policy on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.partition %i "often"
}

// -----

// CHECK: never_partition names axis i twice
schedule.sequence @never_twice on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.never_partition %i, %i
}

// -----

// CHECK: always_partition needs at least one axis
schedule.sequence @always_nothing on @f {
  "schedule.always_partition"() : () -> ()
}

// -----

// CHECK: 'schedule.partitioned' expects parent op 'schedule.stage'
%i = "test.op"() : () -> !schedule.axis
schedule.partitioned %i "never"

// -----

// CHECK: 'schedule.separated' expects parent op 'schedule.stage'
%i = "test.op"() : () -> !schedule.axis
schedule.separated %i at 2

// -----

// CHECK: a sequence works on stages and axes, not on index
schedule.named_sequence @index(%n: index) {
}

// -----

// CHECK: a region yields nothing, but the results are !schedule.axis
schedule.named_sequence @nothing() -> (!schedule.axis) {
}

// -----

// CHECK: schedule.yield ends a named sequence, or one of several alternatives
schedule.sequence @yield on @f {
  schedule.yield
}

// -----

// CHECK: the types of an include are (handles) -> results
schedule.sequence @include on @f {
  schedule.include @g() : !schedule.axis
}

// -----

// CHECK: no kind of stages 'elementwize'; kinds: elementwise, broadcast, injective, reduction, update, extern, scan, output; did you mean 'elementwise'?
schedule.sequence @kind on @f {
  schedule.for_each elementwize (%S) {
  }
}

// -----

// CHECK: a region yields nothing, but the results are !schedule.axis
schedule.sequence @alternatives on @f {
  %a = schedule.alternatives -> (!schedule.axis) {
  }
}

// -----

// CHECK: there is no alternative
schedule.sequence @no_alternative on @f {
  "schedule.alternatives"() : () -> ()
}

// -----

// CHECK: parameter "tile" has no number to choose
"schedule.param"() <{parameter = "tile", choices = []}> : () -> ()

// -----

// CHECK: 'schedule.pragmas' expects parent op 'schedule.stage'
"builtin.module"() ({
  %i = "test.op"() : () -> !schedule.axis
  schedule.pragmas %i {"note" = true}
}) : () -> ()

// -----

// CHECK: is at i, which is no leaf axis of stage "C"
te.func @f(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %C = schedule.stage "C" (%i = 8) : tensor<8xf32> {
    %io, %ii = schedule.split %i factor 4
    schedule.order %io, %ii
    schedule.tensorized %i by @negate4
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<8xf32>
}

// -----

// CHECK: starts of ii, but the loops in its place are those of io, ii
te.func @f(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %C = schedule.stage "C" (%i = 8) : tensor<8xf32> {
    %io, %ii = schedule.split %i factor 4
    schedule.order %io, %ii
    schedule.code fills %io from [%ii = 0] (%p) (%out: tensor<8xf32>) {
    }
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<8xf32>
}

// -----

// CHECK: two codes of a stage fills a part of it
te.func @f(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %C = schedule.stage "C" (%i = 8) : tensor<8xf32> {
    %io, %ii = schedule.split %i factor 4
    schedule.order %io, %ii
    schedule.code fills %ii from [%ii = 0] (%p) (%out: tensor<8xf32>) {
    }
    schedule.code fills %ii from [%ii = 0] (%p) (%out: tensor<8xf32>) {
    }
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<8xf32>
}

// -----

// CHECK: specialize is by sizes, which are symbols, not dimensions
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.specialize %C affine_set<(d0) : (d0 - 1 >= 0)>
}

// -----

// CHECK: specialized has one alternative; use an op for each
te.func @f(%n: index) -> (tensor<?xf32>) {
  %A = schedule.stage "A" (%i = %n) : tensor<?xf32> {
    schedule.specialized (%n >= 0) or (%n - 1 >= 0)
    schedule.order %i
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return %A : tensor<?xf32>
}

// -----

// CHECK: ring_buffer of 1 copies: there are 2 to 1024
schedule.sequence @s on @f {
  %B = schedule.get "B"
  schedule.ring_buffer %B copies 1
}

// -----

// CHECK: rfactor of axis k at -1: a position is not negative
schedule.sequence @factored_before_all_axes on @f {
  %C = schedule.get "C"
  %i, %k = schedule.axes 2 of %C
  %CF, %v = schedule.rfactor %C, %k at -1
}

// -----

// CHECK: the body region needs an index per axis of the domain, then a state per result
te.func @update_over_data_axes(%A: tensor<9xf32>) -> () {
  %S = schedule.stage "S" (%i = 9) reduce (%r = 9) : tensor<9xf32> {
    schedule.order %i, %r
    schedule.update (%p, %q) state %s : tensor<9xf32> {
    } init (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return
}

// -----

// CHECK: stage "A" has no reduce axes, so no fold starts in it
te.func @no_fold() -> (tensor<4xf32>) {
  %A = schedule.stage "A" (%i = 4) : tensor<4xf32> {
    schedule.decomposed %i
    schedule.order %i
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return %A : tensor<4xf32>
}

// -----

// CHECK: bound of axis i to 0: an extent must be at least 1
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %i = schedule.axes 1 of %B
  schedule.bound %i from 0 extent 0
}

// -----

// CHECK: align_bounds of axis i: no coordinate is 8 modulo 8
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %i = schedule.axes 1 of %B
  schedule.align_bounds %i modulus 8 remainder 8
}

// -----

// CHECK: io is no data axis of the stage
te.func @f() -> (tensor<8xf32>) {
  %A = schedule.stage "A" (%i = 8) : tensor<8xf32> {
    %io, %ii = schedule.split %i factor 4
    schedule.bounded %io extent 4
    schedule.order %io, %ii
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return %A : tensor<8xf32>
}

// -----

// CHECK: 'schedule.promised' expects parent op 'schedule.stage'
te.func @f(%n: index) -> () {
  schedule.promised (%n - 8 >= 0)
  te.return
}

// -----

// CHECK: specialize is by sizes, which are symbols, not dimensions
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.specialize %C affine_set<(d0) : (d0 - 1 >= 0)>
}

// -----

// CHECK: specialized has one alternative; use an op for each
te.func @f(%n: index) -> (tensor<?xf32>) {
  %A = schedule.stage "A" (%i = %n) : tensor<?xf32> {
    schedule.specialized (%n >= 0) or (%n - 1 >= 0)
    schedule.order %i
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return %A : tensor<?xf32>
}

// -----

// CHECK: rfactor of axis k at -1: a position is not negative
schedule.sequence @factored_before_all_axes on @f {
  %C = schedule.get "C"
  %i, %k = schedule.axes 2 of %C
  %CF, %v = schedule.rfactor %C, %k at -1
}

// -----

// CHECK: bounds of i, but the equation says those of none
te.func @bounds_of_a_data_axis(%A: tensor<4xf32>) -> () {
  %S = schedule.stage "S" (%i = 4) : tensor<4xf32> {
    schedule.order %i
    %first, %end = schedule.bounds %i
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return
}

// -----

// CHECK: ring_buffer of 1 copies: there are 2 to 1024
schedule.sequence @s on @f {
  %B = schedule.get "B"
  schedule.ring_buffer %B copies 1
}

// -----

// CHECK: stage "A" has no reduce axes, so no fold starts in it
te.func @no_fold() -> (tensor<4xf32>) {
  %A = schedule.stage "A" (%i = 4) : tensor<4xf32> {
    schedule.decomposed %i
    schedule.order %i
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return %A : tensor<4xf32>
}

// -----

// CHECK: compute_with names stage B twice
schedule.sequence @with_itself on @f {
  %B = schedule.get "B"
  %i = schedule.axes 1 of %B
  schedule.compute_with %B, %B, %i
}

// -----

// CHECK: no alignment 'begin'; alignments: auto, none, start, end, equal
schedule.sequence @unknown_alignment on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.compute_with %B, %C, %i align ["begin"]
}

// -----

// CHECK: after names stage B twice
schedule.sequence @after_itself on @f {
  %B = schedule.get "B"
  schedule.after %B, %B
}

// -----

// CHECK: between names stage C twice
schedule.sequence @between_one on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.between %B, %C at %i, %C at %i
}

// -----

// CHECK: no stage has 9223372036854775807 axes
te.func @too_many_shared_loops() -> (tensor<4xf32>) {
  %B = schedule.stage "B" sharing 9223372036854775807 (%i = 4) : tensor<4xf32> {
  }
}

// -----

// CHECK: 1 alignments for 2 shared loops
te.func @too_few_alignments() -> (tensor<4x4xf32>) {
  %B = schedule.stage "B" sharing 2 align [start] (%i = 4, %j = 4) : tensor<4x4xf32> {
  }
}

// -----

// CHECK: shares loops, but no stage at the same place is in front of it
te.func @nothing_in_front() -> (tensor<4xf32>) {
  %B = schedule.stage "B" sharing 1 (%i = 4) : tensor<4xf32> {
    schedule.order %i
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return %B : tensor<4xf32>
}

// -----

// CHECK: shares 2 loops with "A"; the leaf axes are i, j, and there i
te.func @too_few_leaves() -> (tensor<4xf32>, tensor<4x4xf32>) {
  %A = schedule.stage "A" (%i = 4) : tensor<4xf32> {
    schedule.order %i
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  %B = schedule.stage "B" sharing 2 (%i = 4, %j = 4) : tensor<4x4xf32> {
    schedule.order %i, %j
    schedule.equation (%p, %q) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return %A, %B : tensor<4xf32>, tensor<4x4xf32>
}

// -----

// CHECK: shares the loop of i, which is serial, with that of x, which is parallel
te.func @other_kinds() -> (tensor<4xf32>, tensor<4xf32>) {
  %A = schedule.stage "A" (%x = 4) : tensor<4xf32> {
    schedule.order %x parallel
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  %B = schedule.stage "B" sharing 1 (%i = 4) : tensor<4xf32> {
    schedule.order %i
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return %A, %B : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK: bound of axis i to 0: an extent must be at least 1
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %i = schedule.axes 1 of %B
  schedule.bound %i from 0 extent 0
}

// -----

// CHECK: align_bounds of axis i: no coordinate is 8 modulo 8
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %i = schedule.axes 1 of %B
  schedule.align_bounds %i modulus 8 remainder 8
}

// -----

// CHECK: io is no data axis of the stage
te.func @f() -> (tensor<8xf32>) {
  %A = schedule.stage "A" (%i = 8) : tensor<8xf32> {
    %io, %ii = schedule.split %i factor 4
    schedule.bounded %io extent 4
    schedule.order %io, %ii
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return %A : tensor<8xf32>
}

// -----

// CHECK: 'schedule.promised' expects parent op 'schedule.stage'
te.func @f(%n: index) -> () {
  schedule.promised (%n - 8 >= 0)
  te.return
}

// -----

// CHECK: bounds of i, but the equation says those of none
te.func @bounds_of_a_data_axis(%A: tensor<4xf32>) -> () {
  %S = schedule.stage "S" (%i = 4) : tensor<4xf32> {
    schedule.order %i
    %first, %end = schedule.bounds %i
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return
}

// -----

// CHECK: only the axes of an equation or an update have a domain
te.func @domain_of_an_extern() -> () {
  %S = schedule.stage "S" (%i = 4) where (%i - 1 >= 0) : tensor<4xf32> {
    schedule.order %i
    schedule.extern (%p) (%out: tensor<4xf32>) {
    }
  }
  te.return
}

// -----

// CHECK: a stage gives tensors, f32 is none
te.func @stage_of_a_scalar() -> () {
  %C = schedule.stage "C" (%i = 9) : f32 {
    schedule.order %i
    schedule.equation (%p) {
      %one = arith.constant 1.0 : f32
      te.yield %one : f32
    }
  }
  te.return
}

// -----

// CHECK: symmetrize names axis i twice; it wants the two that change places
schedule.sequence @symmetric_along_one_axis on @f {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %T = schedule.symmetrize %C, %i, %i
}

// -----

// CHECK: precompute names axis i twice
schedule.sequence @precomputed_over_one_axis_twice on @f {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %P = schedule.precompute %C, %i, %i
}

// -----

// CHECK: precompute needs at least one axis
"schedule.sequence"() <{sym_name = "precomputed_over_no_axis", target = @f}> ({
  %C = schedule.get "C"
  %P = "schedule.precompute"(%C) : (!schedule.stage) -> !schedule.stage
}) : () -> ()
