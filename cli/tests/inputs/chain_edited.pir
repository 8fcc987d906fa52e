{
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%1) = "pd_op.tanh" (%0) {chunk_id:0,op_role:0,stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.square" (%1) {chunk_id:0,op_role:0,stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.full" () {chunk_id:1,dtype:float32,op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true],value:2} : () -> tensor<2xf32>
    (%4) = "pd_op.multiply" (%2, %3) {chunk_id:1,op_role:0,stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%5) = "pd_op.relu" (%4) {chunk_id:1,op_role:0,stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
}
