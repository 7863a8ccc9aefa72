// RUN: TELOOM_ROUNDTRIP %s | filecheck %s

// Elements of floats that are written as bits: infinities and NaN, of each width.
// CHECK: arith.constant dense<0xff800000> : vector<4xf32>
%a = arith.constant dense<0xFF800000> : vector<4xf32>
// CHECK: arith.constant dense<[0x7f800000, 1.000000e+00]> : vector<2xf32>
%b = arith.constant dense<[0x7F800000, 0x3F800000]> : vector<2xf32>
// CHECK: arith.constant dense<[0x7c00, -2.000000e+00]> : vector<2xf16>
%c = arith.constant dense<[0x7C00, -2.0]> : vector<2xf16>
// CHECK: arith.constant dense<0xfff0000000000000> : tensor<2xf64>
%d = arith.constant dense<0xFFF0000000000000> : tensor<2xf64>
// CHECK: arith.constant dense<255> : vector<2xi16>
%e = arith.constant dense<0xFF> : vector<2xi16>
