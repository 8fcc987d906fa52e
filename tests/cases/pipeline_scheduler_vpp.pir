// case: two chunks of a stage
// run: -p 'pipeline_scheduler_VPP{pp_degree=2 pp_stage=0 vpp_degree=2 num_micro_batches=4}'
// prove: yes
// show: jobs, jobs(forward0), jobs(backward0), stats
{
    ^kw:
        %kwarg_g {persistable:true,place:Place(cpu)}
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {chunk_id:0,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.tanh" (%1) {chunk_id:1,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.tanh_grad" (%2, %2) {chunk_id:1,op_role:1} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.relu_grad" (%1, %3) {chunk_id:0,op_role:1} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%5) = "pd_op.add_" (%kwarg_g, %4) {chunk_id:0,grad_merge_add:true,op_role:1} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%6) = "pd_op.square" (%kwarg_g) {chunk_id:-1,op_role:2} : (tensor<2xf32>) -> tensor<2xf32>
}
// -----
// case: a receive and a send
// run: -p 'pipeline_scheduler_VPP{pp_degree=2 pp_stage=0 vpp_degree=2 num_micro_batches=4}'
// prove: yes
// show: diff, jobs(recv_forward0), jobs(forward0), jobs(backward0), jobs(send_backward0)
{
    (%0) = "pd_op.recv_v2" () {chunk_id:0,dtype:float32,dynamic_shape:false,op_role:0,out_shape:[2],peer:1,ring_id:12,use_calc_stream:true} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {chunk_id:0,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.relu_grad" (%1, %1) {chunk_id:0,op_role:1} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    () = "pd_op.send_v2" (%2) {chunk_id:0,dynamic_shape:false,op_role:1,peer:1,ring_id:13,use_calc_stream:true} : (tensor<2xf32>) -> 
}
// -----
// case: a pass on the programs of the plan
// run: -p 'pipeline_scheduler_VPP{pp_degree=2 pp_stage=0 vpp_degree=2 num_micro_batches=4},jobs[forward*](complete_op_roles)'
// prove: yes
// Each program is looked at on its own.
// show: jobs(forward1), stats
{
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {chunk_id:0,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.tanh" (%1) {chunk_id:1,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.tanh_grad" (%2, %2) {chunk_id:1,op_role:1} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.relu_grad" (%1, %3) {chunk_id:0,op_role:1} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
}
// -----
// case: a pattern that matches no program
// run: -p 'pipeline_scheduler_VPP{pp_degree=2 pp_stage=0 vpp_degree=2 num_micro_batches=4},jobs[foward*](infer_chunk_ids)'
// prove: yes
{
    // expect-warning W0519: none is called `foward*`
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {chunk_id:0,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.tanh" (%1) {chunk_id:1,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.tanh_grad" (%2, %2) {chunk_id:1,op_role:1} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.relu_grad" (%1, %3) {chunk_id:0,op_role:1} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
}
// -----
// case: a forward op that reads a backward value
// run: -p 'pipeline_scheduler_VPP{pp_degree=2 pp_stage=0 vpp_degree=2 num_micro_batches=4}'
// prove: yes
{
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu_grad" (%0, %0) {chunk_id:0,op_role:1} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.relu" (%1) {chunk_id:0,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    // expect-error@above E0204: `pd_op.relu` of `forward0` uses a value of `backward0`
}
// -----
// case: a chunk that the stage does not have
// run: -p 'pipeline_scheduler_VPP{pp_degree=2 pp_stage=0 vpp_degree=2 num_micro_batches=4}'
// prove: yes
{
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {chunk_id:2,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    // expect-error@above E0205: `pd_op.relu` is in chunk 2, but the stage has the chunks 0 to 1
}
// -----
// case: an op without a role
// run: -p 'pipeline_scheduler_VPP{pp_degree=2 pp_stage=0 vpp_degree=2 num_micro_batches=4}'
// prove: yes
{
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {chunk_id:0} : (tensor<2xf32>) -> tensor<2xf32>
    // expect-error@above E0201: `pd_op.relu` has no op role
}
// -----
// case: two values of one name
// run: -p 'pipeline_scheduler_VPP{pp_degree=2 pp_stage=0 vpp_degree=2 num_micro_batches=4}'
// prove: yes
{
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[3],stop_gradient:[true]} : () -> tensor<3xf32>
    // expect-error@above E0206: two values that cross programs are called `x`
    (%2) = "my.read" (%0, %1) {chunk_id:1,op_role:0} : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
}
// -----
// case: a name that is taken
// run: -p 'pipeline_scheduler_VPP{pp_degree=2 pp_stage=0 vpp_degree=2 num_micro_batches=4}'
// prove: yes
// show: jobs
// expect-note N0206: a name of their own
{
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"var_1_pd_op.relu_0",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {chunk_id:0,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.tanh" (%1) {chunk_id:1,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
}
// -----
// case: a list goes where it is used
// run: -p 'pipeline_scheduler_VPP{pp_degree=2 pp_stage=0 vpp_degree=2 num_micro_batches=4}'
// prove: yes
// show: jobs
{
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%1) = "builtin.combine" (%0, %0) {chunk_id:0,op_role:0} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    // expect-note@above N0207: a list cannot cross programs
    (%2) = "pd_op.add_n" (%1) {chunk_id:1,op_role:0} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>
}
// -----
// case: a list that would have to cross
// run: -p 'pipeline_scheduler_VPP{pp_degree=2 pp_stage=0 vpp_degree=2 num_micro_batches=4}'
// prove: yes
{
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%1) = "my.list" (%0) {chunk_id:0,op_role:0} : (tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    // expect-error@above E0207: would have to cross from `forward0` to `forward1`
    (%2) = "my.read" (%1) {chunk_id:1,op_role:0} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>
}
// -----
// case: a value that two outputs name
// run: -p 'pipeline_scheduler_VPP{pp_degree=2 pp_stage=0 vpp_degree=2 num_micro_batches=4}'
// prove: yes
// show: jobs
{
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {chunk_id:0,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    () = "builtin.shadow_output" (%1) {chunk_id:1,op_role:0,output_name:"late"} : (tensor<2xf32>) -> 
    // expect-note@above N0208: crosses programs as
    (%2) = "pd_op.tanh" (%1) {chunk_id:1,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
}
// -----
// case: an op that waits for two receives
// run: -p 'pipeline_scheduler_VPP{pp_degree=2 pp_stage=0 vpp_degree=2 num_micro_batches=4}'
// prove: yes
// show: jobs(forward0)
{
    (%0) = "pd_op.recv_v2" () {chunk_id:0,dtype:float32,dynamic_shape:false,op_role:0,out_shape:[2],peer:1,ring_id:12,use_calc_stream:true} : () -> tensor<2xf32>
    (%1) = "pd_op.recv_v2" () {chunk_id:0,dtype:float32,dynamic_shape:false,op_role:0,out_shape:[2],peer:1,ring_id:14,use_calc_stream:true} : () -> tensor<2xf32>
    (%2) = "pd_op.add" (%0, %1) {chunk_id:0,op_role:0} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    // expect-note@above N0209: waits for the event
}
// -----
// case: a branch that is run again for its gradient
// run: -p 'pipeline_scheduler_VPP{pp_degree=2 pp_stage=0 vpp_degree=2 num_micro_batches=4}'
// prove: yes
// show: jobs
{
    (%stack_0, %inlet_0, %outlet_0) = "cf.stack_create" () {chunk_id:0,op_role:0} : () -> cf.stack, cf.inlet, cf.outlet
    (%0) = "pd_op.data" () {chunk_id:0,dtype:bool,name:"c",op_role:0,place:Place(cpu),shape:[],stop_gradient:[true]} : () -> tensor<b>
    (%1) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%2) = "pd_op.if" (%0) {chunk_id:0,op_role:0,stop_gradient:[false]} -> tensor<2xf32> {
        (%3) = "pd_op.relu" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
        () = "cf.tuple_push" (%inlet_0, %3) {} : (cf.inlet, tensor<2xf32>) -> 
        () = "cf.yield" (%3) {} : (tensor<2xf32>) -> 
    } else {
        () = "cf.yield" (%1) {} : (tensor<2xf32>) -> 
    }
    // expect-warning@-7 W0208: `pd_op.if` runs again in `backward0`
    (%4) = "pd_op.if" (%0) {chunk_id:0,op_role:1,stop_gradient:[false]} -> tensor<2xf32> {
        (%5) = "cf.tuple_pop" (%outlet_0) {stop_gradient:[false]} : (cf.outlet) -> tensor<2xf32>
        () = "cf.yield" (%5) {} : (tensor<2xf32>) -> 
    } else {
        () = "cf.yield" (%2) {} : (tensor<2xf32>) -> 
    }
}
// -----
// case: a branch that cannot be run again
// run: -p 'pipeline_scheduler_VPP{pp_degree=2 pp_stage=0 vpp_degree=2 num_micro_batches=4}'
// prove: yes
{
    (%stack_0, %inlet_0, %outlet_0) = "cf.stack_create" () {chunk_id:0,op_role:0} : () -> cf.stack, cf.inlet, cf.outlet
    (%0) = "pd_op.data" () {chunk_id:0,dtype:bool,name:"c",op_role:0,place:Place(cpu),shape:[],stop_gradient:[true]} : () -> tensor<b>
    (%1) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%2) = "pd_op.if" (%0) {chunk_id:0,op_role:0,stop_gradient:[false]} -> tensor<2xf32> {
        (%3) = "my.random" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
        () = "cf.tuple_push" (%inlet_0, %3) {} : (cf.inlet, tensor<2xf32>) -> 
        () = "cf.yield" (%3) {} : (tensor<2xf32>) -> 
    } else {
        () = "cf.yield" (%1) {} : (tensor<2xf32>) -> 
    }
    // expect-error@-7 E0208: `pd_op.if` pushes on a control-flow stack
    (%4) = "pd_op.if" (%0) {chunk_id:0,op_role:1,stop_gradient:[false]} -> tensor<2xf32> {
        (%5) = "cf.tuple_pop" (%outlet_0) {stop_gradient:[false]} : (cf.outlet) -> tensor<2xf32>
        () = "cf.yield" (%5) {} : (tensor<2xf32>) -> 
    } else {
        () = "cf.yield" (%2) {} : (tensor<2xf32>) -> 
    }
}
// -----
// case: a device that is none
// run: -p 'pipeline_scheduler_VPP{pp_degree=2 vpp_degree=2 num_micro_batches=4 pp_stage=0 place=gpu:first}'
// prove: yes
{
    // expect-error E0209: `gpu:first` is no device
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
}
// -----
// case: an option that the schedule does not take
// run: -p 'pipeline_scheduler_VPP{pp_degree=2 vpp_degree=2 num_micro_batches=4 pp_stage=0 enable_send_recv_overlap=true}'
// prove: yes
{
    // expect-error E0210: `enable_send_recv_overlap` is not supported
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
}
// -----
// case: a send without a ring
// run: -p 'pipeline_scheduler_VPP{pp_degree=2 pp_stage=0 vpp_degree=2 num_micro_batches=4}'
// prove: yes
{
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    () = "pd_op.send_v2" (%0) {chunk_id:0,dynamic_shape:false,op_role:0,peer:1,use_calc_stream:true} : (tensor<2xf32>) -> 
    // expect-error@above E0211: has no `ring_id`
}
// -----
// case: a stage that is not there
// run: -p 'pipeline_scheduler_VPP{pp_degree=2 vpp_degree=2 num_micro_batches=4 pp_stage=2}'
// prove: yes
{
    // expect-error E0305: there is no stage 2
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
}
// -----
// case: micro-batches that deadlock
// run: -p 'pipeline_scheduler_VPP{pp_degree=4 vpp_degree=3 num_micro_batches=5 pp_stage=0}'
// prove: yes
{
    // expect-error E0306: wait for each other in a circle
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
}
// -----
// case: roles and chunks are found first
// run: -p 'complete_op_roles,infer_chunk_ids,pipeline_scheduler_VPP{pp_degree=2 pp_stage=0 vpp_degree=2 num_micro_batches=4}'
// prove: yes
// show: jobs
{
    (%0) = "pd_op.data" () {chunk_id:-1,dtype:float32,name:"x",op_role:-1,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {chunk_id:0,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.tanh" (%1) {chunk_id:-1,op_role:-1} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.tanh" (%2) {chunk_id:0,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.tanh" (%3) {chunk_id:1,op_role:0} : (tensor<2xf32>) -> tensor<2xf32>
    (%5) = "pd_op.tanh_grad" (%4, %4) {chunk_id:1,op_role:1} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
}
// -----
// case: a stage without chunks
// run: -p 'pipeline_scheduler_VPP{pp_degree=2 pp_stage=0 vpp_degree=0 num_micro_batches=4}'
// prove: yes
{
    // expect-error E0301: the number of chunks is 0
    (%0) = "my.make" () {} : () -> tensor<2xf32>
}
// -----
// case: more chunks than any stage has
// run: -p 'pipeline_scheduler_VPP{pp_degree=2 pp_stage=0 vpp_degree=4000000000 num_micro_batches=4}'
// prove: yes
{
    // expect-error E0302
    (%0) = "my.make" () {} : () -> tensor<2xf32>
}
// -----
// case: more jobs than any run has
// run: -p 'pipeline_scheduler_VPP{pp_degree=2 pp_stage=0 vpp_degree=2 num_micro_batches=4000000000}'
// prove: yes
{
    // expect-error E0303
    (%0) = "my.make" () {} : () -> tensor<2xf32>
}
// -----
// case: a split backward where it does not count
// run: -p 'pipeline_scheduler_VPP{pp_degree=2 pp_stage=0 vpp_degree=2 num_micro_batches=4 split_backward=true}'
// prove: yes
// show: diagnostics
{
    (%0) = "pd_op.data" () {chunk_id:0,dtype:float32,name:"x",op_role:0,place:Place(cpu),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
}
