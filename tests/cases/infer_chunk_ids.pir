// case: an op between ops of one chunk is in that chunk
// run: -p infer_chunk_ids
// show: diff
{
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {chunk_id:-1,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.tanh" (%1) {chunk_id:0,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.tanh" (%2) {chunk_id:1,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
}
// -----
// case: where neighbours do not tell, producers do
// run: -p infer_chunk_ids
// show: diff
{
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {chunk_id:-1,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.tanh" (%1) {op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.tanh" (%2) {chunk_id:1,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
}
// -----
// case: with a chunk everywhere there is nothing to do
// run: -p infer_chunk_ids
{
    // expect-note N0201: every op already has a chunk id
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
}
// -----
// case: an op without a role
// run: -p infer_chunk_ids
{
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    // expect-error@above E0201: `pd_op.data` has no op role
}
// -----
// case: a role that is no phase
// run: -p infer_chunk_ids
{
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:16,place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    // expect-error@above E0202: the op role 16, which is no phase
}
// -----
// case: an op whose producers come after its users
// run: -p infer_chunk_ids
{
    (%0) = "pd_op.data" () {chunk_id:1,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {chunk_id:-1,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    // expect-error@above E0203: its producers are in chunk 1, its users in chunk 0
    (%2) = "pd_op.tanh" (%1) {chunk_id:0,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
}
