//! The split ops, run on small tensors of integers, give the gradients as they are defined:
//! for `L = Σ g · out`, `out = x' · y'`, the gradient of an element is the sum of all that it is
//! multiplied by in `L`.

use pirogue::ir::{Context, Rewriter};
use pirogue::text;
use pirogue_passes::split_matmul_grad::{SplitMatmulGrad, WholeReason, split_matmul_grads};

use crate::tensor::{Tensor, indices, run};

/// A linear congruential generator (multiplier and increment: Knuth, MMIX).
struct Random(u64);

impl Random {
    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }
}

/// The dims of one product, and which of them the program does not know.
struct Shapes {
    x: Vec<usize>,
    y: Vec<usize>,
    out: Vec<usize>,
    transpose: [bool; 2],
    /// Batch axes of `out`, and whether rows, inner dim or columns are dynamic.
    dynamic: Vec<bool>,
}

impl Shapes {
    /// Ranks 2 to 5, every batch dim broadcast on either side or on none.
    fn random(random: &mut Random) -> Self {
        let transpose = [random.one_in(2), random.one_in(2)];
        let rank = 2 + random.below(4);
        let [mut x, mut y, mut out] = [const { Vec::new() }; 3];
        let style = random.below(4);
        for _ in 2..rank {
            let dim = 1 + random.below(3);
            // Style 0: equal batches. 1: a weight. 2, 3: anything.
            let (of_x, of_y) = match (style, random.below(3)) {
                (0, _) => (dim, dim),
                (1, _) | (_, 0) => (dim, 1),
                (_, 1) => (1, dim),
                _ => (dim, dim),
            };
            x.push(of_x);
            y.push(of_y);
            out.push(dim);
        }
        // Leading ones may as well not be there, on one side.
        let short = if random.one_in(2) { &mut y } else { &mut x };
        if style != 0 {
            while short.first() == Some(&1) && !random.one_in(4) {
                short.remove(0);
            }
        }
        let [rows, inner, columns] = [(); 3].map(|()| 1 + random.below(4));
        x.extend(if transpose[0] { [inner, rows] } else { [rows, inner] });
        y.extend(if transpose[1] { [columns, inner] } else { [inner, columns] });
        out.extend([rows, columns]);
        let has_dynamic = random.one_in(3);
        let dynamic = (0..rank + 1).map(|_| has_dynamic && random.one_in(3)).collect();
        Self { x, y, out, transpose, dynamic }
    }

    /// The type of a tensor; `matrix`: which of rows, inner dim, columns its last dims are.
    fn ty(&self, dims: &[usize], matrix: [usize; 2]) -> String {
        let batch_rank = self.out.len() - 2;
        let missing = self.out.len() - dims.len();
        let dim = |(axis, &dim): (usize, &usize)| {
            let place = match (axis + missing).checked_sub(batch_rank) {
                Some(last) => batch_rank + matrix[last],
                None => axis + missing,
            };
            // A batch of 1 that was broadcast is known: a dim is dynamic where it is not 1.
            let is_batch_of_1 = dim == 1 && place < batch_rank;
            if self.dynamic[place] && !is_batch_of_1 { "-1x".to_owned() } else { format!("{dim}x") }
        };
        let dims: String = dims.iter().enumerate().map(dim).collect();
        format!("tensor<{dims}f32>")
    }

    fn source(&self, wants: [bool; 2]) -> String {
        const ROWS: usize = 0;
        const INNER: usize = 1;
        const COLUMNS: usize = 2;
        let flip =
            |pair: [usize; 2], flipped: bool| if flipped { [pair[1], pair[0]] } else { pair };
        let x = self.ty(&self.x, flip([ROWS, INNER], self.transpose[0]));
        let y = self.ty(&self.y, flip([INNER, COLUMNS], self.transpose[1]));
        let g = self.ty(&self.out, [ROWS, COLUMNS]);
        let null = "<<NULL TYPE>>".to_owned();
        let [dx, dy] =
            [(wants[0], &x), (wants[1], &y)].map(|(wanted, ty)| if wanted { ty } else { &null });
        let [transpose_x, transpose_y] = self.transpose;
        let attrs = format!("{{transpose_x:{transpose_x},transpose_y:{transpose_y}}}");
        let mut source = format!(
            "{{
    (%0) = \"pd_op.data\" () {{name:\"x\"}} : () -> {x}
    (%1) = \"pd_op.data\" () {{name:\"y\"}} : () -> {y}
    (%2) = \"pd_op.data\" () {{name:\"g\"}} : () -> {g}
    (%3, %4) = \"pd_op.matmul_grad\" (%0, %1, %2) {attrs} : ({x}, {y}, {g}) -> {dx}, {dy}
"
        );
        for (index, (name, ty)) in [("dx", dx), ("dy", dy)].into_iter().enumerate() {
            if wants[index] {
                let value = index + 3;
                source += &format!(
                    "    () = \"builtin.shadow_output\" (%{value}) {{output_name:\"{name}\"}} : ({ty}) -> \n"
                );
            }
        }
        source + "}\n"
    }

    /// `dx` and `dy` by definition.
    fn gradients(&self, x: &Tensor, y: &Tensor, g: &Tensor) -> [Tensor; 2] {
        let [mut dx, mut dy] = [Tensor::zeros(&self.x), Tensor::zeros(&self.y)];
        let rank = self.out.len();
        let inner_axis = if self.transpose[0] { self.x.len() - 2 } else { self.x.len() - 1 };
        for (position, index) in indices(&self.out).enumerate() {
            let (batch, last) = index.split_at(rank - 2);
            for inner in 0..self.x[inner_axis] {
                let at = |row: usize, column: usize, transposed: bool| {
                    let last = if transposed { [column, row] } else { [row, column] };
                    [batch, &last].concat()
                };
                let in_x = x.position(&at(last[0], inner, self.transpose[0]));
                let in_y = y.position(&at(inner, last[1], self.transpose[1]));
                dx.data[in_x] += g.data[position] * y.data[in_y];
                dy.data[in_y] += g.data[position] * x.data[in_x];
            }
        }
        [dx, dy]
    }
}

#[test]
fn the_gradients_of_random_products_are_those_of_the_definition() {
    let mut random = Random(2);
    let (mut split, mut whole) = (0, 0);
    for _ in 0..3000 {
        let shapes = Shapes::random(&mut random);
        let wants = [[true, true], [true, false], [false, true]][random.below(3)];
        let source = shapes.source(wants);
        let read = text::read_program(&Context::new(), "", source.as_bytes());
        let mut program = read.unwrap_or_else(|errors| panic!("{}", errors[0])).program;
        let options = SplitMatmulGrad { drop_dead_products: random.one_in(2) };
        let report = split_matmul_grads(&mut Rewriter::new(&mut program), &options);
        if let [(_, reason)] = report.left_whole.as_slice() {
            let run_time =
                matches!(reason, WholeReason::UnknownBroadcast | WholeReason::TwoUnknownDims);
            assert!(run_time && shapes.dynamic.contains(&true), "{reason:?}\n{source}");
            whole += 1;
            continue;
        }
        split += 1;
        let mut tensor = |dims: &[usize]| Tensor::new(dims, || random.below(19) as i64 - 9);
        let (x, y, g) = (tensor(&shapes.x), tensor(&shapes.y), tensor(&shapes.out));
        let outputs = run(&program, &[("x", &x), ("y", &y), ("g", &g)]);
        let [dx, dy] = shapes.gradients(&x, &y, &g);
        for (wanted, name, gradient) in [(wants[0], "dx", dx), (wants[1], "dy", dy)] {
            let expected = wanted.then_some(&gradient);
            assert_eq!(
                outputs.get(name),
                expected,
                "{name} of\n{source}\n{}",
                text::to_text(&program)
            );
        }
    }
    assert!(split > 2500 && whole > 50, "{split} were split, {whole} were left whole");
}
