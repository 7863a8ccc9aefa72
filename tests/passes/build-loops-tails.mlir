// RUN: teloom-opt %s -p build-loops | filecheck %s

// Tiles are rounded up, and what another stage computes for them. A loop over tiles is not, though
// its range depends on that over others: below the diagonal no tile runs.
te.func @triangle(%A: tensor<40x40xf32>) -> (tensor<40x40xf32>) {
  %B = schedule.stage "B" (%i = 40, %j = 40) where (%j - %i >= 0) : tensor<40x40xf32> {
    %i.outer, %i.inner = schedule.split %i factor 4 tail "round_up"
    %j.outer, %j.inner = schedule.split %j factor 16 tail "round_up"
    schedule.order %j.outer, %i.outer, %i.inner, %j.inner
    schedule.region [0 : 40, 0 : 40]
    schedule.range %j.outer = 0 to 3
    schedule.range %i.outer = 0 to min(10, %j.outer * 4 + 4)
    schedule.range %i.inner = 0 to 4
    schedule.range %j.inner = max(0, %i.outer * 4 + %i.inner - %j.outer * 16) to min(16, %j.outer * -16 + 40)
    schedule.range %i = 0 to 40
    schedule.range %j = 0 to 40
    schedule.value %j = %j.outer * 16 + %j.inner
    schedule.value %i = %i.outer * 4 + %i.inner
    %T = schedule.stage "T" at %i.outer (%k = 40, %l = 40) where (%l - %k >= 0) : tensor<40x40xf32> {
      schedule.order %k, %l
      schedule.region [%i.outer * 4 : 4, %j.outer * 16 : 16]
      schedule.range %k = %i.outer * 4 to %i.outer * 4 + 4
      schedule.range %l = max(%k, %j.outer * 16) to min(40, %j.outer * 16 + 16)
      schedule.equation (%p, %q) {
        %a = te.read %A[%q, %p] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%p, %q) {
      %t = te.read %T[%p, %q] : f32
      te.yield %t : f32
    }
  }
  te.return %B : tensor<40x40xf32>
}

// CHECK:      loop.for %j.outer = 0 to 3 {
// CHECK-NEXT:   loop.for %i.outer = 0 to min(10, %j.outer * 4 + 4) {
// CHECK:          loop.for %k = %i.outer * 4 to %i.outer * 4 + 4 attributes {loop.tail = "round_up"} {
// CHECK-NEXT:       loop.for %l = max(%k, %j.outer * 16) to {{.*}} attributes {loop.tail = "round_up"} {
// CHECK:          loop.for %i.inner = 0 to 4 attributes {loop.tail = "round_up"} {
// CHECK-NEXT:       loop.for %j.inner = max({{.*}} attributes {loop.tail = "round_up"} {

// So is what another stage computes for a group of such tiles, in tiles of its own as well.
te.func @groups(%A: tensor<40xf32>) -> (tensor<40xf32>) {
  %B = schedule.stage "B" (%i = 40) : tensor<40xf32> {
    %i.outer, %i.inner = schedule.split %i factor 16 tail "round_up"
    %group, %tile = schedule.split %i.outer factor 2
    schedule.order %group, %tile, %i.inner
    schedule.region [0 : 40]
    schedule.range %group = 0 to 2
    schedule.range %tile = 0 to min(2, %group * -2 + 3)
    schedule.range %i.inner = 0 to min(16, %group * -32 - %tile * 16 + 40)
    schedule.range %i = 0 to 40
    schedule.range %i.outer = 0 to 3
    schedule.value %i = %group * 32 + %tile * 16 + %i.inner
    %T = schedule.stage "T" at %group (%k = 40) : tensor<40xf32> {
      %k.outer, %k.inner = schedule.split %k factor 8
      schedule.order %k.outer, %k.inner
      schedule.region [%group * 32 : 32]
      schedule.range %k.outer = 0 to min(4, %group * -4 + 5)
      schedule.range %k.inner = 0 to min(8, %group * -32 - %k.outer * 8 + 40)
      schedule.range %k = %group * 32 to min(40, %group * 32 + 32)
      schedule.value %k = %group * 32 + %k.outer * 8 + %k.inner
      schedule.equation (%p) {
        %a = te.read %A[%p] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%p) {
      %t = te.read %T[%p] : f32
      te.yield %t : f32
    }
  }
  te.return %B : tensor<40xf32>
}

// CHECK:      loop.for %group = 0 to 2 {
// CHECK:        loop.for %k.outer =
// CHECK-NEXT:     loop.for %k.inner = {{.*}} attributes {loop.tail = "round_up"} {
// CHECK:        loop.for %tile =
// CHECK-NEXT:     loop.for %i.inner = {{.*}} attributes {loop.tail = "round_up"} {
