// case: a run between ops of one role has that role
// run: -p complete_op_roles
// show: diff, stats
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {op_role:-1} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.tanh" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.square" (%2) {op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.square_grad" (%2, %3) {op_role:1} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
}
// -----
// case: at a boundary the data flow decides
// run: -p complete_op_roles
// show: diff
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {op_role:-1} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.full" () {dtype:float32,op_role:-1,place:Place(cpu),shape:[2],value:1} : () -> tensor<2xf32>
    (%3) = "pd_op.relu_grad" (%1, %2) {op_role:1} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
}
// -----
// case: with a role everywhere there is nothing to do
// run: -p complete_op_roles
{
    // expect-note N0521: every op of the top block has a role
    (%0) = "pd_op.data" () {dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
}
// -----
// case: an op that may belong to the optimizer as well
// run: -p complete_op_roles
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu_grad" (%0, %0) {op_role:1} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.square" (%0) {op_role:-1} : (tensor<2xf32>) -> tensor<2xf32>
    // expect-warning@above W0211: the other is optimize
    (%3) = "pd_op.square" (%2) {op_role:2} : (tensor<2xf32>) -> tensor<2xf32>
}
// -----
// case: where no op has a role, none can be found
// run: -p complete_op_roles
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    // expect-error@above E0212: no op of the top block says its role
    (%1) = "pd_op.relu" (%0) {op_role:-1} : (tensor<2xf32>) -> tensor<2xf32>
}
// -----
// case: an op that reads a later phase than it is read in
// run: -p complete_op_roles
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",op_role:2,place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    // expect-error@above E0213: it reads a value of the optimize op `pd_op.data`
    (%2) = "pd_op.tanh" (%1) {op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
}
