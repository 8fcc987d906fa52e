{
    (%0) = "pd_op.full" () {op_role:0} : () -> tensor<f32>
}
// -----
{
    (%0) = "pd_op.ones" () {op_role:0} : () -> tensor<f32>
    () = "builtin.shadow_output" (%0) {op_role:0,output_name:"kept"} : (tensor<f32>) -> 
}
