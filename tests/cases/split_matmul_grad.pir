// case: a weight gradient of rank 3 is Paddle's eight ops
// run: -p split_matmul_grad
// prove: yes
// show: diff, stats
{
    (%0) = "my.make" () {n:0} : () -> tensor<4x3x8xf32>
    (%1) = "my.make" () {n:1} : () -> tensor<8x6xf32>
    (%2) = "my.make" () {n:2} : () -> tensor<4x3x6xf32>
    (%3, %4) = "pd_op.matmul_grad" (%0, %1, %2) {chunk_id:0,op_role:1,stop_gradient:[false,false],transpose_x:false,transpose_y:false} : (tensor<4x3x8xf32>, tensor<8x6xf32>, tensor<4x3x6xf32>) -> tensor<4x3x8xf32>, tensor<8x6xf32>
    () = "builtin.shadow_output" (%3) {output_name:"d3"} : (tensor<4x3x8xf32>) -> 
    () = "builtin.shadow_output" (%4) {output_name:"d4"} : (tensor<8x6xf32>) -> 
}
// -----
// case: matrices
// run: -p split_matmul_grad
// prove: yes
// show: diff
{
    (%0) = "my.make" () {n:0} : () -> tensor<4x8xf32>
    (%1) = "my.make" () {n:1} : () -> tensor<8x5xf32>
    (%2) = "my.make" () {n:2} : () -> tensor<4x5xf32>
    (%3, %4) = "pd_op.matmul_grad" (%0, %1, %2) {chunk_id:0,op_role:1,stop_gradient:[false,false],transpose_x:false,transpose_y:false} : (tensor<4x8xf32>, tensor<8x5xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>, tensor<8x5xf32>
    // expect-note@above N0227: of matrices
    () = "builtin.shadow_output" (%3) {output_name:"d3"} : (tensor<4x8xf32>) -> 
    () = "builtin.shadow_output" (%4) {output_name:"d4"} : (tensor<8x5xf32>) -> 
}
// -----
// case: a transposed weight
// run: -p split_matmul_grad
// prove: yes
// show: diff
{
    (%0) = "my.make" () {n:0} : () -> tensor<4x3x8xf32>
    (%1) = "my.make" () {n:1} : () -> tensor<6x8xf32>
    (%2) = "my.make" () {n:2} : () -> tensor<4x3x6xf32>
    (%3, %4) = "pd_op.matmul_grad" (%0, %1, %2) {chunk_id:0,op_role:1,stop_gradient:[false,false],transpose_x:false,transpose_y:true} : (tensor<4x3x8xf32>, tensor<6x8xf32>, tensor<4x3x6xf32>) -> tensor<4x3x8xf32>, tensor<6x8xf32>
    // expect-note@above N0220: with a transposed operand
    () = "builtin.shadow_output" (%3) {output_name:"d3"} : (tensor<4x3x8xf32>) -> 
    () = "builtin.shadow_output" (%4) {output_name:"d4"} : (tensor<6x8xf32>) -> 
}
// -----
// case: a gradient of y that nobody wants
// run: -p split_matmul_grad
// prove: yes
// show: diff
{
    (%0) = "my.make" () {n:0} : () -> tensor<4x3x8xf32>
    (%1) = "my.make" () {n:1} : () -> tensor<8x5xf32>
    (%2) = "my.make" () {n:2} : () -> tensor<4x3x5xf32>
    (%3, %4) = "pd_op.matmul_grad" (%0, %1, %2) {chunk_id:0,op_role:1,stop_gradient:[false,false],transpose_x:false,transpose_y:false} : (tensor<4x3x8xf32>, tensor<8x5xf32>, tensor<4x3x5xf32>) -> tensor<4x3x8xf32>, <<NULL TYPE>>
    // expect-note@above N0221: without a gradient of `y`
    () = "builtin.shadow_output" (%3) {output_name:"d3"} : (tensor<4x3x8xf32>) -> 
}
// -----
// case: a broadcast operand
// run: -p split_matmul_grad
// prove: yes
// show: diff
{
    (%0) = "my.make" () {n:0} : () -> tensor<4x8xf32>
    (%1) = "my.make" () {n:1} : () -> tensor<2x8x5xf32>
    (%2) = "my.make" () {n:2} : () -> tensor<2x4x5xf32>
    (%3, %4) = "pd_op.matmul_grad" (%0, %1, %2) {chunk_id:0,op_role:1,stop_gradient:[false,false],transpose_x:false,transpose_y:false} : (tensor<4x8xf32>, tensor<2x8x5xf32>, tensor<2x4x5xf32>) -> tensor<4x8xf32>, tensor<2x8x5xf32>
    // expect-note@above N0222: with a broadcast operand
    () = "builtin.shadow_output" (%3) {output_name:"d3"} : (tensor<4x8xf32>) -> 
    () = "builtin.shadow_output" (%4) {output_name:"d4"} : (tensor<2x8x5xf32>) -> 
}
// -----
// case: one dynamic dim
// run: -p split_matmul_grad
// prove: yes
{
    (%0) = "my.make" () {n:0} : () -> tensor<-1x3x8xf32>
    (%1) = "my.make" () {n:1} : () -> tensor<8x5xf32>
    (%2) = "my.make" () {n:2} : () -> tensor<-1x3x5xf32>
    (%3, %4) = "pd_op.matmul_grad" (%0, %1, %2) {chunk_id:0,op_role:1,stop_gradient:[false,false],transpose_x:false,transpose_y:false} : (tensor<-1x3x8xf32>, tensor<8x5xf32>, tensor<-1x3x5xf32>) -> tensor<-1x3x8xf32>, tensor<8x5xf32>
    // expect-note@above N0223: with a dynamic dim
    () = "builtin.shadow_output" (%3) {output_name:"d3"} : (tensor<-1x3x8xf32>) -> 
    () = "builtin.shadow_output" (%4) {output_name:"d4"} : (tensor<8x5xf32>) -> 
}
// -----
// case: two dynamic dims
// run: -p split_matmul_grad
// prove: yes
{
    (%0) = "my.make" () {n:0} : () -> tensor<-1x-1x8xf32>
    (%1) = "my.make" () {n:1} : () -> tensor<8x5xf32>
    (%2) = "my.make" () {n:2} : () -> tensor<-1x-1x5xf32>
    (%3, %4) = "pd_op.matmul_grad" (%0, %1, %2) {chunk_id:0,op_role:1,stop_gradient:[false,false],transpose_x:false,transpose_y:false} : (tensor<-1x-1x8xf32>, tensor<8x5xf32>, tensor<-1x-1x5xf32>) -> tensor<-1x-1x8xf32>, tensor<8x5xf32>
    // expect-note@above N0224: with two dynamic dims
    () = "builtin.shadow_output" (%3) {output_name:"d3"} : (tensor<-1x-1x8xf32>) -> 
    () = "builtin.shadow_output" (%4) {output_name:"d4"} : (tensor<8x5xf32>) -> 
}
// -----
// case: the product that nobody reads is kept
// run: -p split_matmul_grad
// prove: yes
{
    (%0) = "my.make" () {n:0} : () -> tensor<4x3x8xf32>
    (%1) = "my.make" () {n:1} : () -> tensor<8x5xf32>
    (%2) = "my.make" () {n:2} : () -> tensor<4x3x5xf32>
    (%3, %4) = "pd_op.matmul_grad" (%0, %1, %2) {chunk_id:0,op_role:1,stop_gradient:[false,false],transpose_x:false,transpose_y:false} : (tensor<4x3x8xf32>, tensor<8x5xf32>, tensor<4x3x5xf32>) -> <<NULL TYPE>>, tensor<8x5xf32>
    // expect-note@above N0225: with a product that nobody reads
    () = "builtin.shadow_output" (%4) {output_name:"d4"} : (tensor<8x5xf32>) -> 
}
// -----
// case: the product that nobody reads is dropped
// run: -p 'split_matmul_grad{drop_dead_products=true}'
// prove: yes
// show: diff
{
    (%0) = "my.make" () {n:0} : () -> tensor<4x3x8xf32>
    (%1) = "my.make" () {n:1} : () -> tensor<8x5xf32>
    (%2) = "my.make" () {n:2} : () -> tensor<4x3x5xf32>
    (%3, %4) = "pd_op.matmul_grad" (%0, %1, %2) {chunk_id:0,op_role:1,stop_gradient:[false,false],transpose_x:false,transpose_y:false} : (tensor<4x3x8xf32>, tensor<8x5xf32>, tensor<4x3x5xf32>) -> <<NULL TYPE>>, tensor<8x5xf32>
    // expect-note@above N0226: without the product that nobody reads
    () = "builtin.shadow_output" (%4) {output_name:"d4"} : (tensor<8x5xf32>) -> 
}
// -----
// case: all leading dims of a batch
// run: -p split_matmul_grad
// prove: yes
{
    (%0) = "my.make" () {n:0} : () -> tensor<2x3x4x8xf32>
    (%1) = "my.make" () {n:1} : () -> tensor<8x5xf32>
    (%2) = "my.make" () {n:2} : () -> tensor<2x3x4x5xf32>
    (%3, %4) = "pd_op.matmul_grad" (%0, %1, %2) {chunk_id:0,op_role:1,stop_gradient:[false,false],transpose_x:false,transpose_y:false} : (tensor<2x3x4x8xf32>, tensor<8x5xf32>, tensor<2x3x4x5xf32>) -> tensor<2x3x4x8xf32>, tensor<8x5xf32>
    // expect-note@above N0228: of batches
    () = "builtin.shadow_output" (%3) {output_name:"d3"} : (tensor<2x3x4x8xf32>) -> 
    () = "builtin.shadow_output" (%4) {output_name:"d4"} : (tensor<8x5xf32>) -> 
}
// -----
// case: an op with a vector stays whole
// run: -p split_matmul_grad
// prove: yes
{
    (%0) = "my.make" () {n:0} : () -> tensor<2x4x8xf32>
    (%1) = "my.make" () {n:1} : () -> tensor<8xf32>
    (%2) = "my.make" () {n:2} : () -> tensor<2x4xf32>
    (%3, %4) = "pd_op.matmul_grad" (%0, %1, %2) {chunk_id:0,op_role:1,stop_gradient:[false,false],transpose_x:false,transpose_y:false} : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<2x4xf32>) -> tensor<2x4x8xf32>, tensor<8xf32>
    // expect-note@above N0230: left whole
    () = "builtin.shadow_output" (%3) {output_name:"d3"} : (tensor<2x4x8xf32>) -> 
    () = "builtin.shadow_output" (%4) {output_name:"d4"} : (tensor<8xf32>) -> 
}
// -----
// case: without a matmul_grad there is nothing to do
// run: -p split_matmul_grad
// prove: yes
{
    // expect-note N0521: no `pd_op.matmul_grad`
    (%0) = "my.make" () {} : () -> tensor<2xf32>
}
