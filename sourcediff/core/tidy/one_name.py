"""Give one name to what is copied from name to name, and write numbers that are bound once where they are read.

>>> from sourcediff.syntax.quote import statements
>>> from sourcediff.syntax.text import block_lines
>>> body = statements('''
... value = np.sin(x)
... y = value
... steps = 3
... for k in range(steps):
...     y_bar = y * y_bar
... z_bar = y_bar
... z_bar[0] += 1.0
... ''')
>>> made = one_name(body, {"x", "y_bar"}, {"x", "y"})
>>> print("\\n".join(block_lines(made, 0, [""])))
y = np.sin(x)
for k in range(3):
    y_bar = y * y_bar
y_bar[0] += 1.0
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations, product

from ...analysis.literals import MISSING, constant
from ...analysis.statements import entry_put_in, grown, mutates, shrunk, simple, target_names, targets
from ...syntax import nodes as n
from ...syntax.quote import altered, clone, expression, names, place
from .inline_temporaries import ReadOnce, sharing

Block = list[n.stmt]

OFTEN = 4
"""How often a number is read that is written where it is."""

TWICE = 2
"""How often an entry is read that is written where it is."""

SCOPED = (n.comprehension, n.Lambda, n.NamedExpr)


def one_name(
    body: Block, kept: Collection[str], own: Collection[str], bars: Collection[str] = (), functions: Collection[str] = (),
    unsure: Collection[str] = (),
) -> Block:
    """A body in which ``kept`` names, parameters and free ones, stay, of the others rather the user's ``own``, and adjoints of these.

    ``functions`` are names of functions and modules, ``unsure`` those that a path may leave unbound.
    """
    every = simple(body)
    bound = times_bound(every)
    scoped = {part.id for node in every for inner in n.walk(node) if isinstance(inner, SCOPED) for part in n.names_in(inner)} | set(unsure)
    pairs = [(node.targets[0].id, node.value.id) for node in every if is_copy(node)]
    joined = classes_of(body, [*pairs, *taken_back(every)], {name: name in kept for name in (bound.keys() | set(kept)) - scoped})

    def rank(name: str) -> tuple[bool | int | str, ...]:
        return name not in kept, name not in own, name not in bars, name[-1].isdigit(), len(name), name

    one = {name: min(alike, key=rank) for name, alike in joined.items()}
    instead = {name: expression(best) for name, best in one.items() if name != best}
    body = rewritten(body, instead | literals(every, bound, {*kept, *own, *scoped, *joined}))
    return rewritten(body, entries(body, {*kept, *own, *bars, *scoped}, kept, functions))


def times_bound(every: Block) -> Counter[str]:
    """How often names are bound in statements."""
    return Counter(name for node in every for target in targets(node) for name in target_names(target))


def taken_back(every: Block) -> list[tuple[str, str]]:
    """What is pushed on a tape, with what its pop binds, names both."""
    pushed = {grown(node): parts_of(entry_put_in(node)) for node in every if grown(node) is not None}
    return [(one.id, other.id) for node in every if isinstance(node, n.Assign) and (tape := shrunk(node)) in pushed
            for one, other in zip(pushed[tape], parts_of(node.targets[0])) if isinstance(one, n.Name) and isinstance(other, n.Name)]


def parts_of(node: n.expr) -> list[n.expr]:
    """What a tuple is made of, or what is none."""
    return node.elts if isinstance(node, n.Tuple) else [node]


def classes_of(body: Block, copies: Sequence[tuple[str, str]], kept: Mapping[str, bool]) -> dict[str, set[str]]:
    """For pairs of names, those that one name will do for: where one of them is bound, the others are not read any more.

    Of ``kept`` names, which a class may have one of, nothing is bound in the body before it begins.
    """
    found = {name: {name} for pair in copies for name in pair if pair[0] != pair[1] and name in kept}
    if not found:
        return found
    live = ReadOnce(body, found).live
    apart = {frozenset(pair) for pair in combinations([name for name in found if kept[name]], 2)}
    for node in simple(body):
        for name in set().union(*map(target_names, targets(node))) & found.keys():
            others = live[node] - {name} - ({node.value.id} if is_copy(node) else set())
            together = set().union(*map(target_names, targets(node))) & found.keys() - {name}
            apart |= {frozenset((name, other)) for other in others | together}
    for pair in copies:
        one, other = map(found.get, pair)
        if one and other and one is not other and not any(frozenset(both) in apart for both in product(one, other)):
            found |= dict.fromkeys(other, one)
            one |= other
    return found


def is_copy(node: n.stmt) -> bool:
    """Whether a statement gives a name to what has one."""
    return isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name) and isinstance(node.value, n.Name)


def literals(every: Block, bound: Mapping[str, int], others: Collection[str]) -> dict[str, n.expr]:
    """The numbers that names stand for wherever they are bound, if they are not read often, nor taken apart."""
    found: dict[str, n.expr] = {}
    for node in every:
        if isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name) and type(constant(node.value)) in (int, float):
            name = node.targets[0].id
            if name not in others and (constant(node.value) >= 0 or isinstance(node.value, n.UnaryOp)):
                found.setdefault(name, node.value)
    reads = read_in(every) if found else Counter()
    times = Counter(node.targets[0].id for node in every if isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name)
                    and node.targets[0].id in found and repr(constant(node.value)) == repr(constant(found[node.targets[0].id])))
    for node in every if found else ():
        asked = [inner.value for inner in n.walk(node) if isinstance(inner, (n.Attribute, n.Subscript))]
        reads.update({inner.id: OFTEN for inner in asked if isinstance(inner, n.Name)})
    return {name: value for name, value in found.items() if bound[name] == times[name] and reads[name] <= OFTEN}


def entries(body: Block, others: Collection[str], given: Collection[str], functions: Collection[str]) -> dict[str, n.expr]:
    """The entries, at places that are numbers or words, that names stand for which are read twice, of what never changes."""
    every, shared = simple(body), sharing(body, functions)
    bound = times_bound(every)
    changed = mutates(every)
    changed = changed.union(*(shared.get(name, ()) for name in changed))
    at: dict[str, int] = {}  # the block in which a name is bound, by its place in the source
    for block in blocks(body):
        at.update((name, id(block)) for node in block for target in targets(node) for name in target_names(target))
    reads, found = read_in(every), dict[str, n.expr]()
    for node in every:
        value = node.value if isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name) else None
        if not isinstance(value, n.Subscript) or not isinstance(value.value, n.Name) or not is_place(value.slice):
            continue
        name, whole = node.targets[0].id, value.value.id
        alone = bound[name] == 1 and name not in others and 1 <= reads[name] <= TWICE  # what nobody reads is asked for what it may raise
        stays = whole not in bound if whole in given else bound[whole] == 1 and at[whole] in (id(body), at[name])
        if alone and stays and whole not in found and not {name, whole} & changed:
            found[name] = value
    return found


def blocks(body: Block) -> list[Block]:
    """A block, and those within."""
    inner = [getattr(node, field, []) for node in body for field in ("body", "orelse")]
    return [body, *(found for block in inner for found in blocks(block))]


def read_in(every: Block) -> Counter[str]:
    """How often names are read in statements, of compound ones in what is asked first."""
    parts = [node.iter if isinstance(node, n.For) else node.test if isinstance(node, (n.If, n.While)) else node for node in every]
    return Counter(part.id for part in parts for part in n.names_in(part) if type(part.ctx) is n.Load)


def is_place(index: n.expr) -> bool:
    """Whether an index is made of numbers, words and slices between numbers."""
    if isinstance(index, n.Slice):
        return all(part is None or constant(part) is not MISSING for part in (index.lower, index.upper, index.step))
    return all(map(is_place, index.elts)) if isinstance(index, n.Tuple) else constant(index) is not MISSING


def rewritten(body: Block, instead: Mapping[str, n.expr]) -> Block:
    """A block with these trees for these names, without what would bind a name to itself, or a number."""
    if not instead:
        return body
    done: Block = []
    for node in body:
        if isinstance(node, (n.If, n.For, n.While)):
            blocks = {"body": rewritten(node.body, instead) or [place(n.Pass(), node)], "orelse": rewritten(node.orelse, instead)}
            fields = {name: clone(part, instead) for name in ("target", "iter", "test") if (part := getattr(node, name, None)) is not None}
            done.append(altered(node, **fields, **blocks))
            continue
        target = node.targets[0] if isinstance(node, n.Assign) else None
        if isinstance(target, n.Name) and not isinstance(instead.get(target.id, target), n.Name):
            continue
        made = node if instead.keys().isdisjoint(names(node)) else clone(node, instead)
        if not is_copy(made) or made.targets[0].id != made.value.id:
            done.append(made)
    return done
