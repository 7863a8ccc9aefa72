// RUN: teloom-opt %s -p 'unroll-loops{most_instructions=120}' 2>&1 | filecheck %s

// A function of floats is as many instructions as what it becomes; a square root is one.
// CHECK: remark: {{.*}}axis i is not unrolled: 3 copies of its body are about 157 instructions, more than 120
// CHECK-LABEL: @functions
// CHECK: loop.for %i = 0 to 3 {
// CHECK: loop.for %j = 0 to 3 attributes {
func.func @functions(%A: memref<3xf32>) {
  loop.for %i = 0 to 3 unrolled {
    %a = memref.load %A[%i] : memref<3xf32>
    %b = math.exp %a : f32
    memref.store %b, %A[%i] : memref<3xf32>
  }
  loop.for %j = 0 to 3 unrolled {
    %a = memref.load %A[%j] : memref<3xf32>
    %b = math.sqrt %a : f32
    memref.store %b, %A[%j] : memref<3xf32>
  }
  func.return
}
