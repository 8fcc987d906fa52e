{
    (%0) = "pd_op.data" () {name:"x"} : () -> tensor<2xf33>
    (%1) = "pd_op.relu" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.relu" (%7) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%3, %4) = "pd_op.full" () {value:1} : () -> tensor<f32>
    (%5) = "pd_op.full" () {value:1}
