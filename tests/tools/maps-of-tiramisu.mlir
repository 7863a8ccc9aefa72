// RUN: teloom maps %s --entry domain | filecheck %s --check-prefix=DOMAIN
// RUN: teloom maps %s --entry order | filecheck %s --check-prefix=ORDER

// Tiramisu's 98x198 example, which it prints as `{by[i,j,c]: 0<=i<98, 0<=j<198, 0<=c<3}`: isl
// writes bounds that are included. Its identity schedule is `[0,0,i,0,j,0,c,0]`. Ours leaves out
// the first number, which tells duplicates of a computation apart: a clone is a stage of its own
// here, and what is computed again at another place has a loop of that place in its time. Loops are
// named, with a mark where an axis of the equation has the name: `i' = i`. So loop level L is at
// position 2L + 1 of our times, counted from 0, and the static number inside of it at 2L + 2.
// DOMAIN-LABEL: layer I:
// DOMAIN-NEXT:    { by[i, j, c] : 0 <= i <= 97 and 0 <= j <= 197 and 0 <= c <= 2 }
// DOMAIN-NEXT:  layer II:
// DOMAIN-NEXT:    { by[i, j, c] -> [0, i' = i, 0, j' = j, 0, c' = c, 0] : 0 <= i <= 97 and 0 <= j <= 197 and 0 <= c <= 2 }
te.func @domain(%bx: tensor<98x198x3xf32>) -> (tensor<98x198x3xf32>) {
  %by = te.compute "by" (%i = 98, %j = 198, %c = 3) : tensor<98x198x3xf32> {
    %x = te.read %bx[%i, %j, %c] : f32
    te.yield %x : f32
  }
  te.return %by : tensor<98x198x3xf32>
}

// cp1, bx after it at the root, by after bx at level 1, cp2 after it at the root. Tiramisu adds 10
// to the static number at the level of each `after`, so that others fit between: 0, 10, 10 and +10
// behind level 1, 20. Ours count: 0, 1, 1 and +1 behind the loop j, 2.
// ORDER-LABEL: layer II:
// ORDER-NEXT:    { cp1[i, j, c] -> [0, i' = i, 0, j' = j, 0, c' = c, 0] : 0 <= i <= 97 and 0 <= j <= 197 and 0 <= c <= 2 }
// ORDER-NEXT:    { bx[i, j, c] -> [1, i' = i, 0, j' = j, 0, c' = c, 0] : 0 <= i <= 97 and 0 <= j <= 197 and 0 <= c <= 2 }
// ORDER-NEXT:    { by[i, j, c] -> [1, i' = i, 0, j' = j, 1, c' = c, 0] : 0 <= i <= 97 and 0 <= j <= 197 and 0 <= c <= 2 }
// ORDER-NEXT:    { cp2[i, j, c] -> [2, i' = i, 0, j' = j, 0, c' = c, 0] : 0 <= i <= 97 and 0 <= j <= 197 and 0 <= c <= 2 }
te.func @order(%input: tensor<98x198x3xf32>) -> (tensor<98x198x3xf32>) {
  %cp1 = te.compute "cp1" (%i = 98, %j = 198, %c = 3) : tensor<98x198x3xf32> {
    %x = te.read %input[%i, %j, %c] : f32
    te.yield %x : f32
  }
  %bx = te.compute "bx" (%i = 98, %j = 198, %c = 3) : tensor<98x198x3xf32> {
    %x = te.read %cp1[%i, %j, %c] : f32
    te.yield %x : f32
  }
  %by = te.compute "by" (%i = 98, %j = 198, %c = 3) : tensor<98x198x3xf32> {
    %x = te.read %bx[%i, %j, %c] : f32
    te.yield %x : f32
  }
  %cp2 = te.compute "cp2" (%i = 98, %j = 198, %c = 3) : tensor<98x198x3xf32> {
    %x = te.read %by[%i, %j, %c] : f32
    te.yield %x : f32
  }
  te.return %cp2 : tensor<98x198x3xf32>
}
schedule.sequence @s on @order {
  %bx = schedule.get "bx"
  %by = schedule.get "by"
  %cp2 = schedule.get "cp2"
  %i, %j, %c = schedule.axes 3 of %bx
  schedule.after %by, %bx at %j
  schedule.after %cp2, %by
}
