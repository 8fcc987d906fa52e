{
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    () = "builtin.shadow_output" (%0) {chunk_id:0,op_role:0,output_name:"var_6_pd_op.data_0"} : (tensor<2xf32>) -> 
}
