// case: a send goes on the stream of its ring and a receive on that of all receives
// run: -p overlap_send_recv
// show: diff, stats
{
    (%0) = "pd_op.recv_v2" () {dtype:float32,dynamic_shape:true,op_role:0,out_shape:[2],peer:0,ring_id:3,use_calc_stream:false} : () -> tensor<2xf32>
    () = "pd_op.send_v2" (%0) {dynamic_shape:true,op_role:1,peer:1,ring_id:13,use_calc_stream:false} : (tensor<2xf32>) -> 
}
// -----
// case: without sends and receives there is nothing to do
// run: -p overlap_send_recv
{
    // expect-note N0521: no `pd_op.send_v2` or `pd_op.recv_v2` in the top block
    (%0) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
}
// -----
// case: all sends without a ring are reported
// run: -p overlap_send_recv
{
    (%0) = "my.make" () {} : () -> tensor<2xf32>
    () = "pd_op.send_v2" (%0) {dynamic_shape:true,peer:1,use_calc_stream:false} : (tensor<2xf32>) -> 
    // expect-error@above E0211: has no `ring_id`
    () = "pd_op.send_v2" (%0) {dynamic_shape:true,peer:1,ring_id:"12",use_calc_stream:false} : (tensor<2xf32>) -> 
    // expect-error@above E0211: is no integer
}
