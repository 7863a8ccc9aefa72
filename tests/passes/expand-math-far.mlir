// RUN: teloom-opt %s -p expand-math | filecheck %s

// The C library computes angles above 2^16, lane by lane, if a lane has one.
// CHECK-LABEL: func.func private @teloom_sin_f32x2(
// CHECK:         %[[FAR:.*]] = arith.cmpf ogt, %{{.*}}, %{{.*}} : vector<2xf32>
// CHECK-NEXT:    %[[ANY:.*]] = vector.reduction <or>, %[[FAR]] : vector<2xi1> into i1
// CHECK-NEXT:    scf.if %[[ANY]] -> (vector<2xf32>) {
// CHECK-NEXT:      %[[LIBRARY:.*]] = math.sin %{{.*}} : vector<2xf32>
// CHECK-NEXT:      arith.select %[[FAR]], %[[LIBRARY]], %{{.*}} : vector<2xi1>, vector<2xf32>
// CHECK:         } else {
// CHECK-NOT:       math.sin
func.func @angles(%x: vector<2xf32>) -> vector<2xf32> {
  %0 = math.sin %x : vector<2xf32>
  func.return %0 : vector<2xf32>
}

// And remainders whose quotient is above 2^21.
// CHECK-LABEL: func.func private @teloom_fmod_f32(
// CHECK:         %[[LEFT:.*]] = math.fma
// CHECK:         %[[QUOTIENT:.*]] = arith.divf
// CHECK:         %[[FAR:.*]] = arith.cmpf ogt, %[[QUOTIENT]], %{{.*}} : f32
// CHECK-NEXT:    scf.if %[[FAR]] -> (f32) {
// CHECK-NEXT:      llvm.frem %0, %1 : f32
// CHECK:         } else {
// CHECK-NOT:       frem
func.func @remainder(%x: f32, %y: f32) -> f32 {
  %0 = llvm.frem %x, %y : f32
  func.return %0 : f32
}
