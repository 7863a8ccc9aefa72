// RUN: teloom-opt %s -p vectorize-loops --cpu znver4 | filecheck %s --check-prefixes BYTES
// RUN: teloom-opt %s -p vectorize-loops --cpu x86-64-v3 | filecheck %s --check-prefixes NONE

// Every other byte, but for the first, as of a padded image: whole vectors are loaded under masks
// where the target has these for bytes, and lane by lane where it has not.
// BYTES: vector.maskedload %A[%{{.*}}], %{{.*}}, %{{.*}} : memref<?xi8>, vector<32xi1>, vector<32xi8> into vector<32xi8>
// BYTES: vector.maskedload %A[%{{.*}}], %{{.*}}, %{{.*}} : memref<?xi8>, vector<32xi1>, vector<32xi8> into vector<32xi8>
// BYTES: vector.shuffle
// BYTES-NOT: memref.load
// NONE-NOT: vector.maskedload
// NONE: loop.for %lane{{.*}} = 0 to 32 unrolled {
func.func @padded(%A: memref<?xi8>, %B: memref<?xi8>, %zero: i8) {
  %first = arith.constant 1 : index
  loop.for %i = 0 to 32 vectorized {
    %at = affine.apply affine_map<(d0) -> (d0 * 2 - 1)> (%i)
    %inside = arith.cmpi sge, %i, %first : index
    %v = scf.if %inside -> (i8) {
      %a = memref.load %A[%at] : memref<?xi8>
      scf.yield %a : i8
    } else {
      scf.yield %zero : i8
    }
    memref.store %v, %B[%i] : memref<?xi8>
  }
  func.return
}
