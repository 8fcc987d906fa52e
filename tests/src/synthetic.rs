//! A training program of any size, as text: what the benches run on.
//!
//! Transformer-like: each layer has 6 parameters, 16 forward ops, 17 backward ops in reverse order and 6
//! optimizer ops, 45 in all, with use-def edges from the first ops to the last ones. Layers are spread
//! over eight chunks. `rivals/gen_ir.py` writes the same bytes, and the same program for `mlir-opt`.

use std::fmt::Write;

const CHUNKS: usize = 8;

const X: &str = "tensor<2x1024x4096xbf16>";
const QKV: &str = "tensor<2x1024x12288xbf16>";
const SCORE: &str = "tensor<2x1024x1024xf32>";
const HIDDEN: &str = "tensor<2x1024x11008xbf16>";
const VECTOR: &str = "tensor<4096xbf16>";
const W_QKV: &str = "tensor<4096x12288xbf16>";
const W_OUT: &str = "tensor<4096x4096xbf16>";
const W_UP: &str = "tensor<4096x11008xbf16>";
const W_DOWN: &str = "tensor<11008x4096xbf16>";
const INT: &str = "tensor<1xi32>";
const FLOAT: &str = "tensor<1xf32>";
const ROWS: &str = "tensor<2x1024xf32>";
const LOSS: &str = "tensor<f32>";
const XXX: &str = "vec[tensor<2x1024x4096xbf16>,tensor<2x1024x4096xbf16>,tensor<2x1024x4096xbf16>]";

const NORM: &[(&str, &str)] = &[("begin_norm_axis", "2"), ("epsilon", "1e-05")];
const PLAIN: &[(&str, &str)] = &[("transpose_x", "false"), ("transpose_y", "false")];
const TRANSPOSED: &[(&str, &str)] = &[("transpose_x", "false"), ("transpose_y", "true")];
const SCALE: &[(&str, &str)] = &[("bias", "0"), ("bias_after_scale", "true")];
const AXIS: &[(&str, &str)] = &[("axis", "-1")];
const NO_APPROXIMATION: &[(&str, &str)] = &[("approximate", "false")];

/// A value: its number and its type.
type Value = (usize, &'static str);

/// The program of about `ops` ops: as many whole layers as come nearest, one at least.
pub fn program(ops: usize) -> String {
    let layers = ((ops.saturating_sub(5) as f64 / 45.0).round() as usize).max(1);
    let mut writer = Writer { out: String::with_capacity(layers * 45 * 230), ..Writer::default() };
    writer.out.push_str("{\n");
    writer.all(layers);
    writer.out.push_str("}\n");
    writer.out
}

#[derive(Default)]
struct Writer {
    out: String,
    values: usize,
    chunk: usize,
    role: u32,
}

/// What the backward of a layer needs of its forward.
struct Saved {
    x: Value,
    h: Value,
    r1: Value,
    ax: Value,
    q: Value,
    k: Value,
    v: Value,
    sm: Value,
    av: Value,
    ao: Value,
    y: Value,
    g: Value,
    r2: Value,
    u: Value,
    ge: Value,
    d: Value,
}

impl Writer {
    /// Writes an op whose results have these types; returns them.
    fn op<const N: usize>(
        &mut self,
        name: &str,
        operands: &[Value],
        results: [&'static str; N],
        attrs: &[(&str, &str)],
    ) -> [Value; N] {
        self.op_with(name, operands, results, attrs, "false")
    }

    fn op_with<const N: usize>(
        &mut self,
        name: &str,
        operands: &[Value],
        results: [&'static str; N],
        attrs: &[(&str, &str)],
        stop_gradient: &str,
    ) -> [Value; N] {
        let values = results.map(|ty| {
            self.values += 1;
            (self.values - 1, ty)
        });
        let numbers = |values: &[Value]| join(values, |v| format!("%{}", v.0));
        let types = |values: &[Value]| join(values, |v| v.1.to_owned());
        let (chunk, role) = (self.chunk.to_string(), self.role.to_string());
        let flags = format!("[{}]", vec![stop_gradient; N].join(","));
        let mut attrs: Vec<(&str, &str)> = attrs.to_vec();
        attrs.extend([("chunk_id", &*chunk), ("op_role", &*role), ("stop_gradient", &*flags)]);
        attrs.sort_unstable();
        let attrs: Vec<String> =
            attrs.iter().map(|(name, value)| format!("{name}:{value}")).collect();
        writeln!(
            self.out,
            "    ({}) = \"{name}\" ({}) {{{}}} : ({}) -> {}",
            numbers(&values),
            numbers(operands),
            attrs.join(","),
            types(operands),
            types(&values)
        )
        .expect("a string takes all that is written to it");
        values
    }

    fn all(&mut self, layers: usize) {
        let chunk_of = |layer: usize| layer * CHUNKS / layers;
        let mut parameters = Vec::new();
        for layer in 0..layers {
            self.chunk = chunk_of(layer);
            parameters.push(self.parameters(layer));
        }
        self.chunk = 0;
        let data = |name, shape| [("name", name), ("shape", shape)];
        let [mut x] = self.op_with("pd_op.data", &[], [X], &data("\"x\"", "[2,1024,4096]"), "true");
        let [rate] =
            self.op_with("pd_op.data", &[], [FLOAT], &data("\"learning_rate\"", "[1]"), "true");
        let mut saved = Vec::new();
        for (layer, weights) in parameters.iter().enumerate() {
            self.chunk = chunk_of(layer);
            let (kept, out) = self.forward(x, weights);
            saved.push(kept);
            x = out;
        }
        let mut gradient = self.loss(x);
        let mut gradients = Vec::new();
        for layer in (0..layers).rev() {
            self.chunk = chunk_of(layer);
            let (weights, x) = self.backward(gradient, &saved[layer], &parameters[layer]);
            gradients.push(weights);
            gradient = x;
        }
        self.role = 2;
        for layer in 0..layers {
            self.chunk = chunk_of(layer);
            for (&parameter, &gradient) in
                parameters[layer].iter().zip(&gradients[layers - 1 - layer])
            {
                let single = &[("multi_precision", "false")];
                self.op("pd_op.sgd_", &[parameter, rate, gradient], [parameter.1], single);
            }
        }
    }

    fn parameters(&mut self, layer: usize) -> [Value; 6] {
        let kinds = [
            ("ln1", VECTOR),
            ("wqkv", W_QKV),
            ("wo", W_OUT),
            ("ln2", VECTOR),
            ("w1", W_UP),
            ("w2", W_DOWN),
        ];
        kinds.map(|(name, ty)| {
            let name = format!("\"layer_{layer}.{name}\"");
            let attrs = [
                ("is_distributed", "[false]"),
                ("is_parameter", "[true]"),
                ("need_clip", "[true]"),
                ("parameter_name", name.as_str()),
                ("persistable", "[true]"),
                ("trainable", "[true]"),
            ];
            let [value] = self.op("builtin.parameter", &[], [ty], &attrs);
            value
        })
    }

    fn forward(&mut self, x: Value, &[ln1, wqkv, wo, ln2, w1, w2]: &[Value; 6]) -> (Saved, Value) {
        let [h, r1] = self.op("pd_op.rms_norm", &[x, ln1], [X, ROWS], NORM);
        let [qkv] = self.op("pd_op.matmul", &[h, wqkv], [QKV], PLAIN);
        let full = &[("shape", "[1]"), ("value", "2")];
        let [ax] = self.op_with("pd_op.full", &[], [INT], full, "true");
        let [list] = self.op("pd_op.split_with_num", &[qkv, ax], [XXX], &[("num", "3")]);
        let [q, k, v] = self.op("builtin.split", &[list], [X, X, X], &[]);
        let [a] = self.op("pd_op.matmul", &[q, k], [SCORE], TRANSPOSED);
        let [sc] = self.op("pd_op.scale", &[a, ax], [SCORE], SCALE);
        let [sm] = self.op("pd_op.softmax", &[sc], [SCORE], AXIS);
        let [av] = self.op("pd_op.matmul", &[sm, v], [X], PLAIN);
        let [ao] = self.op("pd_op.matmul", &[av, wo], [X], PLAIN);
        let [y] = self.op("pd_op.add", &[x, ao], [X], &[]);
        let [g, r2] = self.op("pd_op.rms_norm", &[y, ln2], [X, ROWS], NORM);
        let [u] = self.op("pd_op.matmul", &[g, w1], [HIDDEN], PLAIN);
        let [ge] = self.op("pd_op.gelu", &[u], [HIDDEN], NO_APPROXIMATION);
        let [d] = self.op("pd_op.matmul", &[ge, w2], [X], PLAIN);
        let [z] = self.op("pd_op.add", &[y, d], [X], &[]);
        (Saved { x, h, r1, ax, q, k, v, sm, av, ao, y, g, r2, u, ge, d }, z)
    }

    fn loss(&mut self, x: Value) -> Value {
        self.chunk = CHUNKS - 1;
        let [loss] = self.op("pd_op.mean", &[x], [LOSS], &[("keepdim", "false")]);
        self.role = 257;
        let [one] = self.op("pd_op.full_like", &[loss], [LOSS], &[("value", "1")]);
        let [gradient] = self.op("pd_op.mean_grad", &[x, one], [X], &[("keepdim", "false")]);
        self.role = 1;
        gradient
    }

    fn backward(
        &mut self,
        gz: Value,
        s: &Saved,
        &[ln1, wqkv, wo, ln2, w1, w2]: &[Value; 6],
    ) -> ([Value; 6], Value) {
        let [gy, gd] = self.op("pd_op.add_grad", &[s.y, s.d, gz], [X, X], AXIS);
        let [gge, gw2] = self.op("pd_op.matmul_grad", &[s.ge, w2, gd], [HIDDEN, W_DOWN], PLAIN);
        let [gu] = self.op("pd_op.gelu_grad", &[s.u, gge], [HIDDEN], NO_APPROXIMATION);
        let [gg, gw1] = self.op("pd_op.matmul_grad", &[s.g, w1, gu], [X, W_UP], PLAIN);
        let [gy2, gln2] = self.op("pd_op.rms_norm_grad", &[s.y, ln2, s.r2, gg], [X, VECTOR], NORM);
        let [gy3] = self.op("pd_op.add", &[gy, gy2], [X], &[]);
        let [gx, gao] = self.op("pd_op.add_grad", &[s.x, s.ao, gy3], [X, X], AXIS);
        let [gav, gwo] = self.op("pd_op.matmul_grad", &[s.av, wo, gao], [X, W_OUT], PLAIN);
        let [gsm, gv] = self.op("pd_op.matmul_grad", &[s.sm, s.v, gav], [SCORE, X], PLAIN);
        let [gsc] = self.op("pd_op.softmax_grad", &[s.sm, gsm], [SCORE], AXIS);
        let [ga] = self.op("pd_op.scale", &[gsc, s.ax], [SCORE], SCALE);
        let [gq, gk] = self.op("pd_op.matmul_grad", &[s.q, s.k, ga], [X, X], TRANSPOSED);
        let [list] = self.op("builtin.combine", &[gq, gk, gv], [XXX], &[]);
        let [cc] = self.op("pd_op.concat", &[list, s.ax], [QKV], &[]);
        let [gh, gwqkv] = self.op("pd_op.matmul_grad", &[s.h, wqkv, cc], [X, W_QKV], PLAIN);
        let [gx2, gln1] = self.op("pd_op.rms_norm_grad", &[s.x, ln1, s.r1, gh], [X, VECTOR], NORM);
        let [gx3] = self.op("pd_op.add", &[gx, gx2], [X], &[]);
        ([gln1, gwqkv, gwo, gln2, gw1, gw2], gx3)
    }
}

fn join(values: &[Value], text: impl Fn(&Value) -> String) -> String {
    values.iter().map(text).collect::<Vec<_>>().join(", ")
}
