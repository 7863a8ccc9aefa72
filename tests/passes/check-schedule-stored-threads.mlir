// RUN: teloom-opt %s -p 'apply-schedule,infer-bounds,check-schedule,build-loops' --split-input-file | filecheck %s

// Each thread computes the rows that it reads, in memory that all threads of its block see.
// CHECK-LABEL: func.func @rows
// CHECK:       loop.for %yo = 0 to 16 blockIdx.x {
// CHECK-NEXT:    %B = loop.realize "B" [%yo * 4 : 4, 0 : 64] in "shared"
// CHECK-NEXT:    loop.for %yi = 0 to 4 threadIdx.x {
// CHECK-NEXT:      loop.for %j = 0 to 64 {
// CHECK:             loop.store %{{.*}}, %B[%yo * 4 + %yi, %j] : f32
te.func @rows(%A: tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  %B = te.compute "B" (%i = 64, %j = 64) : tensor<64x64xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 64, %x = 64) : tensor<64x64xf32> {
    %0 = te.read %B[%y, %x] : f32
    %1 = te.read %B[%y, 63 - %x] : f32
    %2 = arith.addf %0, %1 : f32
    te.yield %2 : f32
  }
  te.return %C : tensor<64x64xf32>
}
schedule.sequence @s on @rows {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  %yo, %yi = schedule.split %y factor 4
  schedule.bind %yo "blockIdx.x"
  schedule.bind %yi "threadIdx.x"
  schedule.compute_at %B, %C, %yi
  schedule.store_at %B, %C, %yo
}

// -----

// The same outside of all threads, whose memory is global.
// CHECK-LABEL: func.func @all_rows
// CHECK:       %B = loop.realize "B" [0 : 64, 0 : 64] : !loop.tensor<2, f32>
// CHECK-NEXT:  loop.for %y = 0 to 64 blockIdx.x {
// CHECK-NEXT:    loop.for %j = 0 to 64 {
// CHECK:           loop.store %{{.*}}, %B[%y, %j] : f32
te.func @all_rows(%A: tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  %B = te.compute "B" (%i = 64, %j = 64) : tensor<64x64xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 64, %x = 64) : tensor<64x64xf32> {
    %0 = te.read %B[%y, 63 - %x] : f32
    te.yield %0 : f32
  }
  te.return %C : tensor<64x64xf32>
}
schedule.sequence @s on @all_rows {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  schedule.bind %y "blockIdx.x"
  schedule.compute_at %B, %C, %y
  schedule.store_root %B
}
