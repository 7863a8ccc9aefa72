// RUN: not teloom-opt %s --split-input-file 2>&1 | filecheck %s

// CHECK: 1 subscripts for the 2 axes of the region
func.func @subscripts(%v: f32) {
  %0 = shadow.region "A" [0 : 3, 0 : 4]
  shadow.loaded %v, %0[1] by "B" : f32
  func.return
}

// -----

// CHECK: f32 is not f64
func.func @type(%v: f32) {
  %0 = shadow.region "A" [0 : 3]
  shadow.loaded %v, %0[1] by "B" : f64
  func.return
}

// -----

// CHECK: the region is not that of a shadow.region
func.func @argument(%v: f32, %0: !shadow.region) {
  shadow.loaded %v, %0[1] by "B" : f32
  func.return
}

// -----

// CHECK: 1 offsets with 2 extents
"shadow.region"() <{region_name = "A", offsets = affine_map<() -> (0)>, extents = affine_map<() -> (0, 1)>}> : () -> !shadow.region

// -----

// CHECK: a map of the box does not fit its operands
"shadow.region"() <{region_name = "A", offsets = affine_map<(d0) -> (0)>, extents = affine_map<() -> (0)>}> : () -> !shadow.region

// -----

// CHECK: the map of the subscripts does not fit its operands
func.func @operands(%v: f32) {
  %0 = shadow.region "A" [0 : 3]
  "shadow.loaded"(%v, %0) <{map = affine_map<(d0) -> (d0)>, reader = "B"}> : (f32, !shadow.region) -> ()
  func.return
}

// -----

// CHECK: the result is f64, not f32
func.func @result(%v: f32) {
  %0 = shadow.region "A" [0 : 3]
  %1 = "shadow.stored"(%v, %0) <{map = affine_map<() -> (0)>}> : (f32, !shadow.region) -> f64
  func.return
}
