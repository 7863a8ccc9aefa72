// RUN: not teloom-opt %s -p 'infer-bounds{mode=tight}' 2>&1 | filecheck %s --check-prefix=MODE
// RUN: not teloom-opt %s -p 'infer-bounds{budget=0}' 2>&1 | filecheck %s --check-prefix=BUDGET

// Options that mean nothing are refused with what would.
// MODE: error: infer-bounds: no mode 'tight'; modes: exact, hull, box
// BUDGET: error: infer-bounds: a budget of 0 operations: it must be at least 1
te.func @nothing() -> () {
  te.return
}
