// Programs that cannot be read, or that do not verify.

// -----
// case: what is no op
{
    make something
    // expect-error@above E0101: found `make`
}
// -----
// case: a program that is not closed
{
    // expect-error@-1 E0102: the program is not closed
    (%0) = "my.make" () {} : () -> tensor<2xf32>
// -----
// case: a value that nothing defines
{
    (%0) = "pd_op.relu" (%7) {} : (tensor<2xf32>) -> tensor<2xf32>
    // expect-error@above E0103: `%7` is used, but nothing before it defines it
}
// -----
// case: a value that is defined twice
{
    (%0) = "my.make" () {} : () -> tensor<2xf32>
    (%0) = "my.make" () {} : () -> tensor<2xf32>
    // expect-error@above E0104: `%0` is defined twice
}
// -----
// case: results without types
{
    (%0, %1) = "my.make" () {} : () -> tensor<2xf32>
    // expect-error@above E0105: has 2 results, but there are 1 types for them
}
// -----
// case: a use of another type
{
    (%0) = "my.make" () {} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {} : (tensor<3xf32>) -> tensor<2xf32>
    // expect-error@above E0106: it was defined with `tensor<2xf32>`
}
// -----
// case: a type that is none
{
    (%0) = "my.make" () {} : () -> tensor<2xf33>
    // expect-error@above E0107: malformed type
}
// -----
// case: a value of an attribute that is none
{
    (%0) = "my.make" () {n:[1} : () -> tensor<2xf32>
    // expect-error@above E0108: of `n`
}
// -----
// case: a keyword argument that is there twice
{
    ^kw:
        %kwarg_x {}
        %kwarg_x {}
        // expect-error@above E0110: already has a keyword argument `x`
    (%0) = "my.make" () {} : () -> tensor<2xf32>
}
// -----
// case: a string that may end in a backslash
{
    (%0) = "my.make" () {a:"x\",b"} : () -> tensor<2xf32>
    // expect-warning@above W0101: may also end here
}
// -----
// case: a role that is no number
{
    (%0) = "my.make" () {op_role:"forward"} : () -> tensor<2xf32>
    // expect-warning@above W0102: is not a 32-bit integer
}
// -----
// case: operands that the op does not take
{
    (%0) = "my.make" () {} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0, %0) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    // expect-warning@above W0411: has 2 operands, and needs 1: `x`
}
// -----
// case: results of a framework op that it does not have
{
    (%0) = "builtin.shadow_output" () {output_name:"x"} : () -> tensor<2xf32>
    // expect-error@above E0411
    // expect-error@-2 E0412
}
// -----
// case: a branch that yields too little
{
    (%0) = "my.make" () {} : () -> tensor<b>
    (%1) = "pd_op.if" (%0) {} -> tensor<2xf32> {
        () = "cf.yield" () {} : () -> 
        // expect-error@above E0417: `cf.yield` has 0 values
    } else {
        (%2) = "my.make" () {} : () -> tensor<2xf32>
        () = "cf.yield" (%2) {} : (tensor<2xf32>) -> 
    }
}
// -----
// case: a branch that yields nothing, and one that goes on behind its end
{
    (%0) = "my.make" () {} : () -> tensor<b>
    (%1) = "pd_op.if" (%0) {} -> tensor<2xf32> { // expect-error E0416: does not end in `cf.yield`
        (%2) = "my.make" () {} : () -> tensor<2xf32>
        () = "cf.yield" (%2) {} : (tensor<2xf32>) -> 
        // expect-error@above E0416: is not the last op of its block
        () = "my.more" () {} : () -> 
    } else {
        (%3) = "my.make" () {} : () -> tensor<2xf32>
        () = "cf.yield" (%3) {} : (tensor<2xf32>) -> 
    }
}
// -----
// case: a branch without the other one
{
    (%0) = "my.make" () {} : () -> tensor<b>
    () = "pd_op.if" (%0) {} ->  {
        // expect-error@-1 E0415: has 1 region, and needs 2
    }
}
// -----
// case: what Paddle prints is read, verified and printed
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
}
