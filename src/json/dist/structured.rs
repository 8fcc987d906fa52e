//! The form in JSON.
//!
//! ```text
//! 4.a_process_mesh  [shape, process ids, dim names]
//! 4.a_tensor_dist   [mesh, dims mapping, [[axis, reduce type], ...]]
//! 4.a_op_dist       [mesh, [of each operand], [of each result], chunk id]
//! ```

use super::{Entry, Mesh, OpSpread, Reduce, Spread};
use crate::json::codes::NULL;
use crate::json::document::{Document, Json};
use crate::json::fault::{Fault, ReadError};
use crate::json::write::{Emitter, Layout};

const MESH: &str = "4.a_process_mesh";
const SPREAD: &str = "4.a_tensor_dist";
pub(in crate::json) const OP_SPREAD: &str = "4.a_op_dist";
const ARRAY: &str = "0.a_array";

/// How deep vectors of vectors may nest.
const DEPTH: usize = 8;

/// The code and the data of an attribute.
fn coded(json: Json<'_>) -> Result<(String, Option<Json<'_>>), Fault> {
    let mut parts = (None, None);
    for (key, value) in json.entries()? {
        match &*key.text()? {
            "#" => parts.0 = Some(value.text()?.into_owned()),
            "D" => parts.1 = Some(value),
            _ => {}
        }
    }
    let code = parts.0.ok_or_else(|| json.fault(ReadError::Missing { key: "#" }))?;
    Ok((code, parts.1))
}

fn data<'d>(json: Json<'d>, code: &str) -> Result<Json<'d>, Fault> {
    let (found, data) = coded(json)?;
    if found != code {
        return Err(
            json.fault(ReadError::BadWord { expected: "a mesh or what is spread over one", found })
        );
    }
    data.ok_or_else(|| json.fault(ReadError::Missing { key: "D" }))
}

/// # Reading
impl Mesh {
    fn from_json(json: Json<'_>) -> Result<Self, Fault> {
        let [shape, processes, names] =
            data(json, MESH)?.list_of("`[shape, process ids, dim names]`")?;
        let names = names.list()?.map(|name| Ok(name.text()?.into_owned()));
        let names = names.collect::<Result<_, Fault>>()?;
        Ok(Self { shape: shape.integers()?, processes: processes.integers()?, names })
    }
}

impl Spread {
    pub(in crate::json) fn from_json(json: Json<'_>) -> Result<Self, Fault> {
        let [mesh, dims_mapping, partial] =
            data(json, SPREAD)?.list_of("`[mesh, dims mapping, partial axes]`")?;
        let partial = partial.list()?.map(|pair| {
            let [axis, reduce] = pair.list_of("`[axis, reduce type]`")?;
            Ok((axis.integer()?, Reduce::from_json(reduce)?))
        });
        Ok(Self {
            mesh: Mesh::from_json(mesh)?,
            dims_mapping: dims_mapping.integers()?,
            partial: partial.collect::<Result<_, Fault>>()?,
        })
    }
}

impl OpSpread {
    pub(in crate::json) fn from_json(json: Json<'_>) -> Result<Self, Fault> {
        let [mesh, operands, results, chunk] =
            data(json, OP_SPREAD)?.list_of("`[mesh, operands, results, chunk id]`")?;
        let entries = |json: Json<'_>| {
            json.list()?.map(|entry| Entry::from_json(entry, 0)).collect::<Result<_, Fault>>()
        };
        Ok(Self {
            mesh: Mesh::from_json(mesh)?,
            operands: entries(operands)?,
            results: entries(results)?,
            chunk: chunk.integer()?,
        })
    }
}

impl Entry {
    fn from_json(json: Json<'_>, depth: usize) -> Result<Self, Fault> {
        if depth > DEPTH {
            return Err(json.fault(ReadError::DeepValue { limit: DEPTH }));
        }
        let (code, data) = coded(json)?;
        match (&*code, data) {
            (NULL, _) => Ok(Self::Null),
            (ARRAY, Some(data)) => {
                let entries = data.list()?.map(|entry| Self::from_json(entry, depth + 1));
                Ok(Self::List(entries.collect::<Result<_, Fault>>()?))
            }
            _ => Ok(Self::Tensor(Spread::from_json(json)?)),
        }
    }
}

/// # Writing
impl Mesh {
    fn write(&self, out: &mut Emitter) {
        out.open_coded(MESH);
        out.key("D");
        out.open_list();
        out.item();
        out.integers(&self.shape);
        out.item();
        out.integers(&self.processes);
        out.item();
        out.strings(&self.names);
        out.close_list();
        out.close_object();
    }
}

impl Spread {
    pub(in crate::json) fn write(&self, out: &mut Emitter) {
        out.open_coded(SPREAD);
        out.key("D");
        out.open_list();
        out.item();
        self.mesh.write(out);
        out.item();
        out.integers(&self.dims_mapping);
        out.item();
        out.open_list();
        for &(axis, Reduce(reduce)) in &self.partial {
            out.item();
            out.integers(&[axis, reduce as i64]);
        }
        out.close_list();
        out.close_list();
        out.close_object();
    }

    /// The dim names of the mesh and the local dims of a type, as a type keeps them.
    pub(in crate::json) fn local(&self, dims: &[i64]) -> String {
        let mut out = Emitter::new(Layout::Compact);
        out.open_list();
        out.item();
        out.strings(&self.mesh.names);
        out.item();
        out.integers(dims);
        out.close_list();
        out.into_text()
    }

    /// Takes the dim names from what [`local`](Self::local) made; returns the local dims.
    pub(in crate::json) fn take_local(&mut self, local: &str) -> Option<Vec<i64>> {
        let document = Document::parse(local).ok()?;
        let [names, dims] = document.root().list_of("names and dims").ok()?;
        let names = names.list().ok()?.map(|name| Some(name.text().ok()?.into_owned()));
        self.mesh.names = names.collect::<Option<_>>()?;
        dims.integers().ok()
    }
}

impl OpSpread {
    /// Writes the data of the attribute, without the object around it.
    pub(in crate::json) fn write_data(&self, out: &mut Emitter) {
        out.open_list();
        out.item();
        self.mesh.write(out);
        for entries in [&self.operands, &self.results] {
            out.item();
            Entry::write_list(entries, out);
        }
        out.item();
        out.integer(self.chunk);
        out.close_list();
    }
}

impl Entry {
    fn write_list(entries: &[Self], out: &mut Emitter) {
        out.open_list();
        for entry in entries {
            out.item();
            entry.write(out);
        }
        out.close_list();
    }

    fn write(&self, out: &mut Emitter) {
        match self {
            Self::Tensor(spread) => spread.write(out),
            Self::Null => {
                out.open_coded(NULL);
                out.close_object();
            }
            Self::List(entries) => {
                out.open_coded(ARRAY);
                out.key("D");
                Self::write_list(entries, out);
                out.close_object();
            }
        }
    }
}
