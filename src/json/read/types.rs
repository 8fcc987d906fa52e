//! Reading types: `{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[2,3],"NCHW",[],0]}`.

use crate::ir::{DistTensorType, ScalarType, TensorStorage, TensorType, Type, TypeKind};
use crate::json::codes::{self, LOCAL_NOT_SAID, NULL, TYPE_NOT_SAID};
use crate::json::dist::Spread;
use crate::json::document::Json;
use crate::json::fault::{Fault, ReadError};

use super::{DEPTH, Reader};

/// What a tensor type has where nothing was asked for; text takes it for granted.
pub(in crate::json) const USUAL_LAYOUT: &str = "NCHW";

const DENSE: &str = "`[element type, dims, layout, lod, offset]`";

impl<'d> Reader<'d> {
    /// Reads a type; the same text is the same type.
    pub(super) fn ty(&mut self, json: Json<'d>) -> Result<Type, Fault> {
        if let Some(&ty) = self.types.get(json.raw()) {
            return Ok(ty);
        }
        let ty = self.new_type(json, 0)?;
        self.types.insert(json.raw(), ty);
        Ok(ty)
    }

    fn new_type(&mut self, json: Json<'d>, depth: usize) -> Result<Type, Fault> {
        if depth > DEPTH {
            return Err(json.fault(ReadError::DeepValue { limit: DEPTH }));
        }
        let coded = self.coded(json)?;
        let kind = match &*coded.code {
            NULL if coded.says(TYPE_NOT_SAID) => TypeKind::Unknown,
            NULL => TypeKind::Null,
            "2.t_stack" => TypeKind::Stack,
            "2.t_inlet" => TypeKind::Inlet,
            "2.t_outlet" => TypeKind::Outlet,
            "0.t_dtensor" => TypeKind::Tensor(self.dense(coded.data()?)?),
            "1.t_selected_rows" => TypeKind::SelectedRows(self.dense(coded.data()?)?),
            "1.t_dense_tensor_array" => TypeKind::TensorArray(self.tensor_array(coded.data()?)?),
            "4.t_dist_dtensor" => {
                TypeKind::Dist(self.dist_tensor(coded.data()?, coded.says(LOCAL_NOT_SAID))?)
            }
            "0.t_vec" => {
                let elements =
                    coded.data()?.list()?.map(|element| self.new_type(element, depth + 1));
                TypeKind::Vec(elements.collect::<Result<_, Fault>>()?)
            }
            code => match codes::scalar_type(code) {
                Some(scalar) => TypeKind::Scalar(scalar),
                None => return self.foreign_type(json, code, coded.data),
            },
        };
        Ok(self.context.ty(kind))
    }

    fn element_type(&mut self, json: Json<'d>) -> Result<ScalarType, Fault> {
        let code = self.coded(json)?.code;
        codes::scalar_type(&code).ok_or_else(|| {
            let expected = "the code of an element type, such as `0.t_f32`";
            json.fault(ReadError::BadWord { expected, found: code.into_owned() })
        })
    }

    fn dense(&mut self, data: Json<'d>) -> Result<TensorType, Fault> {
        let [element, dims, layout, lod, offset] = data.list_of(DENSE)?;
        let storage = TensorStorage {
            layout: layout.text()?.into(),
            lod: lod.list()?.map(level).collect::<Result<_, Fault>>()?,
            offset: unsigned(offset)?,
        };
        let is_usual =
            &*storage.layout == USUAL_LAYOUT && storage.lod.is_empty() && storage.offset == 0;
        Ok(TensorType {
            dims: dims.integers()?.into(),
            element: self.element_type(element)?,
            storage: (!is_usual).then(|| Box::new(storage)),
        })
    }

    fn tensor_array(&mut self, data: Json<'d>) -> Result<TensorType, Fault> {
        let [element, dims, layout] = data.list_of("`[element type, dims, layout]`")?;
        let layout = layout.text()?;
        let storage = || TensorStorage { layout: (&*layout).into(), lod: [].into(), offset: 0 };
        Ok(TensorType {
            dims: dims.integers()?.into(),
            element: self.element_type(element)?,
            storage: (layout != USUAL_LAYOUT).then(|| Box::new(storage())),
        })
    }

    fn dist_tensor(&mut self, data: Json<'d>, is_made_up: bool) -> Result<DistTensorType, Fault> {
        let [global, spread, local] = data.list_of("`[global tensor, spread, local dims]`")?;
        let global = self.coded(global)?;
        let spread = Spread::from_json(spread)?;
        let local = local.integers()?;
        Ok(DistTensorType {
            global: self.dense(global.data()?)?,
            placement: spread.to_string().into(),
            local: (!is_made_up).then(|| spread.local(&local).into()),
        })
    }

    /// A type whose parts have no place in the IR is kept as it stands, and spelled as Paddle
    /// prints it where that is known.
    fn foreign_type(
        &mut self,
        json: Json<'d>,
        code: &str,
        data: Option<Json<'d>>,
    ) -> Result<Type, Fault> {
        let spelling = match code {
            "1.t_sparse_coo_tensor" => {
                let data = data.ok_or_else(|| json.fault(ReadError::Missing { key: "D" }))?;
                let expected = "`[element type, dims, non-zero dims, layout, indices, elements]`";
                let [element, dims, ..] = data.list_of::<6>(expected)?;
                let tensor = TensorType::new(dims.integers()?, self.element_type(element)?);
                crate::text::type_text(self.context, self.context.ty(TypeKind::SparseCoo(tensor)))
            }
            "1.t_sparse_csr_tensor" => "pd_op.".to_owned(),
            _ => {
                self.warn_of_foreign(json, code);
                code.to_owned()
            }
        };
        let kind = TypeKind::Opaque(json.compact().into());
        Ok(self.context.ty_spelled(kind, spelling.as_bytes()))
    }
}

fn level(json: Json<'_>) -> Result<Box<[u64]>, Fault> {
    json.list()?.map(unsigned).collect()
}

fn unsigned(json: Json<'_>) -> Result<u64, Fault> {
    let error = ReadError::OutOfRange { kind: "an unsigned 64-bit integer" };
    u64::try_from(json.integer()?).map_err(|_| json.fault(error))
}
