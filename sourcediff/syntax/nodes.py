"""The node classes of the syntax tree. This file and its neighbours in ``syntax/`` are the only importers of gast.

gast is Python's ``ast`` with one shape for all Python versions: function parameters are ``Name`` nodes, and so on.
Elsewhere: ``from sourcediff.syntax import nodes as n``.
"""

from gast import (  # noqa: F401
    AST, Add, And, AnnAssign, Assert, Assign, Attribute, AugAssign, BinOp, BitAnd, BitOr, BitXor, BoolOp, Break, Call, Compare,
    Constant, Continue, Del, Delete, Dict, DictComp, Div, Eq, Expr, FloorDiv, For, FormattedValue, FunctionDef, GeneratorExp,
    Global, Gt, GtE, If, IfExp, Import, ImportFrom, In, Invert, Is, IsNot, JoinedStr, Lambda, List, ListComp, Load, LShift, Lt, LtE,
    Match, MatchAs, MatchClass, MatchMapping, MatchOr, MatchSequence, MatchSingleton, MatchStar, MatchValue, MatMult, Mod, Module, Mult,
    Name, NamedExpr, NodeTransformer, NodeVisitor, Nonlocal, Not, NotEq, NotIn, Or, Pass, Pow, Raise,
    Return, RShift, Set, SetComp, Slice, Starred, Store, Sub, Subscript, Try, Tuple, UAdd, UnaryOp, USub, While, With,
    alias, arguments, comprehension, copy_location, dump, expr, fix_missing_locations, iter_child_nodes, iter_fields, keyword, parse, stmt,
    walk,
)
from gast import ast_to_gast as from_ast  # noqa: F401
