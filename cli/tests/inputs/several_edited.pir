{
    (%7) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
}
// -----
{
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"z",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
}
// -----
{
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"y",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
}
