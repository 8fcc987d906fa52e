{
    (%0) = "pd_op.data" () {name:"x",op_role:0} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.tanh" (%1) {op_role:1} : (tensor<2xf32>) -> tensor<2xf32>
    () = "builtin.shadow_output" (%2) {op_role:1,output_name:"out"} : (tensor<2xf32>) -> 
}
