// RUN: teloom-opt %s -p 'canonicalize' | filecheck %s

// Maps are composed, and constants become parts of them.
// CHECK-LABEL: func.func @composed
// CHECK-NEXT:    %r = affine.apply affine_map<(d0) -> (((d0 * 8) + 5))> (%n)
// CHECK-NEXT:    func.return %r
func.func @composed(%n: index) -> index {
  %c = arith.constant 5 : index
  %p = affine.apply affine_map<(d0) -> (d0 * 8)> (%n)
  %r = affine.apply affine_map<(d0)[s0] -> (d0 + s0)> (%p)[%c]
  func.return %r : index
}

// A map that is an operand, or a constant, is that.
// CHECK-LABEL: func.func @replaced
// CHECK-NEXT:    %z = arith.constant 0 : index
// CHECK-NEXT:    func.return %n, %z
func.func @replaced(%n: index) -> (index, index) {
  %same = affine.apply affine_map<(d0) -> (d0 floordiv 8 * 8 + d0 mod 8)> (%n)
  %z = affine.apply affine_map<(d0, d1) -> (d0 - d1)> (%n, %n)
  func.return %same, %z : index, index
}

// The least of constants counts; a least value of one expression is that.
// CHECK-LABEL: func.func @least
// CHECK-NEXT:    %a = affine.min affine_map<(d0) -> (d0, 8)> (%n)
// CHECK-NEXT:    func.return %a, %n
func.func @least(%n: index) -> (index, index) {
  %c = arith.constant 8 : index
  %a = affine.min affine_map<(d0, d1) -> (16, d0, d1)> (%n, %c)
  %b = affine.min affine_map<(d0, d1) -> (d0, d1)> (%n, %n)
  func.return %a, %b : index, index
}

// Constant extents are one factor: a count of these alone is a number, as is one with a 0.
// CHECK-LABEL: func.func @counts
// CHECK-NEXT:    %a = loop.element_count [%n, 32]
// CHECK-NEXT:    %b = arith.constant 2305843009213693952 : index
// CHECK-NEXT:    %c = arith.constant 0 : index
// CHECK-NEXT:    %d = loop.element_count [%n]
func.func @counts(%n: index) -> (index, index, index, index) {
  %eight = arith.constant 8 : index
  %a = loop.element_count [%eight, %n, 4]
  %b = loop.element_count [1099511627776, 1099511627776]
  %c = loop.element_count [%n, %eight - 9]
  %d = loop.element_count [%n, 1]
  func.return %a, %b, %c, %d : index, index, index, index
}
