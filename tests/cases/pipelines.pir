// case: a pass that is not there
// run: -p infer_chunk_id
{
    // expect-error E0502: did you mean `infer_chunk_ids`?
    (%0) = "my.make" () {} : () -> tensor<2xf32>
}
// -----
// case: an option that is not there
// run: -p 'split_matmul_grad{drop_products=true}'
{
    // expect-error E0503: has no option `drop_products`
    (%0) = "my.make" () {} : () -> tensor<2xf32>
}
// -----
// case: a value of another kind
// run: -p 'split_matmul_grad{drop_dead_products=7}'
{
    // expect-error E0504: does not take this value
    (%0) = "my.make" () {} : () -> tensor<2xf32>
}
// -----
// case: an option without a default
// run: -p pipeline_scheduler_VPP
{
    // expect-error E0505: has no default
    (%0) = "my.make" () {} : () -> tensor<2xf32>
}
// -----
// case: braces that are not closed
// run: -p 'split_matmul_grad{'
{
    // expect-error E0501
    (%0) = "my.make" () {} : () -> tensor<2xf32>
}
// -----
// case: programs of a plan that nobody made
// run: -p 'jobs(infer_chunk_ids)'
{
    // expect-error E0514: no pass before it left one
    (%0) = "my.make" () {} : () -> tensor<2xf32>
}
// -----
// case: a program that does not verify
// run: -p overlap_send_recv
// expect-error E0522: so that no pass was run on it
{
    (%0) = "my.make" () {} : () -> tensor<b>
    () = "pd_op.if" (%0) {} ->  {
        // expect-error@-1 E0415: has 1 region, and needs 2
    }
}
// -----
// case: a plan is used where the program was changed behind it
// run: -p 'pipeline_scheduler_VPP{pp_degree=2 pp_stage=0 vpp_degree=2 num_micro_batches=4},infer_chunk_ids,jobs(complete_op_roles)'
// expect-error E0515: put the passes that change the program before
{
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {chunk_id:-1,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.tanh" (%1) {chunk_id:0,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
}
