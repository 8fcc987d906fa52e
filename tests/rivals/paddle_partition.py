#!/usr/bin/env python3
"""Times PaddlePaddle's own pipeline pass, `pipeline_scheduler_VPP`, on a program given as PIR text.

Paddle reads no PIR text, so the program is rebuilt first: the text becomes Paddle's JSON form, Paddle loads it,
and what that form cannot say (the keyword arguments) is put in by hand.  Then the rebuilt program is printed by
Paddle and compared with the text, the lines of keyword arguments as a set: a difference is reported and is a failure.

Timed are the parts of the pass, called as the pass calls them.  Each repeat has a fresh clone of the program, and what
earlier ones made is freed:
    partition   `_partial_pir_programs`: one program per job type
    job_list    `_create_job_list`
    skip_gc     `set_skip_gc_vars`: what each job must not free
    total       the sum of these
    text        not in the sum: printing the programs.  The partition does as much itself, for a log that drops it
The result is a line for each: `part <name> cpu <seconds> wall <seconds> peak <MiB>`, medians of the repeats.  The start
of Python, the import of Paddle and the rebuilding are not in the seconds; the peak is that of the whole process.

Programs with nested blocks or with distributed types are refused.
Exit status: 0 done; 1 the input is wrong, the rebuilt program differs or the pass failed; 2 the command line is wrong;
77 Paddle is missing.
"""
import argparse
import gc
import gzip
import json
import os
import re
import resource
import statistics
import sys
import tempfile
import time
import warnings

NO_PADDLE = 77
NULL_VALUE, NULL_TYPE = "<<NULL VALUE>>", "<<NULL TYPE>>"

SCALARS = {"b": "bool", "i8": "i8", "u8": "ui8", "i16": "i16", "i32": "i32", "i64": "i64",
           "f16": "f16", "bf16": "bf16", "f32": "f32", "f64": "f64", "c64": "c64", "c128": "c128"}

# The text does not say the kind of a number.  What these attributes of training programs hold, by name;
# all other numbers are 32-bit integers, and lists of them likewise.
KINDS = {name: kind for kind, names in {
    "0.a_i64": "padding_idx min_row_size_to_use_multithread axes decrease_axes decrease_axis none_axes infer_flags",
    "0.a_f32": "bias epsilon momentum mu coeff lr_ratio rescale_grad regularization_coeff porder dropout_prob y",
    "0.a_f64": "value values",
}.items() for name in names.split()}
KINDS_OF_OP = {("pd_op.full_int_array", "value"): "0.a_i64", ("pd_op.assign_value_", "shape"): "0.a_i32",
               ("pd_op.strided_slice", "axes"): "0.a_i32", ("pd_op.strided_slice_grad", "axes"): "0.a_i32"}
# Where a keyword argument is declared, the text does not say its type; for one that nothing uses, any will do.
UNUSED_KWARG = "tensor<f32>"
# Attributes that the JSON form keeps apart from an op's own.
OUTSIDE = ("stop_gradient", "persistable")
PLACES = {"undefined": 0, "cpu": 1, "gpu": 2}


class BadInput(Exception):
    """The text is not what this script can rebuild."""


# --- reading the text -----------------------------------------------------------------------------------------------

OP_LINE = re.compile(r'    \((?P<results>[^)]*)\) = "(?P<name>[^"]+)" (?P<rest>\(.*)', re.DOTALL)


def split_list(text):
    """The items of a list, parted at the commas that are in no brackets and no string."""
    items, depth, quoted, start = [], 0, False, 0
    for position, character in enumerate(text):
        if character == '"' and text[position - 1] != "\\":
            quoted = not quoted
        elif quoted:
            continue
        elif character in "([{<":
            depth += 1
        elif character in ")]}>":
            depth -= 1
        elif character == "," and depth == 0:
            items.append(text[start:position].strip())
            start = position + 1
    last = text[start:].strip()
    return items + [last] if last else items


class Op:
    """One line: names of results and operands, attributes as text by name, types as text."""

    def __init__(self, line, number):
        match = OP_LINE.fullmatch(line)
        parts = match and re.fullmatch(r"\((.*?)\) \{(.*)\} : \((.*)\) -> (.*)", match["rest"], re.DOTALL)
        if not parts:
            raise BadInput(f"line {number}: not an op on one line (nested blocks are refused): {line.strip()[:80]}")
        operands, attributes, operand_types, result_types = parts.groups()
        self.name = match["name"]
        self.results = split_list(match["results"])
        self.operands = split_list(operands)
        self.attributes = dict(item.split(":", 1) for item in split_list(attributes))
        self.operand_types = split_list(operand_types)
        self.result_types = split_list(result_types)
        if len(self.results) != len(self.result_types) or len(self.operands) != len(self.operand_types):
            raise BadInput(f"line {number}: counts of values and of types differ: {line.strip()[:80]}")


def read_text(path):
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path)
    with opened as file:
        return file.read()


def parse(text):
    """The keyword arguments, as name -> attributes as text, and the ops."""
    kwargs, ops = {}, []
    for number, line in enumerate(text.splitlines(), 1):
        kwarg = re.fullmatch(r"        %kwarg_(.*) \{(.*)\}", line)
        if kwarg:
            kwargs[kwarg[1]] = dict(item.split(":", 1) for item in split_list(kwarg[2]))
        elif line.strip() not in ("", "{", "}", "^kw:"):
            ops.append(Op(line, number))
    return kwargs, ops


# --- text to JSON ---------------------------------------------------------------------------------------------------

def type_to_json(text):
    if text == NULL_TYPE:
        return {"#": "NULL"}
    if text in SCALARS:
        return {"#": f"0.t_{SCALARS[text]}"}
    if text.startswith("vec[") and text.endswith("]"):
        return {"#": "0.t_vec", "D": [type_to_json(item) for item in split_list(text[4:-1])]}
    tensor = re.fullmatch(r"tensor<((?:-?\d+x)*)(\w+)>", text)
    if not tensor or tensor[2] not in SCALARS:
        raise BadInput(f"cannot rebuild the type `{text}`")
    sizes = [int(size) for size in tensor[1].split("x")[:-1]]
    return {"#": "0.t_dtensor", "D": [type_to_json(tensor[2]), sizes, "NCHW", [], 0]}


def number_to_json(kind, text):
    return {"#": kind, "D": int(text) if kind in ("0.a_i32", "0.a_i64") else float(text)}


def attribute_to_json(op, name, text):
    kind = KINDS_OF_OP.get((op, name)) or KINDS.get(name, "0.a_i32")
    if text in ("true", "false"):
        return {"#": "0.a_bool", "D": text == "true"}
    if text.startswith('"'):
        return {"#": "0.a_str", "D": text[1:-1].replace('\\"', '"')}
    if text.startswith("Place("):
        place, _, device = text[6:-1].partition(":")
        if place not in PLACES:
            raise BadInput(f"`{op}`: cannot rebuild the place `{text}`")
        return {"#": "1.a_place", "D": [PLACES[place], int(device or 0), ""]}
    if name == "dtype":
        return {"#": "1.a_dtype", "D": "Undefined(ALL_DTYPE)" if text == "Undefined" else text}
    if name == "shape" and op in ("pd_op.full", "pd_op.data"):
        return {"#": "1.a_intarray", "D": [int(item) for item in split_list(text[1:-1])]}
    if text.startswith("["):
        return {"#": "0.a_array", "D": [attribute_to_json(op, name, item) for item in split_list(text[1:-1])]}
    try:
        return number_to_json(kind, text)
    except ValueError:
        raise BadInput(f"`{op}`: cannot rebuild the attribute `{name}:{text}`") from None


DIALECTS = {"builtin": "0", "pd_op": "1"}


def op_to_json(op, ids):
    """One op; `ids` maps names of values to their numbers in the file and gets the op's results."""
    dialect, name = op.name.split(".", 1)
    if dialect not in DIALECTS:
        raise BadInput(f"cannot rebuild the op `{op.name}`")
    unknown = [value for value in op.operands if value not in ids]
    if unknown:
        raise BadInput(f"`{op.name}` uses `{unknown[0]}`, which nothing before it defines")
    operands = [{"%": ids[value]} for value in op.operands]
    results = []
    for value, type_ in zip(op.results, op.result_types):
        ids[value] = len(ids)
        results.append({"%": ids[value], "TT": type_to_json(type_)})
    attributes = {key: {"N": key, "AT": attribute_to_json(op.name, key, text)} for key, text in op.attributes.items()}
    outside = [attributes.pop(key) for key in OUTSIDE if key in attributes]
    return {"#": f"{DIALECTS[dialect]}.{name}", "I": operands, "O": results,
            "A": list(attributes.values()), "OA": outside}


def stand_in(name, type_):
    """A data op that holds the place of a keyword argument until the program is loaded."""
    op = Op.__new__(Op)
    op.name, op.operands, op.results, op.result_types = "pd_op.data", [], [f"%kwarg_{name}"], [type_]
    op.attributes = {"name": f'"{name}"', "shape": "[]", "dtype": "float32", "place": "Place(cpu)"}
    return op


def to_json(ops, stand_ins):
    ids = {NULL_VALUE: 0}
    block = {"#": "block_0", "args": [], "ops": [op_to_json(op, ids) for op in stand_ins + ops]}
    return {"base_code": {"magic": "pir", "trainable": True, "version": 4},
            "program": {"regions": [{"#": "region_0", "blocks": [block]}]}}


# --- JSON to a program of Paddle's ----------------------------------------------------------------------------------

def kwarg_types(ops):
    """The types of the keyword arguments that have a use."""
    return {value.removeprefix("%kwarg_"): type_ for op in ops
            for value, type_ in zip(op.operands, op.operand_types) if value.startswith("%kwarg_")}


def add_kwargs(paddle, block, kwargs):
    """Puts the keyword arguments where their stand-ins are, which are the first ops of the block."""
    place = paddle.base.libpaddle.Place()
    place.set_place(paddle.CPUPlace())
    for (name, attributes), op in zip(kwargs.items(), block.ops):
        value = block.add_kwarg(name, op.result(0).type())
        if attributes.get("place") == "Place(cpu)":
            value.place_attr = place
        for flag in ("persistable", "stop_gradient"):
            if flag in attributes:
                setattr(value, flag, attributes[flag] == "true")
        op.result(0).replace_all_uses_with(value)
        op.erase()


def rebuild(paddle, text):
    """The program that prints as `text`."""
    from paddle.base import core
    kwargs, ops = parse(text)
    types = kwarg_types(ops)
    stand_ins = [stand_in(name, types.get(name, UNUSED_KWARG)) for name in kwargs]
    program = paddle.static.Program()
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(to_json(ops, stand_ins), file)
        file.flush()
        core.deserialize_pir_program(file.name, program)
    add_kwargs(paddle, program.global_block(), kwargs)
    return program


def comparable(text):
    """The lines of a program; those of keyword arguments, whose order means nothing, apart and sorted."""
    lines = text.rstrip("\n").split("\n")
    kwargs = []
    for line in (line for line in lines if line.startswith("        %kwarg_")):
        name, _, attributes = line.partition(" {")
        kwargs.append((name, sorted(split_list(attributes[:-1]))))
    return sorted(kwargs), [line for line in lines if not line.startswith("        %kwarg_")]


def differences(expected, found):
    """How the text of the rebuilt program differs from the one read, for a person."""
    (expected_kwargs, expected), (found_kwargs, found) = comparable(expected), comparable(found)
    result = [f"keyword arguments: {kwarg}" for kwarg in expected_kwargs if kwarg not in found_kwargs]
    if len(expected) != len(found):
        result.append(f"{len(expected)} lines read, {len(found)} after rebuilding")
    return result + [f"- {old.strip()}\n+ {new.strip()}" for old, new in zip(expected, found) if old != new]


# --- timing ---------------------------------------------------------------------------------------------------------

def timed(call, *arguments):
    """What the call returns, and its (cpu, wall) seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = call(*arguments)
    return result, (time.process_time() - cpu, time.perf_counter() - wall)


def measure(program, attributes):
    """Runs the pass once, part by part; returns part -> (cpu, wall), the programs by job type, and the jobs."""
    from paddle.distributed.passes import new_pass
    from paddle.distributed.passes.pass_utils import set_skip_gc_vars
    scheduler = new_pass("pipeline_scheduler_VPP", attributes)
    parts = {}
    (types, programs), parts["partition"] = timed(scheduler._partial_pir_programs, program)
    jobs, parts["job_list"] = timed(scheduler._create_job_list)
    _, parts["skip_gc"] = timed(set_skip_gc_vars, attributes["num_micro_batches"], types, programs, jobs)
    parts["total"] = tuple(map(sum, zip(*parts.values())))
    _, parts["text"] = timed(lambda: [str(program) for program in programs])
    return parts, dict(zip(types, programs)), jobs


def run(program, attributes, directory):
    """One repeat: the seconds of each part."""
    gc.collect()
    parts, programs, jobs = measure(program.clone(), attributes)
    print(f"{len(programs)} programs, {len(jobs)} jobs, partition cpu {parts['partition'][0]:.6f}")
    if directory:
        write_programs(directory, programs)
    return parts


def write_programs(directory, programs):
    os.makedirs(directory, exist_ok=True)
    for job_type, program in programs.items():
        with open(os.path.join(directory, f"{job_type}.pir"), "w") as file:
            file.write(str(program))


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", help="PIR text, or PIR text under gzip where the name ends in .gz")
    parser.add_argument("--pp-degree", type=int, required=True, help="pipeline stages")
    parser.add_argument("--vpp-degree", type=int, required=True, help="chunks on each stage")
    parser.add_argument("--micro-batches", type=int, required=True)
    parser.add_argument("--stage", type=int, required=True, help="the stage whose program this is")
    parser.add_argument("--split-backward", action="store_true")
    parser.add_argument("--repeat", type=positive, default=3, metavar="N")
    parser.add_argument("-o", metavar="DIR", help="write the programs there, one file per job type")
    return parser.parse_args()


def main():
    given = arguments()
    warnings.simplefilter("ignore")  # Paddle's, on tools that only building extensions needs
    try:
        import paddle
    except ImportError:
        print("paddle is missing: pip install paddlepaddle==3.3.1", file=sys.stderr)
        return NO_PADDLE
    paddle.enable_static()
    try:
        text = read_text(given.input)
        program = rebuild(paddle, text)
    except (BadInput, OSError, UnicodeDecodeError) as error:
        print(f"{given.input}: {error}", file=sys.stderr)
        return 1
    found = differences(text, str(program))
    print(f"paddle {paddle.__version__}, {program.num_ops()} ops rebuilt, {len(found)} lines differ")
    if found:
        print("\n".join(found[:10]), file=sys.stderr)
        return 1

    attributes = {"pp_degree": given.pp_degree, "vpp_degree": given.vpp_degree, "pp_stage": given.stage,
                  "num_micro_batches": given.micro_batches, "split_backward": given.split_backward,
                  "enable_send_recv_overlap": False}
    try:
        runs = [run(program, attributes, given.o) for _ in range(given.repeat)]
    except Exception as error:  # Paddle raises of all kinds; some, as AssertionError, with no text
        print(f"{given.input}: Paddle's pass failed: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for part in runs[0]:
        cpu, wall = (statistics.median(parts[part][which] for parts in runs) for which in (0, 1))
        print(f"part {part} cpu {cpu:.6f} wall {wall:.6f} peak {peak:.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
