# Random elementwise expressions, each as the kernel writes it and as the reference does, with bounds on its values:
# an expression is offered only where every step is exact in its data type, or rounds once and the reference says so.
from dataclasses import dataclass, replace

# Digits of the significand, or of the number, that are kept exactly.
DIGITS = {"f32": 24, "bf16": 8, "f16": 11, "fp8_e4m3": 4, "fp8_e5m2": 3}
BYTES = {"f32": 4, "bf16": 2, "f16": 2, "i32": 4, "i64": 8, "i16": 2, "i8": 1, "u8": 1, "u32": 4,
         "fp8_e4m3": 1, "fp8_e5m2": 1}
LARGEST = {"f16": 65504.0, "fp8_e4m3": 448.0, "fp8_e5m2": 57344.0}
WRAPPING = {"i8": (8, True), "i16": (16, True), "u8": (8, False), "u32": (32, False)}
FINEST = 8  # multiples of 2^-8 at least; e4m3 has no finer numbers than 2^-9

OR, AND, NOT, COMPARE, SUM, PRODUCT, UNARY, POSTFIX = 1, 2, 3, 4, 9, 10, 11, 12
OPERATORS = {"or": OR, "and": AND, "==": COMPARE, "!=": COMPARE, "<": COMPARE, "<=": COMPARE, ">": COMPARE,
             ">=": COMPARE, "+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "//": PRODUCT, "%": PRODUCT}


@dataclass(frozen=True)
class Text:
    """A text and how tightly it binds."""

    text: str
    level: int = POSTFIX

    def inside(self, level):
        return self.text if self.level >= level else f"({self.text})"


def infix(a, operator, b):
    level = OPERATORS[operator]
    left = level + 1 if level == COMPARE else level
    return Text(f"{a.inside(left)} {operator} {b.inside(level + 1)}", level)


def call(name, *arguments):
    return Text(f"{name}({', '.join(a.text for a in arguments)})")


@dataclass(frozen=True)
class Value:
    code: Text  # in the kernel
    meaning: Text  # in the reference
    dtype: str  # "number": an integer of the program, which takes the type of what it meets
    bound: float = 1  # |x| is at most this
    bits: int = 0  # and a multiple of 2^-bits
    rows: int = 1
    cols: int = 1
    scalar: bool = False
    exact: bool = True
    name: str = ""  # of the tile, where row_index can take it

    def is_real(self):
        return self.dtype in DIGITS


def number(value):
    text = Text(str(value), POSTFIX if value >= 0 else UNARY)
    return Value(text, text, "number", abs(value), 0, scalar=True)


def fraction(value):
    text = Text(repr(float(value)), POSTFIX if value >= 0 else UNARY)
    bits = next(b for b in range(12) if float(value) * 2**b == int(float(value) * 2**b))
    return Value(text, text, "f32", abs(value), bits, scalar=True)


def common(a, b):
    """What two data types become when they meet; None if neither becomes the other."""
    if a == b or b == "number":
        return a
    if a == "number":
        return b
    if a in DIGITS and b in DIGITS:
        return "f32" if "f32" in (a, b) else None
    signed = [d for d in ("i8", "i16", "i32", "i64") if d in (a, b)]
    if len(signed) == 2:
        return signed[1]
    return "u32" if {a, b} == {"u8", "u32"} else None


def rounded(code, meaning, dtype, bound, bits, **rest):
    """A result of arithmetic in `dtype`: None where it would be inexact and the reference cannot say how."""
    if bits > FINEST:
        return None
    if dtype in DIGITS:
        digits = DIGITS[dtype]
        if bound * 2**bits > 2**digits:
            if dtype == "f32":
                return None
            meaning = call(dtype, meaning)
            bound *= 1 + 2.0 ** (1 - digits)
        if bound > LARGEST.get(dtype, 2.0**100):
            return None
        return Value(code, meaning, dtype, bound, bits, **rest)
    if dtype in WRAPPING:
        width, signed = WRAPPING[dtype]
        meaning = call(dtype, meaning)
        return Value(code, meaning, dtype, min(bound, 2.0 ** (width - 1)) if signed else 2.0**width - 1, 0, **rest)
    limit = {"i32": 2.0**31 - 1, "i64": 2.0**50}.get(dtype, 2.0**20)
    return Value(code, meaning, dtype, bound, 0, **rest) if bound <= limit else None


def joined_shape(values):
    """Rows, columns and whether it is a single number, of values joined cell by cell; None where they do not fit."""
    tiles = [v for v in values if not v.scalar]
    rows = {v.rows for v in tiles} - {1}
    cols = {v.cols for v in tiles} - {1}
    if len(rows) > 1 or len(cols) > 1:
        return None
    return dict(rows=max(rows, default=1), cols=max(cols, default=1), scalar=not tiles,
                exact=all(v.exact for v in values))


def cast(dtype, v):
    """The value as `dtype`, rounded, truncated or wrapped as the language says; None where it is not offered."""
    if v.dtype == dtype:
        return v
    code, meaning = call(dtype, v.code), call(dtype, v.meaning)
    rest = dict(rows=v.rows, cols=v.cols, scalar=v.scalar, exact=v.exact)
    if v.dtype == "number":
        return None  # its range would have to be looked at
    eighth = dtype.startswith("fp8")
    if dtype in DIGITS:
        if not v.is_real() and (eighth or v.bound > 2**24):
            return None
        bound = min(v.bound, LARGEST.get(dtype, v.bound)) if eighth else v.bound * (1 + 2.0 ** (1 - DIGITS[dtype]))
        if bound > LARGEST.get(dtype, 2.0**100):
            return None
        exact = v.bound * 2**v.bits <= 2 ** DIGITS[dtype] and not eighth
        # Integers stay whole in the reference, and wrap where reals saturate, unless asked to.
        return Value(code, v.meaning if exact and v.is_real() else meaning, dtype, v.bound if exact else bound, v.bits, **rest)
    if not v.exact:
        return None  # a small error would become an integer
    if dtype in WRAPPING:
        width, signed = WRAPPING[dtype]
        bound = min(v.bound, 2.0 ** (width - 1)) if signed else 2.0**width - 1
        return Value(code, meaning, dtype, bound, 0, **rest)
    if v.bound > (2.0**31 - 1 if dtype == "i32" else 2.0**50):
        return None
    return Value(code, meaning, dtype, v.bound, 0, **rest)


def arithmetic(operator, a, b):
    shape = joined_shape([a, b])
    dtype = common(a.dtype, b.dtype)
    if shape is None or dtype in (None, "bool", "number") or "bool" in (a.dtype, b.dtype):
        return None
    if (a.dtype == "number" or b.dtype == "number") and (dtype.startswith("fp8") or unfit(a, dtype) or unfit(b, dtype)):
        return None
    bits = a.bits + b.bits if operator == "*" else max(a.bits, b.bits)
    bound = a.bound * b.bound if operator == "*" else a.bound + b.bound
    return rounded(infix(a.code, operator, b.code), infix(a.meaning, operator, b.meaning), dtype, bound, bits, **shape)


def unfit(v, dtype):
    """Whether an integer of the program lies outside of a type."""
    if v.dtype != "number":
        return False
    if dtype in ("u8", "u32") and v.code.text.startswith("-"):
        return True
    return v.bound > {"u8": 255, "i8": 127, "bf16": 256, "f16": 256}.get(dtype, 2**20)


def extreme(name, a, b):
    """min or max."""
    shape = joined_shape([a, b])
    dtype = common(a.dtype, b.dtype)
    if shape is None or dtype in (None, "bool", "number") or "bool" in (a.dtype, b.dtype):
        return None
    if unfit(a, dtype) or unfit(b, dtype) or (dtype.startswith("fp8") and "number" in (a.dtype, b.dtype)):
        return None
    return Value(call(name, a.code, b.code), call(name, a.meaning, b.meaning), dtype, max(a.bound, b.bound),
                 max(a.bits, b.bits), **shape)


def where(condition, a, b):
    shape = joined_shape([condition, a, b])
    dtype = common(a.dtype, b.dtype)
    if shape is None or dtype in (None, "number") or unfit(a, dtype) or unfit(b, dtype):
        return None
    if dtype.startswith("fp8") and "number" in (a.dtype, b.dtype):
        return None
    if "bool" in (a.dtype, b.dtype) and a.dtype != b.dtype:
        return None
    return Value(call("where", condition.code, a.code, b.code),
                 call("where", condition.meaning, a.meaning, b.meaning), dtype, max(a.bound, b.bound),
                 max(a.bits, b.bits), **shape)


def compare(operator, a, b):
    shape = joined_shape([a, b])
    dtype = common(a.dtype, b.dtype)
    if shape is None or dtype in (None, "bool", "number") or "bool" in (a.dtype, b.dtype):
        return None
    if unfit(a, dtype) or unfit(b, dtype) or not shape["exact"]:
        return None
    if dtype.startswith("fp8") and "number" in (a.dtype, b.dtype):
        return None
    return Value(infix(a.code, operator, b.code), infix(a.meaning, operator, b.meaning), "bool", 1, 0, **shape)


def logic(operator, a, b):
    shape = joined_shape([a, b])
    if shape is None:
        return None
    return Value(infix(a.code, operator, b.code), infix(a.meaning, operator, b.meaning), "bool", 1, 0, **shape)


def negated_truth(a):
    code, meaning = (Text(f"not {t.inside(COMPARE)}", NOT) for t in (a.code, a.meaning))
    return replace(a, code=code, meaning=meaning, name="")


def negated(a):
    if a.dtype in ("u8", "u32", "number", "bool"):
        return None
    code, meaning = (Text(f"-{t.inside(POSTFIX)}", UNARY) for t in (a.code, a.meaning))
    if a.dtype in WRAPPING:
        return rounded(code, meaning, a.dtype, a.bound, 0, rows=a.rows, cols=a.cols, scalar=a.scalar, exact=a.exact)
    return replace(a, code=code, meaning=meaning, name="")


def absolute(a):
    if a.dtype in ("number", "bool"):
        return None
    code, meaning = call("abs", a.code), call("abs", a.meaning)
    if a.dtype in WRAPPING:
        return rounded(code, meaning, a.dtype, a.bound, 0, rows=a.rows, cols=a.cols, scalar=a.scalar, exact=a.exact)
    return replace(a, code=code, meaning=meaning, name="")


def fused(a, b, c):
    """fma(a, b, c): 16-bit operands are widened first."""
    shape = joined_shape([a, b, c])
    if shape is None or not all(v.is_real() or v.dtype == "number" for v in (a, b, c)):
        return None
    return rounded(call("fma", a.code, b.code, c.code), call("fma", a.meaning, b.meaning, c.meaning), "f32",
                   a.bound * b.bound + c.bound, max(a.bits + b.bits, c.bits), **shape)


def divided(operator, a, divisor):
    """Floor division, its remainder, or ceil_div, of integers by a positive one of the program."""
    if a.is_real() or a.dtype in ("bool", "number", "u8", "u32", "i8", "i16") or not a.exact:
        return None
    d = number(divisor)
    if operator == "ceil_div":
        pair = call("ceil_div", a.code, d.code), call("ceil_div", a.meaning, d.meaning)
    else:
        pair = infix(a.code, operator, d.code), infix(a.meaning, operator, d.meaning)
    bound = divisor if operator == "%" else a.bound / divisor + 1
    if operator == "ceil_div" and a.bound + divisor > 2**31 - 1:
        return None
    return replace(a, code=pair[0], meaning=pair[1], bound=bound, name="")


def clamped(v, limit):
    if v.bound <= limit:
        return v
    above = extreme("max", v, number(-limit if v.dtype not in ("u8", "u32") else 0))
    made = extreme("min", above, number(limit)) if above is not None else None
    return replace(made, bound=limit) if made is not None else v


def approximate(choices, v):
    """An approximate function of an exact value, where it is well conditioned."""
    v = cast("f32", v) if v.dtype != "f32" else v
    if v is None or v.scalar:
        return None
    name = choices.pick(["exp2", "tanh", "exp", "sqrt", "rsqrt", "log2", "log", "sin", "cos", "div"])
    if name in ("exp", "exp2", "tanh"):
        v = arithmetic("*", clamped(v, 16), fraction(0.25))
    elif name in ("sin", "cos"):
        v = arithmetic("*", clamped(v, 12), fraction(0.25))
    elif name == "sqrt":
        v = absolute(v)
    else:
        v = arithmetic("+", absolute(v), number(2 if name.startswith("log") else 1))
    if v is None:
        return None
    shape = dict(rows=v.rows, cols=v.cols, exact=False)
    if name == "div":
        top = choices.pick([1, 3, -2])
        return Value(infix(number(top).code, "/", v.code), infix(number(top).code, "/", v.meaning), "f32", abs(top), 0,
                     **shape)
    bound = {"exp2": 16, "exp": 55, "sqrt": v.bound, "log2": 30, "log": 21}.get(name, 1)
    return Value(call(name, v.code), call(name, v.meaning), "f32", bound, 0, **shape)
