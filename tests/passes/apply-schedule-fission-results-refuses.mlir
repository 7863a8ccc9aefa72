// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// The place of the greatest element needs that element. The sum needs neither.
// CHECK: error: apply-schedule: cannot part the results of "T": what changes result 1 reads result 0, so they stay in one stage; results that stand alone: 2
te.func @argmax(%A: tensor<4xf32>) -> (tensor<f32>, tensor<i32>, tensor<f32>) {
  %M, %P, %S = te.compute "T" () reduce (%k = 4) : tensor<f32>, tensor<i32>, tensor<f32> {
    %a = te.read %A[%k] : f32
    %p = arith.index_cast %k : index to i32
    te.yield %a, %p, %a : f32, i32, f32
  } combine (%m: f32, %p: i32, %s: f32, %n: f32, %q: i32, %t: f32) identity [0xff800000 : f32, -1 : i32, 0.0 : f32] {
    %c = arith.cmpf ogt, %n, %m : f32
    %best = arith.select %c, %n, %m : f32
    %place = scf.if %c -> (i32) {
      scf.yield %q : i32
    } else {
      scf.yield %p : i32
    }
    %sum = arith.addf %s, %t : f32
    te.yield %best, %place, %sum : f32, i32, f32
  }
  te.return %M, %P, %S : tensor<f32>, tensor<i32>, tensor<f32>
}
schedule.sequence @s on @argmax {
  %T = schedule.get "T"
  %S, %M = schedule.fission_results %T result 2, 0
}

// -----

// Where a point of an update changes one tensor depends on the other one.
// CHECK: error: apply-schedule: cannot part the results of "U": what changes result 0 reads result 1, so they stay in one stage; results that stand alone: none
te.func @update(%A: tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>) {
  %S, %T = te.update "U" (%i = 9) reduce (%r = 1 to 9) state %s, %t : tensor<9xf32>, tensor<9xf32> {
    %a = te.read %A[%r] : f32
    %c = te.read %t[%r - 1] : f32
    %o = arith.cmpf ogt, %c, %a : f32
    scf.if %o {
      te.write %a, %s[%r] : f32
    }
    te.write %a, %t[%r] : f32
  } init {
    %z = arith.constant 1.0 : f32
    te.yield %z, %z : f32, f32
  }
  te.return %S, %T : tensor<9xf32>, tensor<9xf32>
}
schedule.sequence @s on @update {
  %U = schedule.get "U"
  %T = schedule.fission_results %U result 1
}

// -----

// The loop of both ends where one of them says.
// CHECK: error: apply-schedule: cannot part the results of "U": what changes result 0 reads result 1, so they stay in one stage; results that stand alone: none
te.func @until(%A: tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>) {
  %S, %T = te.update "U" (%i = 9) reduce (%r = 1 to 9) state %s, %t : tensor<9xf32>, tensor<9xf32> {
    %a = te.read %A[%r] : f32
    te.write %a, %s[%r] : f32
    te.write %a, %t[%r] : f32
  } until (%r) state %s, %t {
    %c = te.read %t[%r - 1] : f32
    %a = te.read %A[%r] : f32
    %o = arith.cmpf ogt, %c, %a : f32
    te.yield %o : i1
  } init {
    %z = arith.constant 1.0 : f32
    te.yield %z, %z : f32, f32
  }
  te.return %S, %T : tensor<9xf32>, tensor<9xf32>
}
schedule.sequence @s on @until {
  %U = schedule.get "U"
  %S = schedule.fission_results %U result 0
}

// -----

// CHECK: error: apply-schedule: cannot part the results of "T": one of result 0..1 stays in it; name the others
te.func @all(%A: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %T, %U = te.compute "T" (%i = 4) : tensor<4xf32>, tensor<4xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a, %a : f32, f32
  }
  te.return %T, %U : tensor<4xf32>, tensor<4xf32>
}
schedule.sequence @s on @all {
  %T = schedule.get "T"
  %T0, %T1 = schedule.fission_results %T result 0, 1
}

// -----

// CHECK: error: apply-schedule: fission_results of result 1 of stage "T", which has result 0..0
te.func @gone(%A: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %T, %U = te.compute "T" (%i = 4) : tensor<4xf32>, tensor<4xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a, %a : f32, f32
  }
  te.return %T, %U : tensor<4xf32>, tensor<4xf32>
}
schedule.sequence @s on @gone {
  %T = schedule.get "T"
  %T1 = schedule.fission_results %T result 1
  %T2 = schedule.fission_results %T result 1
}

// -----

// CHECK: error: apply-schedule: cannot part the results of "E": it is an extern, whose body fills them all
te.func @extern(%A: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %E, %F = te.extern "E" (%e: tensor<4xf32>, %f: tensor<4xf32>) {
  }
  te.return %E, %F : tensor<4xf32>, tensor<4xf32>
}
schedule.sequence @s on @extern {
  %E = schedule.get "E"
  %F = schedule.fission_results %E result 1
}

// -----

// CHECK: error: apply-schedule: cannot part the results of "S": it is a scan, whose steps read it; part those of a step
te.func @scan(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %f, %g = te.compute "first" (%i = 1) : tensor<1xf32>, tensor<1xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a, %a : f32, f32
  }
  %S, %T = te.scan "S" (%t = 8) init %f, %g until 1 state %s, %v : tensor<8xf32>, tensor<8xf32> {
    %next, %other = te.compute "next" (%u = 8) : tensor<8xf32>, tensor<8xf32> {
      %b = te.read %s[%u - 1] : f32
      %c = te.read %v[%u - 1] : f32
      te.yield %b, %c : f32, f32
    }
    te.yield %next, %other : tensor<8xf32>, tensor<8xf32>
  }
  te.return %S, %T : tensor<8xf32>, tensor<8xf32>
}
schedule.sequence @s on @scan {
  %S = schedule.get "S"
  %T = schedule.fission_results %S result 1
}

// -----

// What is computed in the loops of T is not there for the result that leaves them.
// CHECK: error: apply-schedule: cannot compute "B" at axis i of "T": not every read of it is inside that loop (readers: "T", "T.v1"); legal places: the root
te.func @inside(%A: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %B = te.compute "B" (%i = 4) : tensor<4xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %T, %U = te.compute "T" (%i = 4) : tensor<4xf32>, tensor<4xf32> {
    %b = te.read %B[%i] : f32
    te.yield %b, %b : f32, f32
  }
  te.return %T, %U : tensor<4xf32>, tensor<4xf32>
}
schedule.sequence @s on @inside {
  %T = schedule.get "T"
  %i = schedule.axes 1 of %T
  %B = schedule.get "B"
  schedule.compute_at %B, %T, %i
  %T1 = schedule.fission_results %T result 1
}
