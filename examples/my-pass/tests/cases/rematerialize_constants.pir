// case: a constant is made once in each job that uses it
// run: -p rematerialize_constants
// show: program, stats
{
    (%0) = "pd_op.full" () {chunk_id:0,dtype:float32,op_role:0,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xf32>
    (%1) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%2) = "pd_op.scale" (%1, %0) {bias:0,bias_after_scale:true,chunk_id:0,op_role:0} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.scale" (%2, %0) {bias:0,bias_after_scale:true,chunk_id:1,op_role:0} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
    (%4) = "pd_op.scale" (%3, %0) {bias:0,bias_after_scale:true,chunk_id:1,op_role:0} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
    (%5) = "pd_op.scale" (%4, %0) {bias:0,bias_after_scale:true,chunk_id:1,op_role:1} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
    () = "builtin.shadow_output" (%5) {chunk_id:1,op_role:1,output_name:"y"} : (tensor<2x3xf32>) -> 
}
// -----
// case: what is written is no constant
// run: -p rematerialize_constants
// show: diagnostics
{
    (%0) = "pd_op.full" () {chunk_id:0,dtype:float32,op_role:0,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xf32>
    (%1) = "pd_op.scale_" (%0, %0) {bias:0,bias_after_scale:true,chunk_id:0,op_role:0} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    () = "builtin.shadow_output" (%1) {chunk_id:1,op_role:0,output_name:"y"} : (tensor<1xf32>) -> 
}
// -----
// case: an option that is none
// run: -p rematerialize_constants{op=pd_op.full}
// expect-error E0503: `rematerialize_constants` has no option `op`
{
}
