// RUN: teloom-opt %s --split-input-file -p double-buffer | filecheck %s

// Of three copies, one is computed two iterations ahead: two in front of the loop, and the rest of
// two behind it.
// CHECK-LABEL: func.func @three
// CHECK:       %b = memref.alloca() : memref<24xf32>
// CHECK:       loop.if (%n - 1 >= 0) {
// CHECK-NEXT:    loop.for %i = 0 to min(2, %n) {
// CHECK:           affine.apply affine_map<(d0, d1) -> ((d0 + ((d1 mod 3) * 8)))> (%{{.*}}, %i)
// CHECK-NEXT:      memref.store
// CHECK:         loop.for %i_1 = 0 to %n - 2 {
// CHECK-NEXT:      affine.apply affine_map<(d0) -> ((d0 + 2))> (%i_1)
// CHECK:           affine.apply affine_map<(d0, d1) -> ((d0 + (((d1 + 2) mod 3) * 8)))> (%{{.*}}, %i_1)
// CHECK-NEXT:      memref.store
// CHECK:           affine.apply affine_map<(d0, d1) -> ((d0 + ((d1 mod 3) * 8)))> (%{{.*}}, %i_1)
// CHECK-NEXT:      memref.load
// CHECK:         loop.for %i_2 = max(0, %n - 2) to %n {
func.func @three(%n: index, %A: memref<?xf32>, %C: memref<?xf32>) {
  loop.for %i = 0 to %n {
    %b = memref.alloca() {loop.double_buffered = 3 : i64} : memref<8xf32>
    loop.for %j = 0 to 8 {
      %from = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)> (%i, %j)
      %a = memref.load %A[%from] : memref<?xf32>
      memref.store %a, %b[%j] : memref<8xf32>
    }
    loop.for %k = 0 to 8 {
      %v = memref.load %b[%k] : memref<8xf32>
      %to = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)> (%i, %k)
      memref.store %v, %C[%to] : memref<?xf32>
    }
  }
  func.return
}
