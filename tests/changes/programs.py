"""Programs that change while they run: what a function is made of, and the changes, as texts that are run in its module."""

# ruff: noqa: E501  (each program and each change is one text)

from __future__ import annotations

from typing import NamedTuple


class Program(NamedTuple):
    """``above`` stands before the function ``f`` of the body ``f``, ``below`` after it; ``changes`` are run one after the other.

    ``refused`` is the greatest part of the questions that may be refused.
    """

    f: str
    below: str
    changes: tuple[str, ...]
    above: str = ""
    refused: float = 0.5


HEAD = """
import dataclasses, enum, functools, math, sys, types
from typing import NamedTuple
import numpy as np
from tests.changes import doors

{above}

def f(x):
{f}

def total(x):
    return np.sum(f(x))

def again(x, n=2):
    return total(x) if n == 0 else again(x, n - 1)

EARLY = doors.made(total, {wanted})

{below}
"""


def text_of(program: Program, wanted: tuple[str, ...] = ()) -> str:
    """The text of its module."""
    body = "\n".join("    " + line for line in program.f.split("\n"))
    return HEAD.format(above=program.above, f=body, below=program.below, wanted=repr(tuple(wanted)))


SQUARE, CUBE = "def helper(x):\n    return x ** 2", "def helper(x):\n    return x ** 3 + x"

TWO_CLASSES = """
class A:
    k = 2.0
    def g(self, x):
        return x ** 2

class B(A):
    def g(self, x):
        return super().g(x) * x

def other(self, x):
    return 5 * x ** 3
"""

MODULE = "tools = types.ModuleType('tools'); tools.sub = types.ModuleType('tools.sub')\n"

PROGRAMS: dict[str, Program] = {
    # functions
    "a helper is defined anew": Program("return helper(x)", SQUARE, (CUBE, SQUARE)),
    "a helper is rebound": Program("return helper(x)", SQUARE + "\nother = lambda x: x ** 4", ("helper = other",)),
    "a helper's helper is defined anew": Program("return outer(x)", "def outer(x):\n    return 2 * helper(x)\n" + SQUARE, (CUBE,)),
    "a helper is defined later": Program("return helper(x)", "", (SQUARE, CUBE)),
    "a helper of one branch is defined later": Program(
        "if FLAG:\n    return helper(x)\nreturn x * x", "FLAG = False", ("FLAG = True\n" + SQUARE, CUBE)),
    "a helper is deleted": Program("return helper(x)", SQUARE, ("del helper", CUBE)),
    "a helper gets another code": Program(
        "return helper(x)", SQUARE + "\ndef other(x):\n    return x ** 4", ("helper.__code__ = other.__code__",)),
    "a helper gets other defaults": Program(
        "return helper(x)", "def helper(x, k=2, *, s=1.0):\n    return s * x ** k",
        ("helper.__defaults__ = (3,)", "helper.__kwdefaults__ = {'s': 4.0}", "helper.__kwdefaults__['s'] = 5.0", "helper.__defaults__ = (2.5,)")),
    "a default is a list that changes": Program(
        "return helper(x)", "def helper(x, k=[2.0]):\n    return k[0] * x ** 2", ("helper.__defaults__[0][0] = 3.0",), refused=1.0),
    "a default is a function that is exchanged": Program(
        "return helper(x)", "def square(x):\n    return x ** 2\ndef helper(x, act=square):\n    return act(x)",
        ("square.__code__ = (lambda x: x ** 3).__code__",)),
    "an attribute of a helper": Program("return helper.k * helper(x)", SQUARE + "\nhelper.k = 2.0", ("helper.k = 3.0", "helper.k = 4")),
    "a wrapped helper": Program(
        "return helper(x)",
        "def twice(function):\n    @functools.wraps(function)\n    def wrapper(*args):\n        return 2 * function(*args)\n    return wrapper\n"
        "@twice\ndef helper(x):\n    return x ** 2",
        ("helper.__closure__[0].cell_contents = lambda x: x ** 3",)),
    "a cell is filled later": Program(
        "return inner(x)",
        "def outer():\n    def inner(x):\n        return k * x ** 2\n    def fill(value):\n        nonlocal k\n        k = value\n"
        "    if False:\n        k = 0\n    return inner, fill\ninner, fill = outer()",
        ("fill(2.0)", "fill(lambda: 1)", "fill(3)", "fill(np.ones(2))")),
    "a cell holds a function": Program(
        "return inner(x)",
        "def outer(act):\n    def inner(x):\n        return act(x)\n    def fill(value):\n        nonlocal act\n        act = value\n"
        "    return inner, fill\ninner, fill = outer(lambda x: x ** 2)",
        ("fill(lambda x: x ** 3)", "fill(np.sin)", "fill(np.cos)")),
    "a lambda in a table": Program(
        "return TABLE['a'](x)", "TABLE = {'a': lambda x: x ** 2, 'b': lambda x: x ** 3}", ("TABLE['a'] = TABLE['b']", "TABLE = {'a': np.sin}")),
    "a list of functions": Program(
        "for act in ACTS:\n    x = act(x)\nreturn x", "ACTS = [lambda x: x ** 2, np.sin]",
        ("ACTS[0] = lambda x: x ** 3", "ACTS.append(np.cos)", "ACTS.reverse()", "ACTS.pop()")),
    "a partial": Program(
        "return act(x)", "def power(x, k, s=1.0):\n    return s * x ** k\nact = functools.partial(power, k=2)",
        ("act = functools.partial(power, k=3)", "act.keywords['s'] = 2.0", "act.keywords['k'] = 2.5", "power.__defaults__ = (7.0,); del act.keywords['s']")),
    "a bound method": Program(
        "return act(x)", TWO_CLASSES + "act = B().g", ("B.g = other", "act = B().g", "act = A().g", "A.g = lambda self, x: np.sin(x)", "act = A().g")),
    # names
    "a number": Program("return K * x ** 2", "K = 2.0", ("K = 3.0", "K = 4", "K = np.array([1.0, 2.0])", "K = True", "del K", "K = 5.0")),
    "a name hides a builtin": Program("return abs(x) ** 2 * max(2.0, 1.0)", "", ("def abs(x):\n    return x ** 3", "max = min", "del abs", "del max")),
    "a builtin is exchanged": Program(
        "return np.abs(x) ** 2 * max(2.0, 1.0)", "import builtins\nMAX = max", ("builtins.max = lambda *given, **how: 7.0 if given == (2.0, 1.0) else MAX(*given, **how)", "builtins.max = MAX")),
    "np stands for something else": Program(
        "return np.sin(x) * 2", "class Fake:\n    sin = staticmethod(lambda x: x ** 3)\n    sum = np.sum\nreal = np", ("np = Fake", "np = real")),
    "a module is exchanged": Program(
        "return tools.g(x)", "tools.g = lambda x: x ** 2", ("old = tools; tools = types.ModuleType('tools'); tools.g = lambda x: x ** 3", "tools.g = np.sin"),
        MODULE),
    "a module's function is bound later": Program("return tools.g(x)", "", ("tools.g = lambda x: x ** 2", "tools.g = lambda x: x ** 3"), MODULE),
    "a module's function in one branch is bound later": Program(
        "if hasattr(tools, 'g'):\n    return tools.g(x)\nreturn x * x", "", ("tools.g = lambda x: x ** 3", "del tools.g"), MODULE, refused=0.7),
    "a module in a module is exchanged": Program(
        "return tools.sub.g(x) * tools.sub.k", "tools.sub.g = lambda x: x ** 2; tools.sub.k = 2.0",
        ("tools.sub.k = 3", "tools.sub = types.SimpleNamespace(g=lambda x: x ** 3, k=3.0)", "del tools.sub.k", "tools.sub.k = 4.0"), MODULE),
    "an import within": Program(
        "import imported_within as tools\nfrom imported_within import g\nreturn tools.g(x) + g(x)",
        "tools = sys.modules['imported_within'] = types.ModuleType('imported_within'); tools.g = lambda x: x ** 2",
        ("tools.g = lambda x: x ** 3", "old = tools; tools = sys.modules['imported_within'] = types.ModuleType('imported_within'); tools.g = np.sin",
         "sys.modules['imported_within'] = old"), refused=1.0),
    "NumPy is patched": Program(
        "return np.sin(x) * 2 + np.linalg.norm(x) * math.sin(1.0)", "SIN, NORM, MSIN = np.sin, np.linalg.norm, math.sin",
        ("np.sin = lambda x: x ** 3", "np.linalg.norm = np.sum", "np.sin = SIN", "np.linalg.norm = NORM", "math.sin = math.cos", "math.sin = MSIN")),
    "NumPy is patched where it is read in a helper": Program(
        "return helper(x)", "SIN = np.sin\ndef helper(x):\n    return np.sin(x)", ("np.sin = np.cos", "np.sin = SIN")),
    "NumPy is patched by another name": Program(
        "return lib.sin(x) + sin(x)", "import numpy as lib\nfrom numpy import sin\nSIN = np.sin", ("np.sin = np.cos", "sin = np.tan", "np.sin = SIN"), refused=0.6),
    "an option": Program(
        "return np.sum(np.outer(x, np.arange(1, 3, dtype=KIND)), axis=AXIS) ** 2",
        "AXIS, KIND = 0, float", ("AXIS = 1", "AXIS = None", "KIND = int", "AXIS = 0", "KIND = np.float64")),
    "an option that is a word": Program(
        "return np.sum(np.reshape(np.outer(x, x * x), (4,), order=ORDER) * np.arange(4.0))", "ORDER = 'C'", ("ORDER = 'F'",), refused=1.0),
    "an option by the default of a helper": Program(
        "return helper(x) ** 2", "def helper(x, axis=0, dtype=float):\n    return np.sum(np.outer(x, np.ones(2, dtype) * [1, 2]), axis=axis)",
        ("helper.__defaults__ = (1, float)", "helper.__defaults__ = (0, int)", "helper.__defaults__ = (None, int)")),
    "the type of an array": Program(
        "y = np.zeros(2, dtype=KIND)\ny[:] = 3.7\nreturn y * x", "KIND = float", ("KIND = int", "KIND = float", "KIND = np.float32")),
    "a table of numbers": Program(
        "return P['a'] * x ** 2 + sum(P.values())", "P = {'a': 2.0}", ("P['a'] = 3.0", "P['b'] = 4.0", "P['a'] = np.ones(2)", "del P['b']", "P = {'a': 7}")),
    "a list of numbers": Program(
        "for k in KS:\n    x = x * k + x ** 2\nreturn x", "KS = [1.0, 2.0]", ("KS[0] = 3.0", "KS.append(0.5)", "KS[:] = []", "KS = (1, 2.0)")),
    "an enumeration": Program(
        "return x ** 2 if MODE is Mode.SQUARE else x ** 3",
        "class Mode(enum.Enum):\n    SQUARE = 1\n    CUBE = 2\nMODE = Mode.SQUARE",
        ("MODE = Mode.CUBE", "MODE = Mode.SQUARE", "class Mode(enum.Enum):\n    SQUARE = 1\n    CUBE = 2", "MODE = Mode.SQUARE")),
    # classes
    "a method": Program("return A().g(x)", TWO_CLASSES, ("A.g = other", "A.g = lambda self, x: np.sin(x)")),
    "a class is defined later": Program("return A().g(x)", "", (TWO_CLASSES, "A.g = other", "A = B", "class A:\n    def g(self, x):\n        return x ** 4")),
    "a method that super reaches": Program("return B().g(x)", TWO_CLASSES, ("A.g = other", "A.g = lambda self, x: np.sin(x)")),
    "a method of a base, the subclass first": Program("return B().g(x) + A().g(x)", TWO_CLASSES, ("A.g = other", "B.g = other")),
    "a method of a base, alone below": Program(
        "return C().g(x) + A().g(x)", TWO_CLASSES + "class C(B):\n    def g(self, x):\n        return x",
        ("A.g = other", "del C.g", "A.g = lambda self, x: np.sin(x)", "B.g = other")),
    "a method of a base by its name": Program("return A.g(B(), x)", TWO_CLASSES, ("A.g = other",)),
    "an object, then its base": Program(
        "return OBJECT.g(x)", TWO_CLASSES + "OBJECT = B()", ("A.g = other", "OBJECT = A()", "A.g = lambda self, x: np.sin(x)", "OBJECT.__class__ = B", "B.g = other")),
    "a method is removed, and another one added": Program(
        "return B().g(x)", TWO_CLASSES, ("del B.g; B.h = other", "B.g = other; del B.h")),
    "an attribute of a class": Program(
        "return A().k * x ** 2", TWO_CLASSES, ("A.k = 3.0", "A.k = 4", "A.k = np.ones(2)", "A.k = property(lambda self: 5.0)", "del A.k", "A.k = 1.0")),
    "an attribute of an object hides that of its class": Program(
        "return OBJECT.k * x ** 2", TWO_CLASSES + "OBJECT = A()",
        ("OBJECT.k = 3.0", "A.k = 7.0", "del OBJECT.k", "del A.k; A.j = 1.0", "A.k = 2.0", "OBJECT.k = 3.0; A.k = property(lambda self: 5.0)")),
    "an attribute of an object becomes a method": Program(
        "return OBJECT.act(x)", TWO_CLASSES + "OBJECT = A(); OBJECT.act = np.sin",
        ("OBJECT.act = lambda x: x ** 3", "del OBJECT.act; A.act = lambda self, x: x ** 2")),
    "an object in a list": Program(
        "return (LIST[0].k + LIST[1].k) * LIST[0].g(x)", TWO_CLASSES + "LIST = [A(), A()]\nLIST[0].k = 1.5",
        ("LIST[0].k = 2.5", "LIST[1].k = 3", "LIST[1].k = np.ones(2)", "LIST[0].g = lambda x: x ** 3", "LIST[1] = B()", "LIST[0] = B()", "A.g = other")),
    "an object in a list, its functions": Program(
        "for layer in LAYERS:\n    x = layer.act(x)\nreturn x",
        "class Layer:\n    def __init__(self, act):\n        self.act = act\nLAYERS = [Layer(np.sin), Layer(lambda x: x ** 2)]",
        ("LAYERS[0].act = np.cos", "LAYERS[1].act = lambda x: x ** 3", "LAYERS.append(Layer(np.tanh))", "LAYERS[2].act = np.sin")),
    "an object in a dict": Program(
        "return TABLE['a'].k * TABLE['a'].g(x)", TWO_CLASSES + "TABLE = {'a': A()}", ("TABLE['a'].k = 3.0", "A.g = other", "TABLE['a'] = B()")),
    "an object in an object": Program(
        "return OUTER.inner.g(x) * OUTER.inner.k",
        TWO_CLASSES + "OUTER = types.SimpleNamespace(inner=A())",
        ("OUTER.inner.k = 5.0", "OUTER.inner = B()", "A.g = other", "A.k = 9", "OUTER.inner.g = np.sin")),
    "a data class": Program(
        "return P(x).k * x ** 2", "@dataclasses.dataclass\nclass P:\n    x: float\n    k: float = 2.0",
        ("P.__init__.__defaults__ = (3.0,)", "P.k = 7.0", "P.__init__.__defaults__ = (np.ones(2),)")),
    "a data class with keywords": Program(
        "return P(x=x).k * x ** 2", "@dataclasses.dataclass(kw_only=True)\nclass P:\n    x: float\n    k: float = 2.0",
        ("P.__init__.__kwdefaults__ = {'k': 3.0}", "P.__init__.__kwdefaults__['k'] = 4.0")),
    "a named tuple": Program(
        "return P(x).k * x ** 2", "class P(NamedTuple):\n    x: float\n    k: float = 2.0", ("P.__new__.__defaults__ = (3.0,)",)),
    "an initialiser": Program(
        "return P(x).y * 2", "class P:\n    def __init__(self, x):\n        self.y = x ** 2\ndef other(self, x):\n    self.y = x ** 3",
        ("P.__init__ = other", "P.__init__ = lambda self, x: setattr(self, 'y', x ** 4)")),
    "an initialiser of a base": Program(
        "return Q(x).y * 2",
        "class P:\n    def __init__(self, x):\n        self.y = x ** 2\nclass Q(P):\n    def __init__(self, x):\n        super().__init__(x * 2)\n"
        "def other(self, x):\n    self.y = x ** 3",
        ("P.__init__ = other", "del Q.__init__")),
    "a property": Program(
        "return P().k * x ** 2", "class P:\n    @property\n    def k(self):\n        return 2.0", ("P.k = property(lambda self: 3.0)", "P.k = 5.0", "P.k = property(lambda self: 4.0)")),
    "a static method": Program(
        "return P.g(x)", "class P:\n    @staticmethod\n    def g(x):\n        return x ** 2", ("P.g = staticmethod(lambda x: x ** 3)", "P.g = np.sin", "P.g = lambda x: x ** 5")),
    "a class method": Program(
        "return P.g(x) + Q.g(x)", "class P:\n    k = 2.0\n    @classmethod\n    def g(cls, x):\n        return cls.k * x ** 2\nclass Q(P):\n    pass",
        ("P.k = 3.0", "Q.k = 4.0", "P.g = classmethod(lambda cls, x: x ** cls.k)", "Q.g = classmethod(lambda cls, x: x)", "del Q.k; Q.j = 1")),
    "a callable object": Program(
        "return act(x)", "class P:\n    k = 2.0\n    def __call__(self, x):\n        return self.k * x ** 2\nact = P()",
        ("act.k = 3.0", "P.__call__ = lambda self, x: x ** 3", "P.k = 5.0; del act.k")),
    "an operator": Program(
        "return (P(2.0) * 3.0) * x ** 2",
        "class P:\n    def __init__(self, k):\n        self.k = k\n    def __mul__(self, other):\n        return self.k * other",
        ("P.__mul__ = lambda self, other: self.k + other",), refused=1.0),
    "a mixin": Program(
        "return D().g(x)", TWO_CLASSES + "class M:\n    pass\nclass D(M, A):\n    pass",
        ("M.g = other", "del M.g; M.h = 1", "D.g = lambda self, x: x", "D.__bases__ = (B,); del D.g")),
    "a class attribute by its class": Program(
        "return A.k * x ** 2 + type(OBJECT).k * x", TWO_CLASSES + "OBJECT = B()", ("A.k = 3.0", "B.k = 5.0", "OBJECT = A()", "del B.k; B.j = 2.0", "A.k = 1")),
    "a manager": Program(
        "with P() as k:\n    y = k * x ** 2\nreturn y",
        "class P:\n    def __enter__(self):\n        return 2.0\n    def __exit__(self, *error):\n        return None",
        ("P.__enter__ = lambda self: 3.0",)),
    # derivatives inside
    "a derivative inside": Program(
        "return sourcediff.grad(helper)(x[0]) * x", SQUARE, (CUBE, "helper.__code__ = (lambda x: x ** 5).__code__"), "import sourcediff"),
    "a derivative outside": Program(
        "return slope(x[0]) * x", SQUARE + "\nslope = sourcediff.grad(helper)",
        ("helper.__code__ = (lambda x: x ** 5).__code__", "slope = sourcediff.grad(lambda x: x ** 3)"), "import sourcediff"),
}
