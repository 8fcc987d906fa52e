// case: attributes go from the ops of a role
// run: -p 'strip_attributes{names=[struct_name, "chunk*"] role=backward}'
// show: diff, stats
{
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2],struct_name:"/a/"} : () -> tensor<2xf32>
    (%1) = "pd_op.tanh" (%0) {chunk_id:0,op_role:1,struct_name:"/a/"} : (tensor<2xf32>) -> tensor<2xf32>
}
// -----
// case: what every op of the name carries stays
// run: -p strip_attributes{names=[perm]}
{
    // expect-note N0231: `perm` stays on one `pd_op.transpose`
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.transpose" (%0) {perm:[1,0]} : (tensor<2x3xf32>) -> tensor<3x2xf32>
}
// -----
// case: an attribute is set on the ops of a name
// run: -p 'set_attributes{name=stop_gradient value=true op="pd_op.t*"}'
// show: diff, stats
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.tanh" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
}
// -----
// case: a value that does not fit is refused
// run: -p 'set_attributes{name=op_role value=forward}'
{
    (%0) = "my.make" () {} : () -> tensor<2xf32>
    // expect-error@above E0231: expected an integer of 32 bits, found the text `forward`
}
