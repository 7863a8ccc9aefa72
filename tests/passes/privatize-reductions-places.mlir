// RUN: teloom-opt %s --split-input-file -p 'privatize-reductions' | filecheck %s

// The partial results are valid in the loop around that folds into the same elements again. There
// are eight for each iteration of the loop over data, whose tests they have, too.
builtin.module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"vector_bytes" = 32 : i64>>} {
  func.func @tile(%n: index, %A: memref<?xf32>, %C: memref<?xf32>) {
    %a = loop.bind %A [0 : %n, 0 : 64] : memref<?xf32>
    %c = loop.bind %C [0 : %n] : memref<?xf32>
    loop.for %io = 0 to %n ceildiv 4 {
      loop.for %ko = 0 to 4 {
        loop.for %i = %io * 4 to %io * 4 + 4 unrolled {
          loop.if (%n - %i - 1 >= 0) {
            loop.for %ki = 0 to 16 vectorized {
              %v = loop.load %a[%i, %ko * 16 + %ki] : f32
              loop.reduce %v into %c[%i] : f32 combine (%x, %y) identity [0.0 : f32] {
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
}

// CHECK-LABEL: func.func @tile
// CHECK:       loop.for %io = 0 to %n ceildiv 4 {
// CHECK-NEXT:    %c_lanes = loop.realize "c.lanes" [0 : 4, 0 : 8] : !loop.tensor<2, f32>
// CHECK-NEXT:    loop.for %[[I:.*]] = %io * 4 to %io * 4 + 4 unrolled {
// CHECK-NEXT:      loop.if (%n - %[[I]] - 1 >= 0) {
// CHECK-NEXT:        loop.for %lane = 0 to 8 vectorized {
// CHECK:               loop.init %{{.*}}, %c_lanes[%[[I]] - %io * 4, %lane] : f32
// CHECK:         loop.for %ko = 0 to 4 {
// CHECK-NEXT:      loop.for %[[I:.*]] = %io * 4 to %io * 4 + 4 unrolled {
// CHECK:               loop.for %ki = 0 to 2 {
// CHECK-NEXT:            loop.for %[[L:.*]] = 0 to 8 vectorized {
// CHECK:                   loop.reduce %{{.*}} into %c_lanes[%[[I]] - %io * 4, %[[L]]] : f32
// CHECK:         loop.for %[[I:.*]] = %io * 4 to %io * 4 + 4 unrolled {
// CHECK-NEXT:      loop.if (%n - %[[I]] - 1 >= 0) {
// CHECK-NEXT:        loop.for %[[L:.*]] = 0 to 8 vectorized attributes {loop.folds} {
// CHECK-NEXT:          %[[V:.*]] = loop.load %c_lanes[%[[I]] - %io * 4, %[[L]]] : f32
// CHECK-NEXT:          loop.reduce %[[V]] into %c[%[[I]]] : f32

// -----

// Where another op uses the element, partial results are folded into it before that.
builtin.module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"vector_bytes" = 32 : i64>>} {
  func.func @used(%A: memref<64xf64>, %C: memref<1xf64>, %D: memref<8xf64>) {
    %a = loop.bind %A [0 : 64] : memref<64xf64>
    %c = loop.bind %C [] : memref<1xf64>
    %d = loop.bind %D [0 : 8] : memref<8xf64>
    loop.for %ko = 0 to 8 {
      loop.for %ki = 0 to 8 vectorized {
        %v = loop.load %a[%ko * 8 + %ki] : f64
        loop.reduce %v into %c[] : f64 combine (%x, %y) identity [0.0 : f64] {
          %z = arith.addf %x, %y : f64
          loop.yield %z : f64
        }
      }
      %s = loop.load %c[] : f64
      loop.store %s, %d[%ko] : f64
    }
    func.return
  }
}

// CHECK-LABEL: func.func @used
// CHECK:       loop.for %ko = 0 to 8 {
// CHECK-NEXT:    %c_lanes = loop.realize "c.lanes" [0 : 8] : !loop.tensor<1, f64>

// -----

// A test of the reduce loop is not one of the partial results.
builtin.module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"vector_bytes" = 16 : i64>>} {
  func.func @test_of_reduce_axis(%n: index, %A: memref<8xf32>, %C: memref<1xf32>) {
    %a = loop.bind %A [0 : 8] : memref<8xf32>
    %c = loop.bind %C [] : memref<1xf32>
    loop.for %k = 0 to 8 vectorized {
      loop.if (%k - %n >= 0) {
        %v = loop.load %a[%k] : f32
        loop.reduce %v into %c[] : f32 combine (%x, %y) identity [0.0 : f32] {
          %z = arith.addf %x, %y : f32
          loop.yield %z : f32
        }
      }
    }
    func.return
  }
}

// CHECK-LABEL: func.func @test_of_reduce_axis
// CHECK:       loop.for %lane = 0 to 8 vectorized {
// CHECK-NEXT:    %{{.*}} = arith.constant
// CHECK-NEXT:    loop.init
// CHECK:       loop.for %[[L:.*]] = 0 to 8 vectorized {
// CHECK-NEXT:    loop.if (%[[L]] - %n >= 0) {

// -----

// A symbolic number of iterations: four vectors at a time, then one, then iterations that fold into
// the element.
builtin.module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"vector_bytes" = 16 : i64>>} {
  func.func @symbolic(%n: index, %A: memref<?xf32>, %C: memref<1xf32>) {
    %a = loop.bind %A [0 : %n] : memref<?xf32>
    %c = loop.bind %C [] : memref<1xf32>
    loop.for %k = 0 to %n vectorized {
      %v = loop.load %a[%k] : f32
      loop.reduce %v into %c[] : f32 combine (%x, %y) identity [1.0 : f32] {
        %z = arith.mulf %x, %y : f32
        loop.yield %z : f32
      }
    }
    func.return
  }
}

// CHECK-LABEL: func.func @symbolic
// CHECK:       loop.realize "c.lanes" [0 : 16]
// CHECK:       loop.for %k = 0 to %n floordiv 16 {
// CHECK-NEXT:    loop.for %{{.*}} = 0 to 16 vectorized {
// CHECK:       loop.for %{{.*}} = max(%n floordiv 16 * 4, 0) to %n floordiv 4 {
// CHECK-NEXT:    loop.for %{{.*}} = 0 to 4 vectorized {
// CHECK:       loop.for %[[K:.*]] = max(%n floordiv 4 * 4, 0) to %n attributes {
// CHECK-SAME:    vectorize = <disable = true>
// CHECK-NEXT:    %[[V:.*]] = loop.load %a[%[[K]]] : f32
// CHECK-NEXT:    loop.reduce %[[V]] into %c[] : f32

// -----

// Behind the last tile that is whole there are at most seven iterations, which fill no vector of
// eight: they fold into the element, and LLVM makes no vectors of them, either.
builtin.module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"vector_bytes" = 32 : i64>>} {
  func.func @behind_tiles(%n: index, %A: memref<?xf32>, %C: memref<1xf32>) {
    %a = loop.bind %A [0 : %n] : memref<?xf32>
    %c = loop.bind %C [] : memref<1xf32>
    loop.for %ko = %n floordiv 8 to %n ceildiv 8 {
      loop.for %ki = 0 to min(8, %n - %ko * 8) vectorized {
        %v = loop.load %a[%ko * 8 + %ki] : f32
        loop.reduce %v into %c[] : f32 combine (%x, %y) identity [0.0 : f32] {
          %z = arith.addf %x, %y : f32
          loop.yield %z : f32
        }
      }
    }
    func.return
  }
}

// CHECK-LABEL: func.func @behind_tiles
// CHECK-NOT:   loop.realize
// CHECK:       loop.for %ki = 0 to min(8, %n - %ko * 8) attributes {
// CHECK-SAME:    vectorize = <disable = true>
// CHECK-NEXT:    %[[V:.*]] = loop.load %a[%ko * 8 + %ki] : f32
// CHECK-NEXT:    loop.reduce %[[V]] into %c[] : f32

// -----

// Storage that each iteration of a loop has for itself is folded into in that iteration.
builtin.module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"vector_bytes" = 16 : i64>>} {
  func.func @own_storage(%A: memref<16xf32>) {
    %a = loop.bind %A [0 : 16] : memref<16xf32>
    loop.for %t = 0 to 8 {
      %c = loop.realize "c" [] : !loop.tensor<0, f32>
      loop.for %k = 0 to 16 vectorized {
        %v = loop.load %a[%k] : f32
        loop.reduce %v into %c[] : f32 combine (%x, %y) identity [0.0 : f32] {
          %z = arith.addf %x, %y : f32
          loop.yield %z : f32
        }
      }
    }
    func.return
  }
}

// CHECK-LABEL: func.func @own_storage
// CHECK:       loop.for %t = 0 to 8 {
// CHECK-NEXT:    %c = loop.realize "c"
// CHECK-NEXT:    %c_lanes = loop.realize "c.lanes"

// -----

// Of the elements from 13 on none is written, and no iteration folds into them. So their partial
// results are not folded into them either. The element 12 has one, and those before it more.
builtin.module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"vector_bytes" = 32 : i64>>} {
  func.func @triangle(%A: memref<13xf32>, %C: memref<13xf32>) {
    %a = loop.bind %A [0 : 13] : memref<13xf32>
    %c = loop.bind %C [0 : 13] : memref<13xf32>
    loop.for %i = 0 to 16 {
      loop.for %k = %i to 13 vectorized {
        %v = loop.load %a[%k] : f32
        loop.reduce %v into %c[%i] : f32 combine (%x, %y) identity [0.0 : f32] {
          %z = arith.addf %x, %y : f32
          loop.yield %z : f32
        }
      }
    }
    func.return
  }
}

// CHECK-LABEL: func.func @triangle
// CHECK:       loop.if (%i * -1 + 12 >= 0) {
// CHECK-NEXT:    loop.for %{{.*}} = 0 to 32 vectorized attributes {loop.folds} {

// -----

// So it is for each of several results, of which one test says it.
builtin.module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"vector_bytes" = 32 : i64>>} {
  func.func @extremes(%A: memref<13xf32>, %C: memref<13xf32>, %D: memref<13xf32>) {
    %a = loop.bind %A [0 : 13] : memref<13xf32>
    %c = loop.bind %C [0 : 13] : memref<13xf32>
    %d = loop.bind %D [0 : 13] : memref<13xf32>
    loop.for %i = 0 to 16 {
      loop.for %k = %i to 13 vectorized {
        %v = loop.load %a[%k] : f32
        loop.reduce %v, %v into %c, %d[%i] : f32, f32
            combine (%x, %y, %z, %w) identity [0.0 : f32, 0.0 : f32] {
          %least = arith.minimumf %x, %z : f32
          %most = arith.maximumf %y, %w : f32
          loop.yield %least, %most : f32, f32
        }
      }
    }
    func.return
  }
}

// CHECK-LABEL: func.func @extremes
// CHECK:       loop.if (%i * -1 + 12 >= 0) {
// CHECK-NEXT:    loop.for %{{.*}} = 0 to 32 vectorized attributes {loop.folds} {
// CHECK-NOT:     loop.if

// -----

// What is written at a quotient of a counter is known as well.
// CHECK-LABEL: func.func @written_at_a_quotient
// CHECK:         loop.init %{{.*}}, %s[%q]
// CHECK:         loop.for %lane_2 = 0 to 16 vectorized attributes {loop.folds} {
// CHECK-NEXT:      loop.load %s_lanes
func.func @written_at_a_quotient(%a: index, %b: index, %A: memref<64xf32>) {
  %t = loop.bind %A [0 : 64] : memref<64xf32>
  loop.for %i = 0 to 8 {
    %q = affine.apply affine_map<(d0) -> (d0 floordiv 4)> (%i)
    %s = loop.realize "s" [%q : 1] : !loop.tensor<1, f32>
    %zero = arith.constant 0.0 : f32
    loop.init %zero, %s[%q] : f32
    loop.for %k = %a to min(%b, %a + 16) vectorized {
      %x = loop.load %t[%k] : f32
      loop.reduce %x into %s[%q] : f32 combine (%y, %z) identity [0.0 : f32] {
        %w = arith.addf %y, %z fastmath<reassoc> : f32
        loop.yield %w : f32
      }
    }
    %v = loop.load %s[%q] : f32
    loop.store %v, %t[%i] : f32
  }
  func.return
}
