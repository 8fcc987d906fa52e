{
    (%0) = "pd_op.data" () {chunk_id:0,name:"x",op_role:0} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {chunk_id:0,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.leaky_relu" (%1) {chunk_id:0,negative_slope:0.1,op_role:1} : (tensor<2xf32>) -> tensor<2xf32>
    () = "builtin.shadow_output" (%2) {chunk_id:0,op_role:1,output_name:"out"} : (tensor<2xf32>) -> 
}
