//! The kinds of values and attributes, each with its spelling in the table.

/// The kind of an attribute, as an op declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttrKind {
    /// `true` or `false`.
    Bool,
    /// A 32-bit integer.
    Int32,
    /// A 64-bit integer.
    Int64,
    /// A 32-bit float.
    Float,
    /// A 64-bit float.
    Double,
    /// A string.
    Str,
    /// An element type such as `float32`.
    DataType,
    /// A device, such as `Place(cpu)`.
    Place,
    /// A number of a kind that the program chooses. Paddle rarely stores one as a scalar: `value` of `pd_op.full` is a
    /// double, `bias` of `pd_op.scale` a float.
    Scalar,
    /// A list of 64-bit integers with a type of its own, such as the `shape` of `pd_op.full`.
    IntArray,
    /// The mesh and the placements of a distributed op.
    OpDist,
    /// An array whose elements may be of any kind.
    Array,
    /// An array of `Bool`.
    BoolArray,
    /// An array of `Int32`.
    Int32Array,
    /// An array of `Int64`.
    Int64Array,
    /// An array of `Float`.
    FloatArray,
    /// An array of `Double`.
    DoubleArray,
    /// An array of `Str`.
    StrArray,
    /// An array of `Scalar`: like it, its elements may be stored as doubles.
    ScalarArray,
}

impl AttrKind {
    /// Every kind with its spelling in the table.
    const SPELLINGS: [(Self, &str); 19] = [
        (Self::Bool, "bool"),
        (Self::Int32, "i32"),
        (Self::Int64, "i64"),
        (Self::Float, "f32"),
        (Self::Double, "f64"),
        (Self::Str, "str"),
        (Self::DataType, "dtype"),
        (Self::Place, "place"),
        (Self::Scalar, "scalar"),
        (Self::IntArray, "ints"),
        (Self::OpDist, "dist"),
        (Self::Array, "any[]"),
        (Self::BoolArray, "bool[]"),
        (Self::Int32Array, "i32[]"),
        (Self::Int64Array, "i64[]"),
        (Self::FloatArray, "f32[]"),
        (Self::DoubleArray, "f64[]"),
        (Self::StrArray, "str[]"),
        (Self::ScalarArray, "scalar[]"),
    ];

    pub(super) fn from_spelling(spelling: &str) -> Option<Self> {
        find(&Self::SPELLINGS, spelling)
    }

    /// The spelling of the kind, for tables and messages: `i32`, `str[]`.
    pub fn spelling(self) -> &'static str {
        spell(&Self::SPELLINGS, self)
    }

    /// The kind of the elements of an array, where it is one kind.
    ///
    /// `IntArray` is not an array of attributes: it has no element kind.
    pub fn element(self) -> Option<Self> {
        match self {
            Self::BoolArray => Some(Self::Bool),
            Self::Int32Array => Some(Self::Int32),
            Self::Int64Array => Some(Self::Int64),
            Self::FloatArray => Some(Self::Float),
            Self::DoubleArray => Some(Self::Double),
            Self::StrArray => Some(Self::Str),
            Self::ScalarArray => Some(Self::Scalar),
            _ => None,
        }
    }
}

/// The kind of an operand or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueKind {
    /// A dense tensor; distributed ones count as dense.
    DenseTensor,
    /// A sparse tensor in coordinate form.
    SparseCoo,
    /// A sparse tensor in compressed-row form.
    SparseCsr,
    /// Rows of a tensor: the gradient of an embedding.
    SelectedRows,
    /// A growing list of dense tensors.
    TensorArray,
    /// A number that used to be an attribute and is passed as a value (a *mutable attribute*).
    Scalar,
    /// A list of integers that used to be an attribute and is passed as a value (a *mutable attribute*).
    IntArray,
    /// Not said, or of any type.
    Any,
}

impl ValueKind {
    /// Every kind with its spelling in the table, where a dense tensor is left out.
    const SPELLINGS: [(Self, &str); 8] = [
        (Self::DenseTensor, "dense"),
        (Self::SparseCoo, "coo"),
        (Self::SparseCsr, "csr"),
        (Self::SelectedRows, "rows"),
        (Self::TensorArray, "array"),
        (Self::Scalar, "scalar"),
        (Self::IntArray, "ints"),
        (Self::Any, "any"),
    ];

    pub(super) fn from_spelling(spelling: &str) -> Option<Self> {
        find(&Self::SPELLINGS, spelling)
    }

    /// The spelling of the kind, for tables and messages: `dense`, `rows`.
    pub fn spelling(self) -> &'static str {
        spell(&Self::SPELLINGS, self)
    }
}

/// How many SSA values stand in the place of one declared operand or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Multiplicity {
    /// One value.
    One,
    /// One value of vector type, which `builtin.combine` makes from several and `builtin.split` takes apart.
    Vector,
    /// Any number of values, none included. Only the last operand and the last result can be so.
    Variadic,
}

fn find<K: Copy>(spellings: &[(K, &str)], spelling: &str) -> Option<K> {
    spellings.iter().find(|(_, text)| *text == spelling).map(|(kind, _)| *kind)
}

fn spell<K: Copy + PartialEq>(spellings: &[(K, &'static str)], kind: K) -> &'static str {
    let row = spellings.iter().find(|(candidate, _)| *candidate == kind);
    row.expect("every kind has a spelling").1
}
