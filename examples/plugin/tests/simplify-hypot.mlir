// RUN: teloom-opt %s -p simplify-hypot | filecheck %s

// CHECK-LABEL: @along_x
// CHECK:         math.absf %x : f32
// CHECK-NOT:     geometry.hypot
func.func @along_x(%x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %0 = geometry.hypot %x, %zero : f32
  func.return %0 : f32
}

// CHECK-LABEL: @elsewhere
// CHECK:         geometry.hypot %x, %y : f32
func.func @elsewhere(%x: f32, %y: f32) -> f32 {
  %0 = geometry.hypot %x, %y : f32
  func.return %0 : f32
}
