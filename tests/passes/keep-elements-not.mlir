// RUN: teloom-opt %s --split-input-file -p keep-elements | filecheck %s

// CHECK-NOT: kept


// In iteration k the loop reads element k of the row, which it changes.
func.func @read_in_the_row(%A: memref<64xf64>) {
  %a = loop.bind %A [0 : 8, 0 : 8] : memref<64xf64>
  loop.for %i = 0 to 8 {
    loop.for %k = 0 to 8 {
      loop.for %j = 0 to 8 vectorized {
        %old = loop.load %a[%i, %j] : f64
        %left = loop.load %a[%i, %k] : f64
        %new = arith.subf %old, %left : f64
        loop.store %new, %a[%i, %j] : f64
      }
    }
  }
  func.return
}

// -----

// Another nest in the loop reads what the first one changes.
func.func @read_beside(%A: memref<8xf64>, %B: memref<64xf64>) {
  %a = loop.bind %A [0 : 8] : memref<8xf64>
  %b = loop.bind %B [0 : 8, 0 : 8] : memref<64xf64>
  loop.for %k = 0 to 8 {
    loop.for %j = 0 to 8 unrolled {
      %old = loop.load %a[%j] : f64
      %new = arith.addf %old, %old : f64
      loop.store %new, %a[%j] : f64
    }
    loop.for %j = 0 to 8 unrolled {
      %v = loop.load %a[%j] : f64
      loop.store %v, %b[%k, %j] : f64
    }
  }
  func.return
}

// -----

// The element is that of the iteration, or of a value that the loop reads.
func.func @others_each_time(%A: memref<64xf64>, %X: memref<8xindex>) {
  %a = loop.bind %A [0 : 8, 0 : 8] : memref<64xf64>
  %x = loop.bind %X [0 : 8] : memref<8xindex>
  loop.for %k = 0 to 8 {
    %old = loop.load %a[%k, 0] : f64
    %new = arith.addf %old, %old : f64
    loop.store %new, %a[%k, 0] : f64
    %at = loop.load %x[%k] : index
    %old_1 = loop.load %a[0, %at] : f64
    %new_1 = arith.addf %old_1, %old_1 : f64
    loop.store %new_1, %a[0, %at] : f64
  }
  func.return
}

// -----

// Where the branch is not taken, there may be no such element.
func.func @not_always(%n: index, %A: memref<8xf64>) {
  %a = loop.bind %A [0 : 8] : memref<8xf64>
  loop.for %k = 0 to 8 {
    loop.if (%n - %k >= 0) {
      %old = loop.load %a[%n] : f64
      %new = arith.addf %old, %old : f64
      loop.store %new, %a[%n] : f64
    }
  }
  func.return
}

// -----

// Iterations of i and j have elements in common; a copy has room for them twice.
func.func @diagonals(%A: memref<15xf64>) {
  %a = loop.bind %A [0 : 15] : memref<15xf64>
  loop.for %k = 0 to 8 {
    loop.for %i = 0 to 8 unrolled {
      loop.for %j = 0 to 8 unrolled {
        %old = loop.load %a[%i + %j] : f64
        %new = arith.addf %old, %old : f64
        loop.store %new, %a[%i + %j] : f64
      }
    }
  }
  func.return
}

// -----

// The first iteration gives the element its value: it may have none before.
func.func @written_first(%A: memref<8xf64>, %zero: f64, %n: index) {
  %a = loop.bind %A [0 : 8] : memref<8xf64>
  loop.for %k = 0 to 8 {
    loop.store %zero, %a[%n] : f64
    %old = loop.load %a[%n] : f64
    %new = arith.addf %old, %old : f64
    loop.store %new, %a[%n] : f64
  }
  func.return
}

// -----

// Registers do not hold a row.
func.func @long_row(%A: memref<80000xf64>) {
  %a = loop.bind %A [0 : 8, 0 : 10000] : memref<80000xf64>
  loop.for %i = 1 to 8 {
    loop.for %k = 0 to %i {
      loop.for %j = 0 to 10000 vectorized {
        %old = loop.load %a[%i, %j] : f64
        %row = loop.load %a[%k, %j] : f64
        %new = arith.subf %old, %row : f64
        loop.store %new, %a[%i, %j] : f64
      }
    }
  }
  func.return
}

// -----

// Another tensor in the same memory may have the element.
func.func @same_memory(%n: index, %A: memref<64xf64>) {
  %a = loop.bind %A [0 : 64] : memref<64xf64>
  %b = loop.bind %A [0 : 8, 0 : 8] : memref<64xf64>
  loop.for %k = 0 to 8 {
    %old = loop.load %a[%n] : f64
    %v = loop.load %b[%k, %k] : f64
    %new = arith.addf %old, %v : f64
    loop.store %new, %a[%n] : f64
  }
  func.return
}

// -----

// Elements that are 4 apart are in the same place.
func.func @folded(%n: index, %B: memref<8xf64>) {
  %a = loop.realize "a" [0 : 64] folded axis 0 factor 4 : !loop.tensor<1, f64>
  %b = loop.bind %B [0 : 8] : memref<8xf64>
  loop.for %k = 0 to 8 {
    %old = loop.load %a[%n] : f64
    %v = loop.load %b[%k] : f64
    %new = arith.addf %old, %v : f64
    loop.store %new, %a[%n] : f64
  }
  func.return
}

// -----

// A region that is in registers already.
func.func @in_registers(%B: memref<8xf64>) {
  %a = loop.realize "a" [0 : 4] : !loop.tensor<1, f64>
  %b = loop.bind %B [0 : 8] : memref<8xf64>
  loop.for %k = 0 to 8 {
    loop.for %i = 0 to 4 unrolled {
      %old = loop.load %a[%i] : f64
      %v = loop.load %b[%k] : f64
      %new = arith.addf %old, %v : f64
      loop.store %new, %a[%i] : f64
    }
  }
  func.return
}
