{
    (%0) = "pd_op.data" () {name:"x"} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    () = "builtin.shadow_output" (%1) {output_name:"y"} : (tensor<2xf32>) -> 
}
