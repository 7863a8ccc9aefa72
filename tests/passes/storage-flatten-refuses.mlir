// RUN: not teloom-opt %s -p 'storage-flatten' --split-input-file 2>&1 | filecheck %s

// A region that another op uses.
// CHECK: error: storage-flatten: test.op uses a tensor region; storage-flatten knows loop.load, loop.store and loop.buffer
func.func @passed_on(%A: memref<4xf32>) {
  %a = loop.bind %A [0 : 4] : memref<4xf32>
  "test.op"(%a) : (!loop.tensor<1, f32>) -> ()
  func.return
}
