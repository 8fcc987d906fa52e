{
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {chunk_id:0,op_role:0,stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.tanh" (%1) {chunk_id:-1,op_role:0,stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.square" (%2) {chunk_id:-1,op_role:0,stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.relu" (%3) {chunk_id:1,op_role:0,stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
}
