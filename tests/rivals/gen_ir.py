#!/usr/bin/env python3
"""Writes one made-up training program of a transformer in the syntax of PIR or of MLIR.

usage: gen_ir.py OPS pir|mlir [OUT]        (OUT: standard output where not given)

Both syntaxes hold the same ops, operands, attributes and types in the same order, so that two tools can be
measured on one program.  The program is one block in SSA form with the long use-def edges of real training:
the backward pass of the first layer reads what the forward pass of the first layer made.  Per layer there are
6 parameters, 16 forward, 17 backward and 6 optimizer ops: 45 in all, and 5 ops besides; the number of layers
is what comes nearest to OPS.  Layers are spread evenly over 8 chunks.

The MLIR form is the generic one.  `mlir-opt --allow-unregistered-dialect` reads it; as its own `builtin` dialect
refuses unknown ops, `builtin.split` is `pd_builtin.split` there.
"""
import sys

CHUNKS = 8
OPS_PER_LAYER, OPS_BESIDES = 45, 5
FORWARD, BACKWARD, OPTIMIZE, LOSS_BACKWARD = 0, 1, 2, 257

# Batch 2, sequence 1024, hidden 4096, feed-forward 11008.
HIDDEN = "tensor<2x1024x4096xbf16>"
HIDDEN_MEAN = "tensor<2x1024xf32>"
QKV = "tensor<2x1024x12288xbf16>"
SCORES = "tensor<2x1024x1024xf32>"
FEED_FORWARD = "tensor<2x1024x11008xbf16>"
NORM_WEIGHT = "tensor<4096xbf16>"
QKV_WEIGHT = "tensor<4096x12288xbf16>"
OUT_WEIGHT = "tensor<4096x4096xbf16>"
UP_WEIGHT = "tensor<4096x11008xbf16>"
DOWN_WEIGHT = "tensor<11008x4096xbf16>"
INDEX, RATE, LOSS = "tensor<1xi32>", "tensor<1xf32>", "tensor<f32>"
THREE_HIDDEN = (HIDDEN, HIDDEN, HIDDEN)  # a tuple is a value that holds several

PARAMETERS = (("ln1", NORM_WEIGHT), ("wqkv", QKV_WEIGHT), ("wo", OUT_WEIGHT),
              ("ln2", NORM_WEIGHT), ("w1", UP_WEIGHT), ("w2", DOWN_WEIGHT))


class Shape(tuple):
    """A list of 64-bit integers; a plain tuple is a list of booleans."""


class Pir:
    """PaddlePaddle's own text: `    (%2) = "pd_op.add" (%0, %1) {axis:-1} : (..) -> ..`."""
    head, foot = "{\n", "}\n"

    def type(self, type_):
        return type_ if isinstance(type_, str) else f"vec[{','.join(type_)}]"

    def value(self, value):
        match value:
            case bool(): return "true" if value else "false"
            case int(): return str(value)
            case float(): return f"{value:g}"
            case str(): return f'"{value}"'
            case tuple(): return f"[{','.join(map(self.value, value))}]"

    def attributes(self, attributes):
        return ",".join(f"{name}:{self.value(value)}" for name, value in attributes)

    def op(self, name, operands, results, attributes, operand_types, result_types):
        operands = ", ".join(f"%{value}" for value in operands)
        results = ", ".join(f"%{value}" for value in results)
        return f'    ({results}) = "{name}" ({operands}) {{{attributes}}} : ({operand_types}) -> {result_types}\n'


class Mlir:
    """MLIR's generic form: `    %v2 = "pd_op.add"(%v0, %v1) {axis = -1 : i32} : (..) -> ..`."""
    head = '"builtin.module"() ({\n  "func.func"() <{function_type = () -> (), sym_name = "main"}> ({\n'
    foot = '    "func.return"() : () -> ()\n  }) : () -> ()\n}) : () -> ()\n'

    def type(self, type_):
        return type_ if isinstance(type_, str) else f"tuple<{', '.join(type_)}>"

    def value(self, value):
        match value:
            case bool(): return "true" if value else "false"
            case int(): return f"{value} : i32"
            case float(): return f"{value:e} : f32"
            case str(): return f'"{value}"'
            case Shape(): return f"[{', '.join(f'{size} : i64' for size in value)}]"
            case tuple(): return f"[{', '.join(map(self.value, value))}]"

    def attributes(self, attributes):
        return ", ".join(f"{name} = {self.value(value)}" for name, value in attributes)

    def op(self, name, operands, results, attributes, operand_types, result_types):
        name = f"pd_{name}" if name.startswith("builtin.") else name
        operands = ", ".join(f"%v{value}" for value in operands)
        result_types = result_types if len(results) == 1 else f"({result_types})"
        results = ", ".join(f"%v{value}" for value in results)
        return f'    {results} = "{name}"({operands}) {{{attributes}}} : ({operand_types}) -> {result_types}\n'


class Writer:
    """Writes op after op; numbers the values; adds `chunk_id`, `op_role` and `stop_gradient` to each op."""

    def __init__(self, syntax, out):
        self.syntax, self.out = syntax, out
        self.ops = self.values = 0
        self.chunk, self.role = 0, FORWARD
        self.known_types, self.known_attributes = {}, {}

    def types(self, types):
        if types not in self.known_types:
            self.known_types[types] = ", ".join(map(self.syntax.type, types))
        return self.known_types[types]

    def attributes(self, attributes, stop_gradient):
        key = (attributes, stop_gradient, self.chunk, self.role)
        text = self.known_attributes.get(key)
        if text is None:
            added = {"chunk_id": self.chunk, "op_role": self.role, "stop_gradient": stop_gradient}
            text = self.syntax.attributes(sorted({**dict(attributes), **added}.items()))
            if "parameter_name" not in dict(attributes):  # unlike all others, not seen twice
                self.known_attributes[key] = text
        return text

    def op(self, name, operands, operand_types, result_types, *attributes, stop_gradient=False):
        """Writes one op; returns its result, or a tuple of them where there are several."""
        results = range(self.values, self.values + len(result_types))
        self.values, self.ops = results.stop, self.ops + 1
        attributes = self.attributes(attributes, (stop_gradient,) * len(results))
        self.out.write(self.syntax.op(name, operands, results, attributes,
                                      self.types(operand_types), self.types(result_types)))
        return results[0] if len(results) == 1 else tuple(results)


def transpose(x, y):
    return ("transpose_x", x), ("transpose_y", y)


NORM = ("begin_norm_axis", 2), ("epsilon", 1e-5)
SCALE = ("bias", 0.0), ("bias_after_scale", True)
GELU = (("approximate", False),)
AXIS = (("axis", -1),)


def parameter(writer, name, type_):
    return writer.op("builtin.parameter", (), (), (type_,), ("is_distributed", (False,)), ("is_parameter", (True,)),
                     ("need_clip", (True,)), ("parameter_name", name), ("persistable", (True,)), ("trainable", (True,)))


def forward(writer, x, weights):
    """One layer; returns its result and the values that its backward pass reads."""
    op, (ln1, wqkv, wo, ln2, w1, w2) = writer.op, weights
    h, r1 = op("pd_op.rms_norm", (x, ln1), (HIDDEN, NORM_WEIGHT), (HIDDEN, HIDDEN_MEAN), *NORM)
    qkv = op("pd_op.matmul", (h, wqkv), (HIDDEN, QKV_WEIGHT), (QKV,), *transpose(False, False))
    axis = op("pd_op.full", (), (), (INDEX,), ("shape", Shape((1,))), ("value", 2.0), stop_gradient=True)
    parts = op("pd_op.split_with_num", (qkv, axis), (QKV, INDEX), (THREE_HIDDEN,), ("num", 3))
    q, k, v = op("builtin.split", (parts,), (THREE_HIDDEN,), THREE_HIDDEN)
    scores = op("pd_op.matmul", (q, k), (HIDDEN, HIDDEN), (SCORES,), *transpose(False, True))
    scaled = op("pd_op.scale", (scores, axis), (SCORES, INDEX), (SCORES,), *SCALE)
    soft = op("pd_op.softmax", (scaled,), (SCORES,), (SCORES,), *AXIS)
    mixed = op("pd_op.matmul", (soft, v), (SCORES, HIDDEN), (HIDDEN,), *transpose(False, False))
    attention = op("pd_op.matmul", (mixed, wo), (HIDDEN, OUT_WEIGHT), (HIDDEN,), *transpose(False, False))
    y = op("pd_op.add", (x, attention), (HIDDEN, HIDDEN), (HIDDEN,))
    g, r2 = op("pd_op.rms_norm", (y, ln2), (HIDDEN, NORM_WEIGHT), (HIDDEN, HIDDEN_MEAN), *NORM)
    up = op("pd_op.matmul", (g, w1), (HIDDEN, UP_WEIGHT), (FEED_FORWARD,), *transpose(False, False))
    gelu = op("pd_op.gelu", (up,), (FEED_FORWARD,), (FEED_FORWARD,), *GELU)
    down = op("pd_op.matmul", (gelu, w2), (FEED_FORWARD, DOWN_WEIGHT), (HIDDEN,), *transpose(False, False))
    z = op("pd_op.add", (y, down), (HIDDEN, HIDDEN), (HIDDEN,))
    return z, (x, h, r1, axis, q, k, v, soft, mixed, attention, y, g, r2, up, gelu, down)


def backward(writer, dz, weights, saved):
    """The same layer from the gradient of its result; returns the gradients of its input and of its weights."""
    op, (ln1, wqkv, wo, ln2, w1, w2) = writer.op, weights
    x, h, r1, axis, q, k, v, soft, mixed, attention, y, g, r2, up, gelu, down = saved
    two, three = (HIDDEN, HIDDEN), THREE_HIDDEN
    norm_grad = (HIDDEN, NORM_WEIGHT, HIDDEN_MEAN, HIDDEN), (HIDDEN, NORM_WEIGHT)
    dy, ddown = op("pd_op.add_grad", (y, down, dz), three, two, *AXIS)
    dgelu, dw2 = op("pd_op.matmul_grad", (gelu, w2, ddown), (FEED_FORWARD, DOWN_WEIGHT, HIDDEN),
                    (FEED_FORWARD, DOWN_WEIGHT), *transpose(False, False))
    dup = op("pd_op.gelu_grad", (up, dgelu), (FEED_FORWARD, FEED_FORWARD), (FEED_FORWARD,), *GELU)
    dg, dw1 = op("pd_op.matmul_grad", (g, w1, dup), (HIDDEN, UP_WEIGHT, FEED_FORWARD), (HIDDEN, UP_WEIGHT),
                 *transpose(False, False))
    dy_norm, dln2 = op("pd_op.rms_norm_grad", (y, ln2, r2, dg), *norm_grad, *NORM)
    dy = op("pd_op.add", (dy, dy_norm), two, (HIDDEN,))
    dx, dattention = op("pd_op.add_grad", (x, attention, dy), three, two, *AXIS)
    dmixed, dwo = op("pd_op.matmul_grad", (mixed, wo, dattention), (HIDDEN, OUT_WEIGHT, HIDDEN),
                     (HIDDEN, OUT_WEIGHT), *transpose(False, False))
    dsoft, dv = op("pd_op.matmul_grad", (soft, v, dmixed), (SCORES, HIDDEN, HIDDEN), (SCORES, HIDDEN),
                   *transpose(False, False))
    dscaled = op("pd_op.softmax_grad", (soft, dsoft), (SCORES, SCORES), (SCORES,), *AXIS)
    dscores = op("pd_op.scale", (dscaled, axis), (SCORES, INDEX), (SCORES,), *SCALE)
    dq, dk = op("pd_op.matmul_grad", (q, k, dscores), (HIDDEN, HIDDEN, SCORES), two, *transpose(False, True))
    parts = op("builtin.combine", (dq, dk, dv), three, (THREE_HIDDEN,))
    dqkv = op("pd_op.concat", (parts, axis), (THREE_HIDDEN, INDEX), (QKV,))
    dh, dwqkv = op("pd_op.matmul_grad", (h, wqkv, dqkv), (HIDDEN, QKV_WEIGHT, QKV), (HIDDEN, QKV_WEIGHT),
                   *transpose(False, False))
    dx_norm, dln1 = op("pd_op.rms_norm_grad", (x, ln1, r1, dh), *norm_grad, *NORM)
    dx = op("pd_op.add", (dx, dx_norm), two, (HIDDEN,))
    return dx, (dln1, dwqkv, dwo, dln2, dw1, dw2)


def program(writer, layers):
    """The whole step: parameters, data, forward, loss, backward from the last layer on, optimizer."""
    def layer(index):
        writer.chunk = index * CHUNKS // layers
        return index

    weights = [[parameter(writer, f"layer_{layer(index)}.{name}", type_) for name, type_ in PARAMETERS]
               for index in range(layers)]
    writer.chunk = 0
    x = writer.op("pd_op.data", (), (), (HIDDEN,), ("name", "x"), ("shape", Shape((2, 1024, 4096))), stop_gradient=True)
    rate = writer.op("pd_op.data", (), (), (RATE,), ("name", "learning_rate"), ("shape", Shape((1,))),
                     stop_gradient=True)

    saved = [None] * layers
    for index in map(layer, range(layers)):
        x, saved[index] = forward(writer, x, weights[index])

    writer.chunk = CHUNKS - 1
    loss = writer.op("pd_op.mean", (x,), (HIDDEN,), (LOSS,), ("keepdim", False))
    writer.role = LOSS_BACKWARD
    one = writer.op("pd_op.full_like", (loss,), (LOSS,), (LOSS,), ("value", 1.0))
    dx = writer.op("pd_op.mean_grad", (x, one), (HIDDEN, LOSS), (HIDDEN,), ("keepdim", False))

    writer.role = BACKWARD
    gradients = [None] * layers
    for index in map(layer, reversed(range(layers))):
        dx, gradients[index] = backward(writer, dx, weights[index], saved[index])

    writer.role = OPTIMIZE
    for index in map(layer, range(layers)):
        for weight, gradient, (_, type_) in zip(weights[index], gradients[index], PARAMETERS):
            writer.op("pd_op.sgd_", (weight, rate, gradient), (type_, RATE, type_), (type_,),
                      ("multi_precision", False))


def main():
    if len(sys.argv) not in (3, 4) or not sys.argv[1].isdigit() or sys.argv[2] not in ("pir", "mlir"):
        sys.exit(__doc__)
    syntax = Pir() if sys.argv[2] == "pir" else Mlir()
    out = open(sys.argv[3], "w", buffering=1 << 20) if len(sys.argv) == 4 else sys.stdout
    writer = Writer(syntax, out)
    with out:
        out.write(syntax.head)
        program(writer, max(1, round((int(sys.argv[1]) - OPS_BESIDES) / OPS_PER_LAYER)))
        out.write(syntax.foot)
    print(f"{sys.argv[2]}: {writer.ops} ops, {writer.values} values", file=sys.stderr)


if __name__ == "__main__":
    main()
