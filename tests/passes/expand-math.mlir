// RUN: teloom-opt %s -p expand-math | filecheck %s
// RUN: teloom-opt %s -p 'expand-math{level=precise}' | filecheck %s --check-prefix=PRECISE

// A use is a call; the function is written once for each type and number of lanes.
// CHECK-LABEL: func.func @scalars_and_lanes
// CHECK-NEXT:    func.call @teloom_exp_f32(%x)
// CHECK-NEXT:    func.call @teloom_exp_f32(
// CHECK-NEXT:    func.call @teloom_exp_f32x8(%v)
func.func @scalars_and_lanes(%x: f32, %v: vector<8xf32>) -> vector<8xf32> {
  %0 = math.exp %x : f32
  %1 = math.exp %0 : f32
  %2 = math.exp %v : vector<8xf32>
  func.return %2 : vector<8xf32>
}

// A name that is taken is not taken again.
// CHECK-LABEL: func.func @teloom_log_f64
// CHECK-NEXT:    func.call @teloom_log_f64_(%x)
func.func @teloom_log_f64(%x: f64) -> f64 {
  %0 = math.log %x : f64
  func.return %0 : f64
}

// It is a function of two numbers, where the op is.
// CHECK-LABEL: func.func @angle
// CHECK-NEXT:    func.call @teloom_atan2_f32x4(%y, %x)
// PRECISE-LABEL: func.func @angle
// PRECISE-NEXT:    func.call @teloom_atan2_f32x4(%y, %x)
func.func @angle(%y: vector<4xf32>, %x: vector<4xf32>) -> vector<4xf32> {
  %0 = math.atan2 %y, %x : vector<4xf32>
  func.return %0 : vector<4xf32>
}

// In float64 the C library is precise, where it is.
// PRECISE-LABEL: func.func @doubles
// PRECISE-NEXT:    math.atan %x : f64
// PRECISE-NEXT:    func.call @teloom_tanh_f64
func.func @doubles(%x: f64) -> f64 {
  %0 = math.atan %x : f64
  %1 = math.tanh %0 : f64
  func.return %1 : f64
}

// Of 16 bits, a function is computed in float32, and rounded.
// CHECK-LABEL: func.func @short
// CHECK-NEXT:    func.call @teloom_tanh_bf16x4(%x)
func.func @short(%x: vector<4xbf16>) -> vector<4xbf16> {
  %0 = math.tanh %x : vector<4xbf16>
  func.return %0 : vector<4xbf16>
}

// What is no elementary function, or of several dimensions, stays.
// CHECK-LABEL: func.func @others
// CHECK-NEXT:    math.sqrt
// CHECK-NEXT:    math.exp
func.func @others(%x: f32, %y: vector<2x4xf32>) -> f32 {
  %0 = math.sqrt %x : f32
  %1 = math.exp %y : vector<2x4xf32>
  func.return %0 : f32
}

// A power whose exponent is a small number, or half of one, is products and a root.
// CHECK-LABEL: func.func @powers
// CHECK:         func.call @teloom_power_f32x4_3(%x, {{.*}})
// CHECK:         func.call @teloom_power_f32x4_m0p5(%x, {{.*}})
// CHECK:         func.call @teloom_power_f32x4(%0, %1)
func.func @powers(%x: vector<4xf32>) -> vector<4xf32> {
  %three = arith.constant dense<3.0> : vector<4xf32>
  %half = arith.constant -0.5 : f32
  %halves = vector.broadcast %half : f32 to vector<4xf32>
  %0 = math.powf %x, %three : vector<4xf32>
  %1 = math.powf %x, %halves : vector<4xf32>
  %2 = math.powf %0, %1 : vector<4xf32>
  func.return %2 : vector<4xf32>
}

// At level precise, too, a power of float64 is a formula.
// PRECISE-LABEL: func.func @power_of_double
// PRECISE:         func.call @teloom_power_f64(
func.func @power_of_double(%x: f64, %y: f64) -> f64 {
  %0 = math.powf %x, %y : f64
  func.return %0 : f64
}

// CHECK-LABEL: func.func private @teloom_exp_f32(
// CHECK-SAME:    attributes {teloom.elementary}
// CHECK-NOT:     math.exp
// CHECK:         math.fma {{.*}} fastmath<contract> : f32
// PRECISE-LABEL: func.func private @teloom_exp_f32(
// PRECISE:         arith.extf {{.*}} : f32 to f64
// PRECISE:         arith.truncf {{.*}} : f64 to f32

// CHECK-LABEL: func.func private @teloom_tanh_bf16x4(
// CHECK:         arith.extf {{.*}} : vector<4xbf16> to vector<4xf32>
// CHECK:         arith.truncf {{.*}} : vector<4xf32> to vector<4xbf16>

// CHECK-LABEL: func.func private @teloom_power_f32x4_3(
// CHECK-NEXT:    arith.mulf
// CHECK-NEXT:    arith.mulf
// CHECK-NEXT:    func.return
// PRECISE-LABEL: func.func private @teloom_power_f32x4_3(
// PRECISE-NEXT:    arith.extf {{.*}} : vector<4xf32> to vector<4xf64>
// PRECISE:         arith.truncf
// PRECISE-NEXT:    func.return
