{
    (%0) = "pd_op.data" () {name:"x"} : () -> tensor<2xf32>
    (%1) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<2xf32>
    (%2) = "pd_op.abs" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.subtract_" (%1, %0) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
}
