// RUN: not teloom-opt %s -p 'infer-bounds{mode=tight}' 2>&1 | filecheck %s --check-prefix=MODE
// RUN: not teloom-opt %s -p 'infer-bounds{budget=0}' 2>&1 | filecheck %s --check-prefix=BUDGET
// RUN: not teloom-opt %s -p 'infer-bounds{budget=9223372036854775808}' 2>&1 | filecheck %s --check-prefix=LARGE

// Options that mean nothing are refused with what would.
// MODE: error: infer-bounds: no mode 'tight'; modes: exact, hull, box
// BUDGET: error: infer-bounds: a budget of 0 operations: it must be in 1 .. 9223372036854775807
// LARGE: error: infer-bounds: a budget of 9223372036854775808 operations: it must be in 1 .. 9223372036854775807
te.func @nothing() -> () {
  te.return
}
