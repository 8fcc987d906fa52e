// case: a snapshot that says something else
// run: -p complete_op_roles
// show: diff
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
}
// -----
// case: a program that differs
// run: -p complete_op_roles
// show: program
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
}
// -----
// case: another code is expected
// run: -p complete_op_roles
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    // expect-error@above E0213: no op of the top block says its role
}
// -----
// case: a slip in a header
// shwo: diff
{
}
// -----
// case: all is well
{
}
