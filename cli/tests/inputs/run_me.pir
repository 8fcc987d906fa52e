// Runs as it is: `pirogue opt run_me.pir`.
// pirogue opt -p 'complete_op_roles'
{
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {chunk_id:0,op_role:0,stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
}
