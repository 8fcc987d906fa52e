//! What running an op takes to know, found once for each name of an op, type and dictionary.

use std::rc::Rc;
use std::sync::Arc;

use hashbrown::HashMap;
use pirogue::dialect::{Effect, OpFacts};
use pirogue::ir::{Context, Dict, Name, Type, TypeKind, names};
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

/// How an op is run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Gives results for operands; all that follows is about such ops.
    Plain,
    /// Adds to its first operand, in place.
    AddInPlace,
    Reshape,
    Matmul,
    MatmulGrad,
    Sum,
    Data,
    Parameter,
    ShadowOutput,
    SetParameter,
    Combine,
    Split,
    Slice,
    If,
    While,
    PyLayer,
    StackCreate,
    TuplePush,
    TuplePop,
    Yield,
}

/// What is known of all ops of a name.
#[derive(Debug)]
pub(crate) struct OpClass {
    pub(crate) kind: Kind,
    facts: Option<&'static OpFacts>,
    /// Result and operand of each pair that is one cell.
    pub(crate) aliases: SmallVec<[(u32, u32); 2]>,
    /// Whether all operands are read, not only their shapes.
    needs_all: bool,
    pub(crate) is_random: bool,
    /// Whether other ranks or the world see that it runs.
    pub(crate) has_effect: bool,
    pub(crate) is_known: bool,
}

impl OpClass {
    fn of(context: &Context, name: Name) -> Self {
        let text = context.name_text(name);
        let facts = context.facts(name);
        let kind = kind(name, text);
        let is_described = facts.is_some_and(OpFacts::is_described);
        let shares_unsaid =
            Effect::UndeclaredAlias.applies_to(text) && !matches!(kind, Kind::Combine);
        let is_known = (kind != Kind::Plain || is_described || text.starts_with("cf."))
            && (!shares_unsaid || facts.is_some_and(|facts| facts.aliases().next().is_some()));
        let mut aliases: SmallVec<[(u32, u32); 2]> = facts
            .into_iter()
            .flat_map(OpFacts::aliases)
            .map(|pair| (pair.result as u32, pair.operand as u32))
            .collect();
        if !is_known && aliases.is_empty() && text.ends_with('_') {
            aliases.push((0, 0));
        }
        let reaches_out = Effect::Communication.applies_to(text)
            || Effect::Host.applies_to(text)
            || text == "pd_op.fetch"
            || !is_known;
        Self {
            kind,
            facts,
            aliases,
            needs_all: facts
                .is_none_or(|facts| facts.operands.iter().all(|operand| !operand.no_need_buffer)),
            is_random: Effect::Random.applies_to(text),
            has_effect: kind == Kind::Plain && reaches_out,
            is_known,
        }
    }

    /// Whether the op reads the operand, and not only its shape.
    pub(crate) fn needs_buffer(&self, operand: usize) -> bool {
        self.needs_all || self.facts.is_none_or(|facts| facts.needs_buffer(operand))
    }
}

fn kind(name: Name, text: &str) -> Kind {
    match name {
        names::ADD_INPLACE => Kind::AddInPlace,
        names::RESHAPE => Kind::Reshape,
        names::MATMUL => Kind::Matmul,
        names::MATMUL_GRAD => Kind::MatmulGrad,
        names::SUM => Kind::Sum,
        names::DATA => Kind::Data,
        names::PARAMETER => Kind::Parameter,
        names::SHADOW_OUTPUT => Kind::ShadowOutput,
        names::SET_PARAMETER => Kind::SetParameter,
        names::COMBINE => Kind::Combine,
        names::SPLIT => Kind::Split,
        names::SLICE => Kind::Slice,
        names::IF => Kind::If,
        names::WHILE => Kind::While,
        names::PYLAYER => Kind::PyLayer,
        names::STACK_CREATE => Kind::StackCreate,
        names::TUPLE_PUSH => Kind::TuplePush,
        names::TUPLE_POP => Kind::TuplePop,
        names::YIELD => Kind::Yield,
        _ if text == "pd_op.feed" => Kind::Data,
        _ => Kind::Plain,
    }
}

/// What a type is as a result.
#[derive(Debug)]
pub(crate) struct TypeShape {
    /// The type in its plain spelling.
    pub(crate) plain: Type,
    /// The types of the elements of a list.
    pub(crate) elements: Option<Box<[Type]>>,
    /// Whether a value of it can go from program to program.
    pub(crate) can_cross: bool,
}

/// Attributes that say where, when and for whom, not what.
const IGNORED: &[&str] = &[
    "op_role",
    "chunk_id",
    "stop_gradient",
    "struct_name",
    "persistable",
    "grad_merge_add",
    "execution_stream",
    "scheduling_priority",
    "force_record_event",
    "event_to_record",
    "events_to_wait",
    "op_dist_attr",
    "op_namescope",
    "op_callstack",
    "sym_shape_str",
    "is_distributed",
    "is_parameter",
    "need_clip",
    "trainable",
];

/// What a split rewrites on the ops that talk to one other rank.
const IGNORED_BETWEEN_TWO: [Name; 2] = [names::DYNAMIC_SHAPE, names::USE_CALC_STREAM];

type FxMap<K, V> = HashMap<K, V, FxBuildHasher>;

/// The knowledge of one context.
pub(crate) struct Knowledge {
    context: Arc<Context>,
    ignored: Vec<Name>,
    class_of: FxMap<Name, usize>,
    classes: Vec<Rc<OpClass>>,
    shapes: Vec<Option<Rc<TypeShape>>>,
    attrs: FxMap<(Dict, bool), Dict>,
}

impl Knowledge {
    pub(crate) fn new(context: &Arc<Context>) -> Self {
        let ignored = IGNORED.iter().map(|name| context.name(name)).collect();
        Self {
            context: Arc::clone(context),
            ignored,
            class_of: FxMap::default(),
            classes: Vec::new(),
            shapes: Vec::new(),
            attrs: FxMap::default(),
        }
    }

    pub(crate) fn class(&mut self, name: Name) -> Rc<OpClass> {
        if let Some(&class) = self.class_of.get(&name) {
            return Rc::clone(&self.classes[class]);
        }
        let class = Rc::new(OpClass::of(&self.context, name));
        self.class_of.insert(name, self.classes.len());
        self.classes.push(Rc::clone(&class));
        class
    }

    pub(crate) fn shape(&mut self, ty: Type) -> &Rc<TypeShape> {
        let index = ty.index();
        if self.shapes.len() <= index {
            self.shapes.resize(index + 1, None);
        }
        let context = &self.context;
        self.shapes[index].get_or_insert_with(|| Rc::new(type_shape(context, ty)))
    }

    /// The attributes that say what an op of this name does.
    pub(crate) fn attrs(&mut self, name: Name, dict: Dict) -> Dict {
        let between_two = matches!(name, names::SEND_V2 | names::RECV_V2);
        let (context, ignored) = (&self.context, &self.ignored);
        *self.attrs.entry((dict, between_two)).or_insert_with(|| {
            let entries = context.dict_entries(context.plain_dict(dict)).iter().copied();
            let counts = |name: &Name| {
                !(ignored.contains(name) || between_two && IGNORED_BETWEEN_TWO.contains(name))
            };
            context.dict(entries.filter(|(name, _)| counts(name)))
        })
    }
}

fn type_shape(context: &Context, ty: Type) -> TypeShape {
    let kind = context.type_kind(ty);
    let elements = match kind {
        TypeKind::Vec(elements) => Some(elements.clone()),
        _ => None,
    };
    let can_cross =
        !matches!(kind, TypeKind::Vec(_) | TypeKind::Stack | TypeKind::Inlet | TypeKind::Outlet);
    let plain = if context.type_spelling(ty).is_some() { context.ty(kind.clone()) } else { ty };
    TypeShape { plain, elements, can_cross }
}
