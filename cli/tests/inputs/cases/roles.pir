// case: an op between two forward ops is forward
// run: -p complete_op_roles
// show: diff
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.tanh" (%1) {op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
}
// -----
// case: where no op has a role, none can be found
// run: -p complete_op_roles
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    // expect-error@above E0212: no op of the top block says its role
}
