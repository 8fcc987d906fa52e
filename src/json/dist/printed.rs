//! The printed form.
//!
//! ```text
//! mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,0], partial(0,SUM), placements:[Shard(dim=1)]
//! {mesh:{shape:[2],process_ids:[0,1]},operand(0):{...},result(0):{[...,...]},chunk_id:0}
//! ```

use std::fmt::{self, Write};

use super::{Entry, Mesh, OpSpread, Reduce, Spread};

/// # Printing
impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("mesh_shape:")?;
        integers(f, &self.mesh.shape)?;
        f.write_str(",process_ids:")?;
        integers(f, &self.mesh.processes)?;
        f.write_str(",dims_mappings:")?;
        integers(f, &self.dims_mapping)?;
        // The axes stand in order here, whatever their order in JSON, which has a hash map's.
        let mut partial = self.partial.clone();
        partial.sort_by_key(|&(axis, _)| axis);
        for (index, (axis, reduce)) in partial.iter().enumerate() {
            let comma = if index == 0 { ", " } else { "," };
            write!(f, "{comma}partial({axis},{})", reduce.name())?;
        }
        for axis in 0..self.mesh.shape.len() {
            f.write_str(if axis == 0 { ", placements:[" } else { ", " })?;
            self.placement(f, axis as i64)?;
        }
        f.write_str(if self.mesh.shape.is_empty() { "" } else { "]" })
    }
}

impl Spread {
    fn placement(&self, f: &mut fmt::Formatter<'_>, axis: i64) -> fmt::Result {
        let reduce = self.partial.iter().find(|(partial, _)| *partial == axis);
        let split = self.dims_mapping.iter().position(|&mapped| mapped == axis);
        match (reduce, split) {
            (Some((_, reduce)), _) => write!(f, "Partial(reduce_type={})", reduce.name()),
            (None, Some(dim)) => write!(f, "Shard(dim={dim})"),
            (None, None) => f.write_str("Replicate()"),
        }
    }
}

impl fmt::Display for OpSpread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{mesh:{shape:")?;
        integers(f, &self.mesh.shape)?;
        f.write_str(",process_ids:")?;
        integers(f, &self.mesh.processes)?;
        f.write_str("}")?;
        for (word, entries) in [("operand", &self.operands), ("result", &self.results)] {
            for (index, entry) in entries.iter().enumerate() {
                write!(f, ",{word}({index}):{{{entry}}}")?;
            }
        }
        write!(f, ",chunk_id:{}}}", self.chunk)
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("<#AttrNull>"),
            Self::Tensor(spread) => spread.fmt(f),
            Self::List(entries) => {
                f.write_char('[')?;
                for (index, entry) in entries.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { "," })?;
                    entry.fmt(f)?;
                }
                f.write_char(']')
            }
        }
    }
}

fn integers(f: &mut fmt::Formatter<'_>, integers: &[i64]) -> fmt::Result {
    f.write_char('[')?;
    for (index, integer) in integers.iter().enumerate() {
        f.write_str(if index == 0 { "" } else { "," })?;
        write!(f, "{integer}")?;
    }
    f.write_char(']')
}

/// # Reading
impl Spread {
    /// Reads what stands behind the element type of a printed type.
    pub(in crate::json) fn from_printed(text: &str) -> Option<Self> {
        let mut scanner = Scanner { rest: text };
        let spread = scanner.spread()?;
        // What is derived from the rest must agree with it, else it would be lost.
        (scanner.rest.is_empty() && spread.to_string() == text).then_some(spread)
    }
}

impl OpSpread {
    /// Reads a printed `op_dist_attr`.
    pub(in crate::json) fn from_printed(text: &str) -> Option<Self> {
        let spread = Scanner { rest: text }.op_spread()?;
        (spread.to_string() == text).then_some(spread)
    }
}

/// How deep vectors of vectors may nest; Paddle prints vectors of tensors only.
const DEPTH: usize = 8;

struct Scanner<'t> {
    rest: &'t str,
}

impl Scanner<'_> {
    fn op_spread(&mut self) -> Option<OpSpread> {
        self.eat("{mesh:{shape:")?;
        let mesh = self.mesh()?;
        self.eat("}")?;
        let operands = self.entries("operand")?;
        let results = self.entries("result")?;
        self.eat(",chunk_id:")?;
        let chunk = self.integer()?;
        self.eat("}")?;
        self.rest.is_empty().then_some(OpSpread { mesh, operands, results, chunk })
    }

    fn entries(&mut self, word: &str) -> Option<Vec<Entry>> {
        let mut entries = Vec::new();
        while self.eat(&format!(",{word}({}):{{", entries.len())).is_some() {
            entries.push(self.entry(0)?);
            self.eat("}")?;
        }
        Some(entries)
    }

    fn entry(&mut self, depth: usize) -> Option<Entry> {
        if self.eat("<#AttrNull>").is_some() {
            return Some(Entry::Null);
        }
        if self.eat("[").is_none() {
            return self.spread().map(Entry::Tensor);
        }
        let mut entries = Vec::new();
        while depth < DEPTH && self.eat("]").is_none() {
            if !entries.is_empty() {
                self.eat(",")?;
            }
            entries.push(self.entry(depth + 1)?);
        }
        Some(Entry::List(entries))
    }

    fn spread(&mut self) -> Option<Spread> {
        self.eat("mesh_shape:")?;
        let mesh = self.mesh()?;
        self.eat(",dims_mappings:")?;
        let dims_mapping = self.integers()?;
        let mut partial = Vec::new();
        while self.eat(", partial(").or_else(|| self.eat(",partial(")).is_some() {
            let axis = self.integer()?;
            self.eat(",")?;
            let (reduce, rest) = self.rest.split_once(')')?;
            partial.push((axis, Reduce::from_name(reduce)?));
            self.rest = rest;
        }
        // Derived from the rest; whoever reads a whole text compares.
        if self.eat(", placements:[").is_some() {
            self.rest = self.rest.split_once(']')?.1;
        }
        Some(Spread { mesh, dims_mapping, partial })
    }

    /// `[2],process_ids:[0,1]`
    fn mesh(&mut self) -> Option<Mesh> {
        let shape = self.integers()?;
        self.eat(",process_ids:")?;
        Some(Mesh::with_usual_names(shape, self.integers()?))
    }

    fn integers(&mut self) -> Option<Vec<i64>> {
        self.eat("[")?;
        let (inside, rest) = self.rest.split_once(']')?;
        self.rest = rest;
        match inside {
            "" => Some(Vec::new()),
            _ => inside.split(',').map(|integer| integer.parse().ok()).collect(),
        }
    }

    fn integer(&mut self) -> Option<i64> {
        let end = self.rest.find(|c: char| c != '-' && !c.is_ascii_digit())?;
        let (integer, rest) = self.rest.split_at(end);
        self.rest = rest;
        integer.parse().ok()
    }

    fn eat(&mut self, token: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(token)?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Paddle 3.3.1 prints for spreads over meshes of one to three axes.
    #[test]
    fn printed_spreads_come_back() {
        for text in [
            "mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[Shard(dim=0)]",
            "mesh_shape:[2,3],process_ids:[0,1,2,3,4,5],dims_mappings:[1,0,-1], placements:[Shard(dim=1), Shard(dim=0)]",
            "mesh_shape:[2,3],process_ids:[0,1,2,3,4,5],dims_mappings:[-1,-1], partial(1,MAX), placements:[Replicate(), Partial(reduce_type=MAX)]",
            "mesh_shape:[2,3],process_ids:[0,1,2,3,4,5],dims_mappings:[-1,-1], partial(0,AVG),partial(1,PRODUCT), placements:[Partial(reduce_type=AVG), Partial(reduce_type=PRODUCT)]",
            "mesh_shape:[],process_ids:[],dims_mappings:[]",
        ] {
            let spread = Spread::from_printed(text).expect(text);
            assert_eq!(spread.to_string(), text);
        }
    }

    #[test]
    fn printed_spreads_of_ops_come_back() {
        let tensor =
            "mesh_shape:[2],process_ids:[0,1],dims_mappings:[0], placements:[Shard(dim=0)]";
        for entries in [
            String::new(),
            format!(",operand(0):{{<#AttrNull>}},operand(1):{{{tensor}}},result(0):{{[]}}"),
            format!(",result(0):{{[{tensor},{tensor}]}}"),
        ] {
            let text = format!("{{mesh:{{shape:[2],process_ids:[0,1]}}{entries},chunk_id:-1}}");
            let spread = OpSpread::from_printed(&text).expect(&text);
            assert_eq!(spread.to_string(), text);
        }
    }

    #[test]
    fn what_is_not_such_a_form_is_refused() {
        let good = "mesh_shape:[2],process_ids:[0,1],dims_mappings:[0], placements:[Shard(dim=0)]";
        for length in 0..good.len() {
            assert_eq!(Spread::from_printed(&good[..length]), None);
        }
        let wrong_placement = good.replace("Shard(dim=0)", "Replicate()");
        assert_eq!(Spread::from_printed(&wrong_placement), None);
        assert_eq!(OpSpread::from_printed(&format!("{{mesh:{{shape:{}", "[".repeat(1000))), None);
        let deep =
            format!("{{mesh:{{shape:[],process_ids:[]}},operand(0):{{{}", "[".repeat(100_000));
        assert_eq!(OpSpread::from_printed(&deep), None);
    }

    /// Seven rows over two processes: four and three; Paddle rounds up.
    #[test]
    fn local_dims_are_rounded_up() {
        let spread = Spread::from_printed(
            "mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[Shard(dim=0)]",
        );
        let spread = spread.expect("a spread");
        assert_eq!(spread.local_dims(&[7, 5]), [4, 5]);
        assert_eq!(spread.local_dims(&[-1, 5]), [-1, 5]);
    }
}
