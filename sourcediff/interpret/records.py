"""Objects in lists and dicts of the text: tuples of their parts, all of one class in a container, which nobody may change.

What is read of such a container shows the object again. An object is written as a call of :data:`MARK` until the whole text is there;
then :meth:`Records.settled` looks at each place where one of the containers is used, and refuses all but those that are known here.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from ..analysis.abstract import is_constant
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.container_methods import MUTATING
from ..syntax.quote import clone, names, place, remade
from .record_forms import KEPT, Form, Listing, Record, Reference
from .record_uses import is_compared, is_empty, is_nothing, is_row, stored_by
from .values import NotInterpreted, Row, Run, Structure, Value

MARK = "⟨object⟩"
"""The function that stands in the text for an object: of the number of its form, and the tuple of its parts."""

ORDER = (builtins.list, builtins.tuple, builtins.sorted, builtins.reversed)
"""What gives the items of a container in one order or another."""

REFUSED = "an object in a container of the text is used as a whole"


class Records:
    """The containers of the text that hold objects, by name."""

    def __init__(self, makers: dict[str, list[n.expr]]):
        self.makers = makers
        self.meant: Callable[[n.AST], Any] = lambda node: None
        self.asked = False  # whether the text may hold objects
        self.place: n.AST | None = None  # what is looked at
        self.forms: list[Form] = []
        self.of: dict[str, Form] = {}  # the form of the objects in a container
        self.dicts: set[str] = set()  # those of the containers that are dicts
        self.rows: set[str] = set()  # names that stand for one such object, or for a tuple that holds one
        self.keys: set[str] = set()  # names of keys that were taken out of a container of them
        self.alike: list[tuple[n.expr, n.expr]] = []  # what may be one list

    def marked(self, record: Form, parts: n.expr) -> n.expr:
        """An object in the text: the tuple of its parts, or its key."""
        if record not in self.forms:
            self.forms.append(record)
        number = n.Constant(value=self.forms.index(record), kind=None)
        return n.Call(func=n.Name(id=MARK, ctx=n.Load(), annotation=None, type_comment=None), args=[number, parts], keywords=[])

    def form_of(self, node: n.AST) -> Form | None:
        """The form of an object in the text; None of anything else."""
        marked = isinstance(node, n.Call) and isinstance(node.func, n.Name) and node.func.id == MARK
        return self.forms[node.args[0].value] if marked else None

    def note(self, node: n.stmt) -> None:
        """Note what a statement puts into a container, or what container it gives another name to."""
        container, values, _ = stored_by(node)
        if container is None and isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name):
            name, value = node.targets[0], node.value
            if isinstance(value, n.Name) and value.id in self.dicts:
                self.learn(name, self.of[value.id], True)
            elif (found := self.of_items(value)) is not None:
                self.learn(name, found)
            elif isinstance(value, (n.Name, n.Subscript)):
                self.alike.append((name, value))
        for value in values if container is not None else ():
            if (form := self.stored_form(value)) is not None:
                self.learn(container, form)
            elif isinstance(value, n.Name):
                self.alike.append((n.Subscript(value=container, slice=n.Constant(value=0, kind=None), ctx=n.Load()), value))

    def learn(self, container: n.expr, form: Form, is_dict: bool = False) -> None:
        """Note the form of what a container holds, and what that says of those that hold it, and of those that it holds."""
        while isinstance(container, n.Subscript) and isinstance(form, KEPT):
            if not isinstance(container.slice, n.Slice):
                form = Listing(form)
            container = container.value
        if not isinstance(container, n.Name):
            return
        known, name = container.id in self.of, container.id
        if self.of.setdefault(name, form) != form:
            raise NotInterpreted("objects of several classes in a container of the text")
        if is_dict or any(isinstance(maker, n.Dict) for maker in self.makers.get(name, ())):
            self.dicts.add(name)
            if name in self.rows:
                raise NotInterpreted(REFUSED)
        for pair in self.alike if not known else ():
            for one, other in (pair, pair[::-1]):
                if isinstance(found := self.of_items(one), KEPT) and self.of_items(other) is None:
                    self.learn(other, found)

    def forget(self, taken: set[str]) -> None:
        """Keep what is known of the names that are still taken."""
        self.of = {name: form for name, form in self.of.items() if name in taken}
        self.dicts &= taken
        self.rows &= taken
        self.keys &= taken
        self.alike = [pair for pair in self.alike if all(names([part]) <= taken for part in pair)]

    def entry(self, node: n.AST) -> Form | None:
        """The form of what stands at an index of a container, or under a key; None if that is no object, and holds none."""
        return self.of.get(node.id) if isinstance(node, n.Name) else self.of_items(node)

    def stored_form(self, node: n.AST) -> Form | None:
        """The form of an object in the text, or of a list of such; None of anything else."""
        found = self.form_of(node)
        listed = self.of_items(node) if found is None else None
        return Listing(listed) if isinstance(listed, KEPT) else found

    def of_items(self, node: n.AST) -> Form | None:
        """The form of what an expression gives one after the other, None if that is no object, and holds none."""
        if isinstance(node, n.Name):
            return self.of.get(node.id) if node.id not in self.dicts else None
        if isinstance(node, n.Subscript) and isinstance(node.slice, n.Slice):
            return self.of_items(node.value)
        if isinstance(node, n.Subscript):
            listed = self.entry(node.value) if self.of else None
            return listed.item if isinstance(listed, Listing) else None
        if isinstance(node, n.List) and node.elts and self.forms:
            found_ = self.stored_form(node.elts[0])
            return found_ if isinstance(found_, KEPT) and all(self.stored_form(part) == found_ for part in node.elts) else None
        if isinstance(node, n.BinOp) and isinstance(node.op, n.Add) and self.of:
            return found_ if (found_ := self.of_items(node.left)) == self.of_items(node.right) else None
        if not isinstance(node, n.Call) or not self.of:
            return None
        if isinstance(node.func, n.Attribute) and isinstance(node.func.value, n.Name) and node.func.value.id in self.dicts:
            found = self.of[node.func.value.id]
            return {"values": found, "items": Record(tuple, ((0, None), (1, found)))}.get(node.func.attr)
        if (asked := self.asked_by_get(node)) is not None:
            return asked.item if isinstance(asked, Listing) else None
        function = self.meant(node.func)
        if function in ORDER and node.args:
            found_ = self.of_items(node.args[0])
            return None if found_ is not None and function is sorted and not is_compared(node, found_) else found_
        if function is enumerate and node.args and (found_ := self.of_items(node.args[0])) is not None:
            return Record(tuple, ((0, None), (1, found_)))
        if function is zip and any(rows := [self.of_items(arg) for arg in node.args]):
            return Record(tuple, tuple(enumerate(rows)))
        return None

    def asked_by_get(self, node: n.AST) -> Form | None:
        """The form of what ``d.get(key)`` asks of a dict of keys, or ``d.get(key, [])`` of one of lists of them; None of anything else."""
        named = isinstance(node, n.Call) and isinstance(node.func, n.Attribute) and isinstance(node.func.value, n.Name)
        if not named or node.func.attr != "get" or node.func.value.id not in self.dicts or node.keywords:
            return None
        form, others = self.of[node.func.value.id], node.args[1:]
        if isinstance(form, Listing):
            empty = [isinstance(other, (n.List, n.Tuple)) and not other.elts for other in others]
            return form if empty == [True] else None
        return form if isinstance(form, Reference) and all(is_nothing(form, other) for other in others) else None

    def settled(self, body: list[n.stmt]) -> list[n.stmt]:
        """The whole text, its objects as tuples. Raises NotInterpreted for a container or an object that is used in another way."""
        if not self.forms:
            return body
        for node in body:
            self.check(node)
        return [self.unmarked(node) for node in body]

    def unmarked(self, node: Any) -> Any:
        """A tree with tuples in place of objects."""
        return place(self.unmarked(node.args[1]), node) if self.form_of(node) is not None else remade(node, self.unmarked)

    def check(self, node: Any) -> None:
        """Look at the uses of containers and of objects in a statement, or in an expression that is neither."""
        self.place = node if getattr(node, "lineno", None) is not None else self.place
        container, values, is_dict = stored_by(node)
        if container is not None and (form := self.entry(container)) is not None:
            others = [value for value in values if self.stored_form(value) != form and not is_nothing(form, value)]
            if is_dict and getattr(container, "id", "") not in self.dicts or others:
                raise NotInterpreted("other values than objects in a container of the text")
            rest = [part.slice for part in getattr(node, "targets", ()) if isinstance(part, n.Subscript)]
            rest += node.value.keys if isinstance(getattr(node, "value", None), n.Dict) else []
            for part in rest:
                self.check(part)
            self.check_containers([container])
            for value in values:
                (self.check if is_nothing(form, value) else self.check_object)(value)
            return
        known = {*self.of, *self.rows, *self.keys}
        if isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name) and node.targets[0].id in known:
            self.check_alias(node.targets[0].id, node.value)
            return
        self.check_use(node)

    def check_object(self, node: Any) -> None:
        """Look at the parts of an object that is stored."""
        if self.form_of(node) is None:
            self.check_containers([node])
            return
        for part in [node.args[1]] if isinstance(self.form_of(node), Reference) else n.below(node.args[1]):
            (self.check if self.form_of(part) is None else self.check_object)(part)

    def check_alias(self, name: str, value: n.expr) -> None:
        """Look at what a name of a container, or of an object, is bound to."""
        if name in self.of:
            alias = isinstance(value, n.Name) and value.id in self.dicts
            if is_empty(self.of[name], value):
                return
            if not (alias if name in self.dicts else self.of_items(value) == self.of[name]):
                raise NotInterpreted("a container of the text that holds objects, or something else")
            self.check_containers([value])
        elif isinstance(value, n.Subscript) and self.entry(value.value) is not None:
            self.check_containers([value.value])
            self.check(value.slice)
        elif name in self.keys and (self.method_of(value) in TAKES or isinstance(self.asked_by_get(value), Reference)):
            for arg in value.args:
                self.check(arg)
        elif isinstance(value, n.Call) and self.meant(value.func) in (min, max):
            self.check_containers(value.args)
            if not all(is_compared(value, found) for arg in value.args if (found := self.of_items(arg)) is not None):
                raise NotInterpreted(REFUSED)
        else:
            raise NotInterpreted(REFUSED)

    def check_containers(self, nodes: list[n.expr]) -> None:
        """Look at what stands where a container is read as one."""
        for node in nodes:
            if self.of_items(node) is None and not (isinstance(node, n.Name) and node.id in self.dicts):
                self.check(node)
            elif isinstance(node, n.Subscript):
                self.check_containers([node.value])
                self.check(node.slice)
            elif isinstance(node, n.List):
                for part in node.elts:
                    self.check_object(part)
            elif self.asked_by_get(node) is not None:
                self.check(node.args[0])

    def check_use(self, node: Any) -> None:
        """Look at the parts of an expression, or of a statement that binds no container."""
        named = isinstance(node, n.Name) and node.id in self.of.keys() | self.rows
        if named or self.form_of(node) is not None or self.of_items(node) is not None:
            raise NotInterpreted(REFUSED)
        if isinstance(node, n.Subscript) and is_row(node, self.rows):
            return
        containers: list[Any] = []
        rest = n.below(node)
        if isinstance(node, (n.For, n.comprehension)):
            containers, rest = [node.iter], [part for part in rest if part is not node.iter and part is not node.target]
            if not self.is_target(node.target, self.of_items(node.iter)):
                raise NotInterpreted(REFUSED)
        elif isinstance(node, (n.If, n.While, n.IfExp)):
            rest = [part for part in rest if part is not node.test] + self.asked_for(node.test)
        elif isinstance(node, n.UnaryOp) and isinstance(node.op, n.Not):
            rest = self.asked_for(node)
        elif isinstance(node, n.Call) and self.meant(node.func) is len:
            containers, rest = node.args, []
        elif isinstance(node, n.Expr) and self.method_of(node.value) in TAKES:
            rest = [*node.value.args]
        elif isinstance(node, n.AugAssign) and isinstance(node.op, n.Add) and isinstance(self.of_items(node.target), KEPT):
            if self.of_items(node.target) != self.of_items(node.value):
                raise NotInterpreted(REFUSED)
            containers, rest = [node.target, node.value], []
        elif self.method_of(node) in (MUTATING["list"] | {"index"}).difference(TAKES):
            containers, rest = [node.func.value], [self.key_in(arg, node.func.value) for arg in node.args]
            rest += [keyword.value for keyword in node.keywords]
        elif isinstance(node, n.Compare) and isinstance(node.ops[0], (n.In, n.NotIn)) and isinstance(self.form_of(node.left), Reference):
            containers, rest = node.comparators, [self.key_in(node.left, node.comparators[0])]
        elif isinstance(node, n.Compare) and isinstance(node.ops[0], (n.In, n.NotIn)):
            rest = [part for part in rest if part is not node.comparators[0] or getattr(part, "id", "") not in self.dicts]
        elif isinstance(node, n.Delete):
            rest = [target.slice if getattr(getattr(target, "value", None), "id", "") in self.of else target for target in node.targets]
        self.check_containers(containers)
        for part in rest:
            self.check(part)


    def method_of(self, node: n.AST) -> str:
        """The method of a list of keys that is called, "" of anything else."""
        named = isinstance(node, n.Call) and isinstance(node.func, n.Attribute)
        return node.func.attr if named and isinstance(self.entry(node.func.value), Reference) else ""

    def key_in(self, node: n.expr, container: n.expr) -> n.expr:
        """The key of an object that is looked for in a list, or put into it: their class does not say which are equal."""
        form = self.form_of(node)
        if form is None:
            return node
        equal: Any = form.kind.__eq__
        if equal is not object.__eq__:
            raise NotInterpreted("whether objects are equal, which their class says in its own way")
        if form != self.of_items(container):
            raise NotInterpreted(REFUSED)
        return node.args[1]

    def asked_for(self, test: n.expr) -> list[n.expr]:
        """What is read in a test, but for lists of keys that are only asked for whether there is anything in them."""
        if isinstance(test, n.BoolOp):
            return [part for value in test.values for part in self.asked_for(value)]
        if isinstance(test, n.UnaryOp) and isinstance(test.op, n.Not):
            return self.asked_for(test.operand)
        return [] if isinstance(test, n.Name) and isinstance(self.of.get(test.id), KEPT) else [test]

    def is_target(self, target: n.expr, form: Form | None) -> bool:
        """Whether the target of a loop over objects was taken for what it is."""
        if isinstance(form, Reference):
            return isinstance(target, n.Name) and target.id in self.keys
        if isinstance(form, Listing):
            return isinstance(target, n.Name) and self.of.get(target.id) == form.item
        if form is not None and form.kind is tuple and isinstance(target, n.Tuple):
            return all(map(self.is_target, target.elts, (part for _, part in form.parts)))
        return self.of.keys().isdisjoint(names(target)) and (form is None or isinstance(target, n.Name) and target.id in self.rows)


TAKES = ("pop", "popleft")
"""The methods of a list of keys that give one."""


class Objects:
    """Objects that the text keeps, and those that it gives back."""

    state: Any  # what is known (``state.py``)
    loops: list[Any]  # of the text, those around (``loops.py``)

    def text(self, value: Value, kept: bool = False) -> n.expr:
        """A value as an expression of the text (``expressions.py``)."""
        raise NotImplementedError

    pooling = False
    """Whether objects that the text holds are in pools."""

    def reference_to(self, value: Value) -> tuple[Reference, n.expr] | None:
        """The form of an object that is in a pool, and its key (``pools.py``)."""
        raise NotImplementedError

    def object_under(self, node: n.expr, kind: type) -> Row:
        """The object in a pool under a key, or None (``pools.py``)."""
        raise NotImplementedError

    def holds_objects(self, value: Value) -> bool:
        """Whether a value is an object, or a tuple that holds one."""
        if not isinstance(value, Structure):
            return self.pooling and isinstance(value, Row)
        return is_users(value.kind) or value.kind is tuple and any(map(self.holds_objects, self.state.held[value.identity].values()))

    def as_record(self, value: Any) -> tuple[Form | None, n.expr]:
        """The form of a value that the text keeps, and an object as the text holds it; from here on nobody may change it, but one that is
        in a pool.
        """
        if not self.holds_objects(value):
            return None, self.text(value, True)
        if self.pooling and (found := self.reference_to(value)) is not None:
            return found[0], self.state.records.marked(*found)
        if not is_constant(value.kind):
            if value.identity in self.state.viewed or any(loop is not None and value.identity in loop.held for loop in self.loops):
                raise NotInterpreted("an object that changes in a container of the text")
            self.state.frozen.add(value.identity)
        parts = {key: self.as_record(part) for key, part in self.state.held[value.identity].items()}
        record = Record(value.kind, tuple((key, form) for key, (form, _) in parts.items()))
        return record, self.state.records.marked(record, n.Tuple(elts=[node for _, node in parts.values()], ctx=n.Load()))

    def shown_record(self, node: n.expr, record: Form) -> Structure | Row | Run:
        """An object, or a tuple that holds one, that the text has as a tuple under a name; of one that is in a pool it has the key. A list
        is one of the text.
        """
        if isinstance(record, Listing):
            if not isinstance(node, n.Name):
                raise NotInterpreted(REFUSED)
            self.state.records.learn(node, record.item)
            return Run(node)
        if isinstance(record, Reference):
            self.state.records.keys |= {node.id} if isinstance(node, n.Name) else set()
            return self.object_under(node, record.kind)
        if isinstance(node, n.Name):
            self.state.records.rows.add(node.id)
        held: dict[Any, Value] = {}
        for position, (key, form) in enumerate(record.parts):
            part = n.Subscript(value=clone(node), slice=n.Constant(value=position, kind=None), ctx=n.Load())
            held[key] = Run(part) if form is None else self.shown_record(part, form)
        shown = Structure(self.state.new(held), record.kind)
        self.state.frozen.add(shown.identity)
        return shown
