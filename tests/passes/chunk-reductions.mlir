// RUN: teloom-opt %s --split-input-file -p chunk-reductions | filecheck %s

// A number of iterations that 64 does not divide: chunks differ by one iteration.
func.func @uneven(%A: memref<100xf32>, %S: memref<1xf32>) {
  %a = loop.bind %A [0 : 100] : memref<100xf32>
  %s = loop.bind %S [] : memref<1xf32>
  loop.for %k = 0 to 100 parallel_dynamic {
    %v = loop.load %a[%k] : f32
    loop.reduce %v into %s[] : f32 combine (%x, %y) identity [1.0 : f32] {
      %z = arith.mulf %x, %y : f32
      loop.yield %z : f32
    }
  }
  func.return
}

// CHECK-LABEL: func.func @uneven
// CHECK:       %s_chunks = loop.realize "s.chunks" [0 : 64] : !loop.tensor<1, f32>
// CHECK-NEXT:  loop.for %[[C:.*]] = 0 to 64 parallel_dynamic {
// CHECK-NEXT:    %{{.*}} = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:    loop.init %{{.*}}, %s_chunks[%[[C]]] : f32
// CHECK-NEXT:    loop.for %k = %[[C]] * 25 floordiv 16 to (%[[C]] * 25 + 9) floordiv 16 + 1 {
// CHECK:           loop.reduce %{{.*}} into %s_chunks[%[[C]]] : f32
// CHECK:       loop.for %[[D:.*]] = 0 to 64 {
// CHECK-NEXT:    %[[V:.*]] = loop.load %s_chunks[%[[D]]] : f32
// CHECK-NEXT:    loop.reduce %[[V]] into %s[] : f32

// -----

// As many chunks as iterations, if these are few: each iteration is one. What is computed in it is
// its own.
func.func @few(%A: memref<64xf32>, %S: memref<1xf32>) {
  %a = loop.bind %A [0 : 64] : memref<64xf32>
  %s = loop.bind %S [] : memref<1xf32>
  loop.for %ko = 2 to 8 parallel {
    %b = loop.realize "b" [] : !loop.tensor<0, f32>
    loop.for %ki = 0 to 8 {
      %v = loop.load %a[%ko * 8 + %ki] : f32
      loop.reduce %v into %b[] : f32 combine (%x, %y) identity [0.0 : f32] {
        %z = arith.addf %x, %y : f32
        loop.yield %z : f32
      }
    }
    %w = loop.load %b[] : f32
    loop.reduce %w into %s[] : f32 combine (%x, %y) identity [1.0 : f32] {
      %z = arith.mulf %x, %y : f32
      loop.yield %z : f32
    }
  }
  func.return
}

// CHECK-LABEL: func.func @few
// CHECK:       loop.realize "s.chunks" [0 : 6]
// CHECK-NEXT:  loop.for %[[C:.*]] = 0 to 6 parallel {
// CHECK:         %[[K:.*]] = affine.apply affine_map<(d0) -> ((d0 + 2))> (%[[C]])
// CHECK-NEXT:    %b = loop.realize
// CHECK:             loop.reduce %{{.*}} into %b[]
// CHECK:         loop.reduce %{{.*}} into %s_chunks[%[[C]]]

// -----

// A dimension of storage for each loop over data, whose tests say what is folded into; tests of the
// reduce loop say what is folded. Threads share the outermost of two loops.
func.func @tiles(%n: index, %m: index, %A: memref<?xf32>, %S: memref<?xf32>) {
  %a = loop.bind %A [0 : %n, 0 : %m] : memref<?xf32>
  %s = loop.bind %S [0 : %m] : memref<?xf32>
  loop.for %k = 0 to 2 parallel {
    loop.for %jo = 0 to %m ceildiv 4 {
      loop.for %ji = 0 to 4 vectorized {
        loop.if (%m - %jo * 4 - %ji - 1 >= 0) {
          loop.if (%n - %k - 1 >= 0) {
            %v = loop.load %a[%k, %jo * 4 + %ji] : f32
            loop.reduce %v into %s[%jo * 4 + %ji] : f32 combine (%x, %y) identity [0.0 : f32] {
              %z = arith.addf %x, %y : f32
              loop.yield %z : f32
            }
          }
        }
      }
    }
  }
  func.return
}

// CHECK-LABEL: func.func @tiles
// CHECK:       loop.realize "s.chunks" [0 : 2, 0 : %m ceildiv 4, 0 : 4] : !loop.tensor<3, f32>
// CHECK:       loop.for %[[J:.*]] = 0 to %m ceildiv 4 parallel {
// CHECK-NEXT:    loop.for %[[C:.*]] = 0 to 2 {
// CHECK-NEXT:      loop.for %[[I:.*]] = 0 to 4 vectorized {
// CHECK-NEXT:        loop.if (%m - %[[J]] * 4 - %[[I]] - 1 >= 0) {
// CHECK-NEXT:          loop.load %s_chunks[%[[C]], %[[J]], %[[I]]] : f32

// -----

// What a subscript is computed from is computed again: extents that no expression divides.
func.func @computed(%n: index, %m: index, %A: memref<?xf32>, %S: memref<?xf32>) {
  %a = loop.bind %A [0 : 4, 0 : %n] : memref<?xf32>
  %s = loop.bind %S [0 : %n] : memref<?xf32>
  loop.for %k = 0 to 4 parallel {
    loop.for %i = 0 to %n {
      %r = arith.remsi %i, %m : index
      %v = loop.load %a[%k, %r] : f32
      loop.reduce %v into %s[%r] : f32 combine (%x, %y) identity [0.0 : f32] {
        %z = arith.addf %x, %y : f32
        loop.yield %z : f32
      }
    }
  }
  func.return
}

// CHECK-LABEL: func.func @computed
// CHECK:       loop.for %{{.*}} = 0 to 4 {
// CHECK-NEXT:    loop.for %[[I:.*]] = 0 to %n {
// CHECK-NEXT:      %[[R:.*]] = arith.remsi %[[I]], %m : index
// CHECK-NEXT:      %[[V:.*]] = loop.load %s_chunks[%{{.*}}, %[[I]]] : f32
// CHECK-NEXT:      loop.reduce %[[V]] into %s[%[[R]]] : f32

// -----

// A loop in a parallel one is serial. Two reductions have storage each.
func.func @nested(%A: memref<512xf32>, %S: memref<8xf32>, %T: memref<1xf32>) {
  %a = loop.bind %A [0 : 8, 0 : 64] : memref<512xf32>
  %s = loop.bind %S [0 : 8] : memref<8xf32>
  %t = loop.bind %T [] : memref<1xf32>
  loop.for %i = 0 to 8 parallel {
    loop.for %k = 0 to 64 parallel {
      %v = loop.load %a[%i, %k] : f32
      loop.reduce %v into %s[%i] : f32 combine (%x, %y) identity [0.0 : f32] {
        %z = arith.addf %x, %y : f32
        loop.yield %z : f32
      }
      loop.reduce %v into %t[] : f32 combine (%x, %y) identity [0xff800000 : f32] {
        %z = arith.maximumf %x, %y : f32
        loop.yield %z : f32
      }
    }
  }
  func.return
}

// CHECK-LABEL: func.func @nested
// CHECK:       loop.realize "t.chunks" [0 : 8]
// CHECK:       loop.for %[[C:.*]] = 0 to 8 parallel {
// CHECK:         loop.for %k = 0 to 64 {
// CHECK:           loop.reduce %{{.*}} into %s[%[[C]]]
// CHECK:           loop.reduce %{{.*}} into %t_chunks[%[[C]]]

// -----

// Each iteration folds into elements of its own, in loops that begin where it does: threads share
// it as it is.
func.func @tiles(%A: memref<512xf32>, %S: memref<64xf32>) {
  %a = loop.bind %A [0 : 64, 0 : 8] : memref<512xf32>
  %s = loop.bind %S [0 : 64] : memref<64xf32>
  loop.for %t = 0 to 8 parallel {
    loop.for %i = %t * 8 to %t * 8 + 8 {
      loop.for %k = 0 to 8 {
        %v = loop.load %a[%i, %k] : f32
        loop.reduce %v into %s[%i] : f32 combine (%x, %y) identity [0.0 : f32] {
          %z = arith.addf %x, %y : f32
          loop.yield %z : f32
        }
      }
    }
  }
  func.return
}

// CHECK-LABEL: func.func @tiles
// CHECK-NOT:   loop.realize
// CHECK:       loop.for %t = 0 to 8 parallel {
// CHECK:           loop.reduce %{{.*}} into %s[%i]
