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
    (%0) = "my.make" () {} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0, %0) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    // expect-error@above E0411
}
