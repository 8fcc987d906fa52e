// case: what nobody reads goes, and what writes a parameter stays
// run: -p dead_code_elimination
// prove: yes
// show: diff, stats
{
    (%0) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"w",persistable:[true],stop_gradient:[false],trainable:[true]} : () -> tensor<2xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],value:3} : () -> tensor<2xf32>
    (%2) = "pd_op.tanh" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.add" (%2, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.add_" (%0, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
}
// -----
// case: a branch without effects goes as a whole
// run: -p dead_code_elimination
// prove: yes
// show: diff
{
    (%0) = "pd_op.data" () {dtype:bool,name:"c",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%1) = "pd_op.if" (%0) {} -> tensor<1xb> {
        (%2) = "pd_op.logical_not" (%0) {} : (tensor<1xb>) -> tensor<1xb>
        () = "cf.yield" (%2) {} : (tensor<1xb>) -> 
    } else {
        () = "cf.yield" (%0) {} : (tensor<1xb>) -> 
    }
    () = "pd_op.if" (%0) {} ->  {
        (%3) = "pd_op.print" (%0) {first_n:-1,is_forward:true,message:"",print_phase:"BOTH",print_tensor_layout:true,print_tensor_lod:true,print_tensor_name:true,print_tensor_shape:true,print_tensor_type:true,summarize:20} : (tensor<1xb>) -> tensor<1xb>
    } else {
    }
}
// -----
// case: of equal ops the first stays, up to a write of what they read
// run: -p common_subexpression_elimination
// prove: yes
// show: diff, stats
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.tanh" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.tanh" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.relu_" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.tanh" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%5) = "pd_op.add" (%1, %2) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%6) = "pd_op.add" (%5, %4) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    () = "builtin.shadow_output" (%6) {output_name:"y"} : (tensor<2xf32>) -> 
}
// -----
// case: a transpose that undoes another goes, and the cast behind it
// run: -p canonicalize
// show: diff
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.transpose" (%0) {perm:[1,0]} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    (%2) = "pd_op.transpose" (%1) {perm:[1,0]} : (tensor<3x2xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.cast" (%2) {dtype:float32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%4) = "pd_op.tanh" (%3) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    () = "builtin.shadow_output" (%4) {output_name:"y"} : (tensor<2x3xf32>) -> 
}
// -----
// case: the sign of zero is kept unless it may be ignored
// run: -p canonicalize
{
    // expect-note N0521: rules fits
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xf32>
    (%2) = "pd_op.add" (%0, %1) {} : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
    (%3) = "pd_op.tanh" (%2) {} : (tensor<2xf32>) -> tensor<2xf32>
    () = "builtin.shadow_output" (%3) {output_name:"y"} : (tensor<2xf32>) -> 
}
// -----
// case: without the sign of zero x plus 0 is x
// run: -p canonicalize{ignore_zero_sign=true}
// show: diff
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xf32>
    (%2) = "pd_op.add" (%0, %1) {} : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
    (%3) = "pd_op.tanh" (%2) {} : (tensor<2xf32>) -> tensor<2xf32>
    () = "builtin.shadow_output" (%3) {output_name:"y"} : (tensor<2xf32>) -> 
}
