//! The same program in another context.
//!
//! A handle means something in its own context only, so two programs of two contexts are compared,
//! merged or printed side by side after one is imported. Ids of ops, values, blocks and regions
//! stay as they are, and so do origins and spellings; the use index is left behind, as by a clone.
//!
//! ```
//! use pirogue::ir::{Context, compare, import};
//! # use pirogue::ir::Program;
//! # let program = Program::new(&Context::new());
//! let other = Context::new();
//! let imported = import(&program, &other);
//! assert!(std::sync::Arc::ptr_eq(imported.context(), &other));
//! assert_eq!(compare(&program, &imported), Ok(()));
//! ```

use std::sync::{Arc, OnceLock};

use super::program::{BlockRow, OpRow, ValueRow};
use super::{
    Attr, AttrValue, BlockArgument, Context, Dict, Name, Program, Type, TypeKind, ValueDef,
};

/// The same program with all handles of `context`. Nothing is interned twice: a handle is looked up
/// once.
pub fn import(program: &Program, context: &Arc<Context>) -> Program {
    if Arc::ptr_eq(&program.context, context) {
        return program.clone();
    }
    let mut handles = Handles::new(&program.context, context);
    Program {
        context: Arc::clone(context),
        ops: program.ops.iter().map(|row| handles.op_row(row)).collect(),
        values: program.values.iter().map(|row| handles.value_row(row)).collect(),
        blocks: program.blocks.iter().map(|row| handles.block_row(row)).collect(),
        roles: program.roles.clone(),
        chunks: program.chunks.clone(),
        operands: program.operands.clone(),
        regions: program.regions.clone(),
        op_regions: program.op_regions.clone(),
        live_ops: program.live_ops,
        origins: Arc::clone(&program.origins),
        uses: OnceLock::new(),
        edits: program.edits,
    }
}

/// From the handles of one context to those of another, by index.
struct Handles<'c> {
    source: &'c Context,
    target: &'c Context,
    names: Vec<Option<Name>>,
    types: Vec<Option<Type>>,
    attrs: Vec<Option<Attr>>,
    dicts: Vec<Option<Dict>>,
}

/// # Rows
impl<'c> Handles<'c> {
    fn new(source: &'c Context, target: &'c Context) -> Self {
        let (names, types, attrs, dicts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { source, target, names, types, attrs, dicts }
    }

    fn op_row(&mut self, row: &OpRow) -> OpRow {
        OpRow { name: self.name(row.name), dict: self.dict(row.dict), ..row.clone() }
    }

    fn value_row(&mut self, row: &ValueRow) -> ValueRow {
        let def = match row.def {
            ValueDef::Kwarg { block, keyword } => {
                ValueDef::Kwarg { block, keyword: self.name(keyword) }
            }
            def => def,
        };
        ValueRow { def, ty: self.ty(row.ty) }
    }

    fn block_row(&mut self, row: &BlockRow) -> BlockRow {
        let arguments = row.arguments.iter().map(|&argument| self.argument(argument)).collect();
        let kwargs = row
            .kwargs
            .iter()
            .map(|(&keyword, &it)| (self.name(keyword), self.argument(it)))
            .collect();
        BlockRow { arguments, kwargs, ..*row }
    }

    fn argument(&mut self, argument: BlockArgument) -> BlockArgument {
        BlockArgument { attrs: self.dict(argument.attrs), ..argument }
    }
}

/// # Handles
///
/// Types and attributes nest; they were read or built from the inside out, and readers bound how
/// deep.
impl Handles<'_> {
    fn name(&mut self, name: Name) -> Name {
        let (source, target) = (self.source, self.target);
        *cell(&mut self.names, name.index())
            .get_or_insert_with(|| target.name(source.name_text(name)))
    }

    fn ty(&mut self, ty: Type) -> Type {
        if let Some(known) = *cell(&mut self.types, ty.index()) {
            return known;
        }
        let kind = match self.source.type_kind(ty) {
            TypeKind::Vec(elements) => {
                TypeKind::Vec(elements.iter().map(|&ty| self.ty(ty)).collect())
            }
            kind => kind.clone(),
        };
        let imported = match self.source.type_spelling(ty) {
            Some(spelling) => self.target.ty_spelled(kind, spelling),
            None => self.target.ty(kind),
        };
        *cell(&mut self.types, ty.index()).insert(imported)
    }

    fn attr(&mut self, attr: Attr) -> Attr {
        if let Some(known) = *cell(&mut self.attrs, attr.index()) {
            return known;
        }
        let value = match self.source.attr_value(attr) {
            AttrValue::Array(elements) => {
                AttrValue::Array(elements.iter().map(|&attr| self.attr(attr)).collect())
            }
            AttrValue::Type(ty) => AttrValue::Type(self.ty(*ty)),
            value => value.clone(),
        };
        let imported = match self.source.attr_spelling(attr) {
            Some(spelling) => self.target.attr_spelled(value, spelling),
            None => self.target.attr(value),
        };
        *cell(&mut self.attrs, attr.index()).insert(imported)
    }

    /// Entries keep their order: those of ops are sorted by name, which is the same in every
    /// context.
    fn dict(&mut self, dict: Dict) -> Dict {
        if let Some(known) = *cell(&mut self.dicts, dict.index()) {
            return known;
        }
        let entries = self.source.dict_entries(dict).iter();
        let entries: Vec<_> =
            entries.map(|&(name, attr)| (self.name(name), self.attr(attr))).collect();
        let imported = self.target.dict_in_order(entries);
        *cell(&mut self.dicts, dict.index()).insert(imported)
    }
}

/// The cell of an index in a table that grows as needed.
fn cell<T: Copy>(table: &mut Vec<Option<T>>, index: usize) -> &mut Option<T> {
    if table.len() <= index {
        table.resize(index + 1, None);
    }
    &mut table[index]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{ScalarType, TensorType, compare, names};
    use crate::text;

    const SOURCE: &str = "{
    ^kw:
        %kwarg_w {persistable:true,place:Place(cpu)}
    (%0) = \"pd_op.relu\" (%kwarg_w) {chunk_id:1,op_role:0,shape:[(Int32)1,[2,\\\"a\\\"]],stop_gradient:[false],t:tensor<2xf32>} : (tensor<2xf32>) -> tensor<2xf32>
    (%1) = \"builtin.combine\" (%0, %kwarg_w) {stop_gradient:[true]} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%2) = \"pd_op.if\" (%0) {stop_gradient:[false]} -> tensor<2xf32> {
        () = \"cf.yield\" (%0) {} : (tensor<2xf32>) -> 
    } else {
        () = \"cf.yield\" (%0) {} : (tensor<2xf32>) -> 
    }
}
";

    fn read(context: &Arc<Context>) -> Program {
        let source = SOURCE.replace("\\\"", "\"");
        let read = text::read_program(context, "a.pir", source.as_bytes());
        read.unwrap_or_else(|errors| panic!("{}", errors[0])).program
    }

    /// A context whose handles are not those of a new one.
    fn busy_context() -> Arc<Context> {
        let context = Context::new();
        context.ty(TypeKind::Tensor(TensorType::new([7], ScalarType::I8)));
        let name = context.name("busy");
        context.dict([(name, context.attr(AttrValue::Bool(true)))]);
        context
    }

    #[test]
    fn an_imported_program_prints_the_same_bytes() {
        let program = read(&Context::new());
        let imported = import(&program, &busy_context());
        assert_eq!(text::to_text(&imported), text::to_text(&program));
        assert_eq!(imported.op_count(), 5);
    }

    #[test]
    fn an_imported_program_is_the_one_that_reading_it_there_gives() {
        let program = read(&Context::new());
        let other = busy_context();
        let there = read(&other);
        let imported = import(&program, &other);
        // Of one context, so that equal means equal handles; nested types and attributes included.
        assert_eq!(compare(&imported, &there), Ok(()));
        let combine = imported.top_ops().nth(1).unwrap();
        let vector = imported.result(combine, 0);
        assert_eq!(imported.ty(vector), there.ty(vector));
        let relu = imported.top_ops().next().unwrap();
        assert_eq!(imported.dict(relu), there.dict(relu));
    }

    #[test]
    fn known_names_and_origins_stay() {
        let program = read(&Context::new());
        let imported = import(&program, &busy_context());
        let ops: Vec<_> = imported.top_ops().collect();
        assert_eq!(imported.name(ops[1]), names::COMBINE);
        assert_eq!(imported.name(ops[2]), names::IF);
        assert_eq!(imported.role(ops[0]), Some(0));
        assert_eq!(imported.origin(ops[1]), program.origin(ops[1]));
        assert!(Arc::ptr_eq(imported.origins(), program.origins()));
    }

    #[test]
    fn an_import_into_the_own_context_is_a_clone() {
        let program = read(&Context::new());
        let imported = import(&program, program.context());
        assert_eq!(text::to_text(&imported), text::to_text(&program));
    }
}
