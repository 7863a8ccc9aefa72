// REQUIRES-PROCESS: the program itself, as it is installed.
// RUN: teloom-opt %s -p canonicalize | filecheck %s
// RUN: not teloom-opt %s -p 'canonicalise' 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: TELOOM_ROUNDTRIP %s | filecheck %s

// CHECK-LABEL: @empty
// UNKNOWN: -p:1:1: error: no pass named 'canonicalise'; did you mean 'canonicalize'?
func.func @empty() {
  func.return
}
