//! The chunks in order, one op or a few for each decision.

use std::sync::Arc;

use pirogue::ir::{Context, Program, Rewriter, Type, names};

use super::attrs;
use super::builder::{Builder, Parameter, Section};
use super::{Recipe, Step};

/// The ops a decision can choose. The first is the plainest.
#[derive(Copy, Clone)]
pub(super) enum Action {
    Unary,
    Binary,
    Product,
    AddBias,
    LayerNorm,
    Dropout,
    InPlace,
    Constant,
    Data,
    Custom,
    Shadow,
    Send,
    Receive,
    Gather,
    Unpack,
    OpenList,
    ReadList,
    Branch,
    Loop,
    ProductGradient,
    BiasGradient,
    NormGradient,
    Merge,
    MergeShared,
    Update,
    Scale,
}

use Action as A;

const FORWARD: [Action; 24] = [
    A::Unary,
    A::Binary,
    A::Product,
    A::Product,
    A::AddBias,
    A::LayerNorm,
    A::Dropout,
    A::InPlace,
    A::Constant,
    A::Data,
    A::Custom,
    A::Shadow,
    A::Send,
    A::Receive,
    A::Gather,
    A::Unpack,
    A::OpenList,
    A::ReadList,
    A::Branch,
    A::Loop,
    A::Unary,
    A::Binary,
    A::Binary,
    A::Product,
];

const BACKWARD: [Action; 24] = [
    A::Unary,
    A::Binary,
    A::ProductGradient,
    A::Merge,
    A::BiasGradient,
    A::NormGradient,
    A::MergeShared,
    A::InPlace,
    A::Constant,
    A::Custom,
    A::Shadow,
    A::Send,
    A::Receive,
    A::Gather,
    A::Unpack,
    A::OpenList,
    A::ReadList,
    A::Branch,
    A::Loop,
    A::ProductGradient,
    A::Merge,
    A::Merge,
    A::Binary,
    A::ProductGradient,
];

const OPTIMIZER: [Action; 12] = [
    A::Unary,
    A::Update,
    A::Scale,
    A::Update,
    A::Update,
    A::Constant,
    A::Custom,
    A::Shadow,
    A::Binary,
    A::Branch,
    A::ReadList,
    A::Update,
];

/// Makes the program of a recipe.
pub(super) fn follow(recipe: &Recipe, context: &Arc<Context>) -> Program {
    let mut builder = Builder::new(recipe, context);
    builder.beginning();
    builder.forward();
    builder.backward();
    builder.optimizer();
    builder.forget_unused_kwargs();
    builder.program
}

impl Builder<'_> {
    /// The learning rate and the parameters, as Paddle puts them in front.
    fn beginning(&mut self) {
        for (index, &chunk) in self.recipe.parameters.iter().enumerate() {
            self.enter(0, i32::from(chunk % self.recipe.chunks));
            let (ty, letter) =
                if index % 3 == 2 { (self.types.bias, 'b') } else { (self.types.weight, 'w') };
            let name = format!("linear_{index}.{letter}_0");
            let yes = || attrs::flags(&self.context, true, 1);
            let attrs = [
                ("is_distributed", attrs::flags(&self.context, false, 1)),
                ("is_parameter", yes()),
                ("need_clip", yes()),
                ("parameter_name", attrs::text(&name)),
                ("persistable", yes()),
                ("stop_gradient", attrs::flags(&self.context, false, 1)),
                ("trainable", yes()),
            ];
            let value = self.op_with_result("builtin.parameter", &[], ty, &attrs);
            self.offer(value);
            let merged = self.kwarg(&format!("{name}@GRAD@MERGE"), ty);
            self.parameters.push(Parameter { value, merged, ty });
        }
    }

    fn kwarg(&mut self, keyword: &str, ty: Type) -> pirogue::ir::Value {
        let context = &self.context;
        let persistable = (names::PERSISTABLE, context.attr(attrs::flag(true)));
        let place =
            (names::PLACE, context.attr(pirogue::ir::AttrValue::Place(pirogue::ir::Place::cpu())));
        let attrs = context.dict_in_order([place, persistable]);
        let (top, keyword) = (self.program.top(), context.name(keyword));
        let kwarg = Rewriter::new(&mut self.program).add_kwarg(top, keyword, ty, attrs);
        kwarg.expect("parameters differ in name")
    }

    fn forward(&mut self) {
        let recipe = self.recipe;
        for chunk in 0..recipe.chunks {
            self.enter(0, chunk.into());
            self.receive(0);
            for &step in steps_of(&recipe.forward, chunk, recipe.chunks) {
                // Some ops stand among those of the chunk before theirs.
                let ahead = chunk + u16::from(step.twist % 32 == 9);
                self.enter(0, ahead.min(recipe.chunks - 1).into());
                self.perform(FORWARD[usize::from(step.action) % FORWARD.len()], step);
            }
            self.enter(0, chunk.into());
            self.send(0);
        }
    }

    fn backward(&mut self) {
        let recipe = self.recipe;
        for turn in 0..recipe.chunks {
            let chunk = recipe.chunks - 1 - turn;
            self.enter(1, chunk.into());
            self.receive(0);
            for &step in steps_of(&recipe.backward, turn, recipe.chunks) {
                let ahead = chunk.saturating_sub(u16::from(step.twist % 32 == 9));
                self.enter(1, ahead.into());
                self.perform(BACKWARD[usize::from(step.action) % BACKWARD.len()], step);
            }
            self.enter(1, chunk.into());
            self.send(0);
        }
    }

    fn optimizer(&mut self) {
        let recipe = self.recipe;
        for &step in &recipe.optimizer {
            self.enter(2, -1);
            self.perform(OPTIMIZER[usize::from(step.action) % OPTIMIZER.len()], step);
        }
    }

    fn enter(&mut self, role: i32, chunk: i32) {
        let chunks = u32::from(self.recipe.chunks);
        let turn = u32::try_from(chunk).unwrap_or(0);
        let rank = match role {
            0 => turn,
            1 => chunks + (chunks - 1 - turn),
            _ => 2 * chunks,
        };
        self.section = Section { role, chunk, rank };
        self.twist = 0;
    }

    fn perform(&mut self, action: Action, step: Step) {
        self.begin(step);
        let [a, b] = step.picks;
        match action {
            A::Unary => self.unary(a),
            A::Binary => self.binary(a, b),
            A::Product => self.product(a, b),
            A::AddBias => self.add_bias(a, b),
            A::LayerNorm => self.layer_norm(a, b),
            A::Dropout => self.dropout(a),
            A::InPlace => self.in_place(a),
            A::Constant => self.some_constant(a),
            A::Data => self.data(a),
            A::Custom => self.custom(a, b),
            A::Shadow => self.shadow(a),
            A::Send => self.send(a),
            A::Receive => self.receive(a),
            A::Gather => self.gather(a, b),
            A::Unpack => self.unpack(a),
            A::OpenList => self.open_list(a, b),
            A::ReadList => self.read_list(a),
            A::Branch => self.branch(a, b),
            A::Loop => self.repeat(a, b),
            A::ProductGradient => self.product_gradient(a, b),
            A::BiasGradient => self.bias_gradient(a, b),
            A::NormGradient => self.norm_gradient(a, b),
            A::Merge => self.merge(a, b),
            A::MergeShared => self.merge_shared(a, b),
            A::Update => self.update(a),
            A::Scale => self.scale_merged(a),
        }
    }

    /// Text does not say the type of a kwarg that no op reads.
    fn forget_unused_kwargs(&mut self) {
        for parameter in std::mem::take(&mut self.parameters) {
            if self.program.is_unused(parameter.merged) {
                Rewriter::new(&mut self.program).set_type(parameter.merged, Type::UNKNOWN);
            }
        }
    }
}

/// The steps of one of `turns` turns.
fn steps_of(steps: &[Step], turn: u16, turns: u16) -> &[Step] {
    let bound = |turn: u16| usize::from(turn) * steps.len() / usize::from(turns);
    &steps[bound(turn)..bound(turn + 1)]
}
