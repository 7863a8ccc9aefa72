// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// At the root B is computed for both readers.
te.func @root(%A: tensor<12xf32>) -> (tensor<10xf32>) {
  %B = schedule.stage "B" (%x = 12) : tensor<12xf32> {
    schedule.order %x
    schedule.equation (%x_1) {
      %r0 = te.read %A[%x_1] : f32
      te.yield %r0 : f32
    }
  }
  %D = schedule.stage "D" (%z = 10) : tensor<10xf32> {
    %zo, %zi = schedule.split %z factor 5
    schedule.order %zo, %zi
    %C = schedule.stage "C" at %zi (%y = 10) : tensor<10xf32> {
      schedule.order %y
      schedule.equation (%y_1) {
        %r0 = te.read %B[%y_1 + 2] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%z_1) {
      %r0 = te.read %C[%z_1] : f32
      %r1 = te.read %B[%z_1] : f32
      %t1 = arith.addf %r0, %r1 : f32
      te.yield %t1 : f32
    }
  }
  te.return %D : tensor<10xf32>
}

// CHECK-LABEL: te.func @root
// CHECK-NEXT:   %B = schedule.stage "B" (%x = 12) : tensor<12xf32>
// CHECK-NEXT:     schedule.order %x
// CHECK-NEXT:     schedule.region [0 : 12]
// CHECK-NEXT:     schedule.range %x = 0 to 12
// CHECK:        %D = schedule.stage "D" (%z = 10) : tensor<10xf32>
// CHECK-NEXT:     %zo, %zi = schedule.split %z factor 5
// CHECK-NEXT:     schedule.order %zo, %zi
// CHECK-NEXT:     schedule.region [0 : 10]
// CHECK-NEXT:     schedule.range %zo = 0 to 2
// CHECK-NEXT:     schedule.range %zi = 0 to 5
// CHECK-NEXT:     schedule.range %z = 0 to 10
// CHECK-NEXT:     schedule.value %z = %zo * 5 + %zi
// CHECK-NEXT:     %C = schedule.stage "C" at %zi (%y = 10) : tensor<10xf32>
// CHECK-NEXT:       schedule.order %y
// CHECK-NEXT:       schedule.region [%zo * 5 + %zi : 1]
// CHECK-NEXT:       schedule.range %y = %zo * 5 + %zi to %zo * 5 + %zi + 1

// -----

// At the loop around both readers B covers what both need: five elements of one, five of the
// other, two further on.
te.func @around(%A: tensor<12xf32>) -> (tensor<10xf32>) {
  %D = schedule.stage "D" (%z = 10) : tensor<10xf32> {
    %zo, %zi = schedule.split %z factor 5
    schedule.order %zo, %zi
    %B = schedule.stage "B" at %zo (%x = 12) : tensor<12xf32> {
      schedule.order %x
      schedule.equation (%x_1) {
        %r0 = te.read %A[%x_1] : f32
        te.yield %r0 : f32
      }
    }
    %C = schedule.stage "C" at %zo (%y = 10) : tensor<10xf32> {
      schedule.order %y
      schedule.equation (%y_1) {
        %r0 = te.read %B[%y_1 + 2] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%z_1) {
      %r0 = te.read %C[%z_1] : f32
      %r1 = te.read %B[%z_1] : f32
      %t1 = arith.addf %r0, %r1 : f32
      te.yield %t1 : f32
    }
  }
  te.return %D : tensor<10xf32>
}

// CHECK-LABEL: te.func @around
// CHECK-NEXT:   %D = schedule.stage "D" (%z = 10) : tensor<10xf32>
// CHECK-NEXT:     %zo, %zi = schedule.split %z factor 5
// CHECK-NEXT:     schedule.order %zo, %zi
// CHECK-NEXT:     schedule.region [0 : 10]
// CHECK-NEXT:     schedule.range %zo = 0 to 2
// CHECK-NEXT:     schedule.range %zi = 0 to 5
// CHECK-NEXT:     schedule.range %z = 0 to 10
// CHECK-NEXT:     schedule.value %z = %zo * 5 + %zi
// CHECK-NEXT:     %B = schedule.stage "B" at %zo (%x = 12) : tensor<12xf32>
// CHECK-NEXT:       schedule.order %x
// CHECK-NEXT:       schedule.region [%zo * 5 : 7]
// CHECK-NEXT:       schedule.range %x = %zo * 5 to %zo * 5 + 7
// CHECK:          %C = schedule.stage "C" at %zo (%y = 10) : tensor<10xf32>
// CHECK-NEXT:       schedule.order %y
// CHECK-NEXT:       schedule.region [%zo * 5 : 5]
// CHECK-NEXT:       schedule.range %y = %zo * 5 to %zo * 5 + 5

// -----

// The readers may be at different depths.
te.func @depths(%A: tensor<12xf32>) -> (tensor<10xf32>) {
  %D = schedule.stage "D" (%z = 10) : tensor<10xf32> {
    %zo, %zi = schedule.split %z factor 5
    schedule.order %zo, %zi
    %B = schedule.stage "B" at %zo (%x = 12) : tensor<12xf32> {
      schedule.order %x
      schedule.equation (%x_1) {
        %r0 = te.read %A[%x_1] : f32
        te.yield %r0 : f32
      }
    }
    %C = schedule.stage "C" at %zi (%y = 10) : tensor<10xf32> {
      schedule.order %y
      schedule.equation (%y_1) {
        %r0 = te.read %B[%y_1 + 2] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%z_1) {
      %r0 = te.read %C[%z_1] : f32
      %r1 = te.read %B[%z_1] : f32
      %t1 = arith.addf %r0, %r1 : f32
      te.yield %t1 : f32
    }
  }
  te.return %D : tensor<10xf32>
}

// CHECK-LABEL: te.func @depths
// CHECK-NEXT:   %D = schedule.stage "D" (%z = 10) : tensor<10xf32>
// CHECK-NEXT:     %zo, %zi = schedule.split %z factor 5
// CHECK-NEXT:     schedule.order %zo, %zi
// CHECK-NEXT:     schedule.region [0 : 10]
// CHECK-NEXT:     schedule.range %zo = 0 to 2
// CHECK-NEXT:     schedule.range %zi = 0 to 5
// CHECK-NEXT:     schedule.range %z = 0 to 10
// CHECK-NEXT:     schedule.value %z = %zo * 5 + %zi
// CHECK-NEXT:     %B = schedule.stage "B" at %zo (%x = 12) : tensor<12xf32>
// CHECK-NEXT:       schedule.order %x
// CHECK-NEXT:       schedule.region [%zo * 5 : 7]
// CHECK-NEXT:       schedule.range %x = %zo * 5 to %zo * 5 + 7
// CHECK:          %C = schedule.stage "C" at %zi (%y = 10) : tensor<10xf32>
// CHECK-NEXT:       schedule.order %y
// CHECK-NEXT:       schedule.region [%zo * 5 + %zi : 1]
// CHECK-NEXT:       schedule.range %y = %zo * 5 + %zi to %zo * 5 + %zi + 1
