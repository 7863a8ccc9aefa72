// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// Both stages of the group move to the axis, in the order in which one reads the other.
te.func @both(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%u = 12, %v = 8) : tensor<12x8xf32> {
    %b = te.read %B[%u, %v] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<12x8xf32>
}
schedule.sequence @s on @both {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %j = schedule.axes 2 of %D
  %g = schedule.group %C, %B
  schedule.compute_at %g, %D, %i
}

// CHECK-LABEL: te.func @both
// CHECK-NEXT:   %D = schedule.stage "D"
// CHECK:          %B = schedule.stage "B" at %i
// CHECK:          %C = schedule.stage "C" at %i
// CHECK:          schedule.equation (%i_1, %j_1)

// -----

// A stage that was placed by itself keeps its place; here B is inside C, and comes along with it.
te.func @own_place(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%u = 12, %v = 8) : tensor<12x8xf32> {
    %b = te.read %B[%u, %v] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<12x8xf32>
}
schedule.sequence @s on @own_place {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %u, %v = schedule.axes 2 of %C
  %D = schedule.get "D"
  %i, %j = schedule.axes 2 of %D
  %g = schedule.group %B, %C
  schedule.compute_at %B, %C, %v
  schedule.compute_at %g, %D, %i
}

// CHECK-LABEL: te.func @own_place
// CHECK-NEXT:   %D = schedule.stage "D"
// CHECK:          %C = schedule.stage "C" at %i
// CHECK:            %B = schedule.stage "B" at %v

// -----

// The order of the commands does not matter: the stage leaves the group's place for its own.
te.func @own_place_later(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%u = 12, %v = 8) : tensor<12x8xf32> {
    %b = te.read %B[%u, %v] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<12x8xf32>
}
schedule.sequence @s on @own_place_later {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %j = schedule.axes 2 of %D
  %g = schedule.group %B, %C
  schedule.compute_at %g, %D, %i
  schedule.compute_root %B
}

// CHECK-LABEL: te.func @own_place_later
// CHECK-NEXT:   %B = schedule.stage "B" (
// CHECK:        %D = schedule.stage "D"
// CHECK:          %C = schedule.stage "C" at %i

// -----

// The root is a place of its own too.
te.func @own_root(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%u = 12, %v = 8) : tensor<12x8xf32> {
    %b = te.read %B[%u, %v] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<12x8xf32>
}
schedule.sequence @s on @own_root {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %j = schedule.axes 2 of %D
  %g = schedule.group %B, %C
  schedule.compute_root %B
  schedule.compute_at %g, %D, %i
}

// CHECK-LABEL: te.func @own_root
// CHECK-NEXT:   %B = schedule.stage "B" (
// CHECK:        %D = schedule.stage "D"
// CHECK:          %C = schedule.stage "C" at %i

// -----

// The last command on the group counts; compute_root takes its stages out again.
te.func @moved_out(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%u = 12, %v = 8) : tensor<12x8xf32> {
    %b = te.read %B[%u, %v] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<12x8xf32>
}
schedule.sequence @s on @moved_out {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %j = schedule.axes 2 of %D
  %g = schedule.group %B, %C
  schedule.compute_at %g, %D, %j
  schedule.compute_at %g, %D, %i
  schedule.compute_root %g
}

// CHECK-LABEL: te.func @moved_out
// CHECK-NEXT:   %B = schedule.stage "B" (
// CHECK:        %C = schedule.stage "C" (
// CHECK:        %D = schedule.stage "D"

// -----

// A stage that was inlined has no place; the rest of the group has.
te.func @inlined(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%u = 12, %v = 8) : tensor<12x8xf32> {
    %b = te.read %B[%u, %v] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<12x8xf32>
}
schedule.sequence @s on @inlined {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %j = schedule.axes 2 of %D
  schedule.compute_inline %B
  %g = schedule.group %B, %C
  schedule.compute_at %g, %D, %i
}

// CHECK-LABEL: te.func @inlined
// CHECK-NEXT:   %D = schedule.stage "D"
// CHECK:          %C = schedule.stage "C" at %i
// CHECK:            %a = te.read %A

// -----

// A group in a group follows it, unless it has been placed by itself: B is in the inner group, which
// has; C is only in the outer one.
te.func @nested(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%u = 12, %v = 8) : tensor<12x8xf32> {
    %b = te.read %B[%u, %v] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<12x8xf32>
}
schedule.sequence @s on @nested {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %j = schedule.axes 2 of %D
  %g = schedule.group %B
  %h = schedule.group %g, %C
  schedule.compute_at %g, %D, %i
  schedule.compute_at %h, %D, %j
}

// CHECK-LABEL: te.func @nested
// CHECK-NEXT:   %D = schedule.stage "D"
// CHECK:          %B = schedule.stage "B" at %i
// CHECK:          %C = schedule.stage "C" at %j

// -----

// An inner group that has not been placed follows the outer one.
te.func @nested_follows(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%u = 12, %v = 8) : tensor<12x8xf32> {
    %b = te.read %B[%u, %v] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<12x8xf32>
}
schedule.sequence @s on @nested_follows {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %j = schedule.axes 2 of %D
  %g = schedule.group %B
  %h = schedule.group %g, %C
  schedule.compute_at %h, %D, %j
}

// CHECK-LABEL: te.func @nested_follows
// CHECK-NEXT:   %D = schedule.stage "D"
// CHECK:          %B = schedule.stage "B" at %j
// CHECK:          %C = schedule.stage "C" at %j
