"""Interpret lists and dicts of objects of which only the run tells which one is meant: the text holds one list or dict for each attribute.

``players[name].rating`` is ``rating[name]``, read and stored to. A container is made like that where its display or comprehension stands,
if an object was given to it that the text cannot hold: :class:`Separated` goes to the beginning, and the function is interpreted again.
An object that may have been replaced by another one under its key is not read any more.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any

from ..analysis.abstract import is_constant
from ..analysis.scope import MISSING
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.quote import clone, expression, names, place, statement
from .nodes_of_values import parts_of
from .series import ITEMS, NUMBER, REPLACED, ObjectSeries, number_of
from .state import Rows, Site
from .trees import with_indices
from .values import PERHAPS, Columns, Items, Known, Listed, NotInterpreted, Row, Run, Selected, Series, Structure, Value

MANY = 12
"""The number of objects from which on a list of them is one of the text, where all that is done with each would be too long."""


class Separated(Exception):
    """A list or dict, by the site where it is made, that is to hold objects of a class with these attributes."""

    def __init__(self, site: Site, kind: type, attributes: Sequence[str], series: frozenset[str], links: frozenset[str] = frozenset()):
        self.site, self.kind, self.attributes, self.series, self.links = site, kind, tuple(attributes), series, links


class ObjectColumns(ObjectSeries):
    """What is done with such containers, and with the objects in them."""

    separated: dict[Site, tuple[type, tuple[str, ...], frozenset[str], frozenset[str]]] | None
    """The sites of those that are made so; None where none may be."""
    references: dict[tuple[type, str], type]
    """The attributes of pooled objects, by their class and name, that refer to others, or are lists that do: to objects of which class."""
    counted: set[str]
    """The variables of loops over such lists."""
    walked: list[int]
    """The lists and dicts over which loops at hand go."""
    loops: list[Any]
    begun: list[int]

    def branch(self, test: Value, then: Callable[[], Any], other: Callable[[], Any], at: Any) -> Any:
        """A branch of the text, if only the run decides (``statements.py``)."""
        raise NotImplementedError

    def sort_rows(self, of: Structure, named: dict[str, Value], node: n.expr) -> Known:
        """Put the objects of a list in order (``object_order.py``)."""
        raise NotImplementedError

    # where they are made

    def site_of(self, node: Any) -> Site | None:
        """Where a container is made."""
        function = next((frame.function for frame in reversed(self.state.frames) if frame.function is not None), None)
        return None if getattr(node, "lineno", None) is None else (function, node.lineno, node.col_offset)

    def note_site(self, name: str, node: Any) -> None:
        """Note where what has a name in the text was made."""
        if self.separated is not None and (site := self.site_of(node)) is not None:
            self.state.sites[name] = site

    def sited(self, made: Structure, node: Any) -> Structure:
        """A new structure, of which it is noted where it was made."""
        if self.separated is not None and (site := self.site_of(node)) is not None:
            self.state.sites[made.identity] = site
        return made

    def columns_at(self, node: Any, container: type) -> Structure | None:
        """The list or dict that is made where a node stands, without objects yet, if it is one of columns."""
        site = self.site_of(node) if self.separated else None
        return self.new_columns(site, container) if self.separated and site in self.separated else None

    def new_columns(self, site: Any, container: type) -> Structure:
        """A list or dict of columns, without objects yet."""
        assert self.separated is not None
        kind, attributes, series, links = self.separated[site]
        made = Structure(self.state.new({}), Columns)
        self.state.rows[made.identity] = Rows(kind, container, site, links, series)
        for name in attributes:
            for key in (number_of(name), name) if name in series else (name,):
                listed = container is list and key is not name or container is list and name not in series
                empty: n.expr = n.List(elts=[], ctx=n.Load()) if listed else n.Dict(keys=[], values=[])
                self.state.store((made.identity, key), Run(empty), key.replace(" ", "_"))
                self.state.lists.add(self.column(made, key).id)
        return made

    def separate(self, of: Any, value: Value) -> None:
        """Go back to where a structure or a name was made, if it is given an object that the text cannot hold."""
        if not isinstance(value, Structure) or not is_users(value.kind) or self.separated is None or self.pooling:
            return
        site = self.state.sites.get(of)
        attributes = [*self.state.held[value.identity]]
        if site is None or issubclass(value.kind, tuple) or not attributes or not all(type(name) is str for name in attributes):
            return
        assert self.separated is not None
        kind, known, series, links = self.separated.get(site, (value.kind, (), frozenset(), frozenset()))
        if kind is value.kind and not set(attributes) <= set(known):
            raise Separated(site, kind, tuple(dict.fromkeys((*known, *attributes))), series | self.series_in(value), links)

    def separate_container(self, objects: Sequence[Structure]) -> None:
        """Go back to the list or dict of objects of which only the run tells which one is meant."""
        objects = [each for each in objects if each.identity in self.state.held]
        if self.pooling and objects:
            self.reference_to(objects[0])
        meant = {each.identity for each in objects}
        for identity in [each for each in self.state.held if objects and each in self.state.sites]:
            if meant <= {part.identity for part in self.state.held[identity].values() if isinstance(part, Structure)}:
                self.separate(identity, objects[0])

    def separate_lists(self, of: Any) -> None:
        """Go back to where a dict was made, if lists in it are given what carries a derivative."""
        site = self.state.sites.get(of)
        if self.separated is not None and site is not None and site not in self.separated:
            raise Separated(site, Listed, (ITEMS,), frozenset({ITEMS}), frozenset())

    def separate_many(self, items: list[Value], node: Any) -> None:
        """Go back to a list of so many objects of one class that each of them would be long, if it is one in the text."""
        first, site = items[0] if items else None, self.site_of(node)
        if self.separated is None or self.pooling or site is None or site in self.separated or len(items) < MANY:
            return
        if not isinstance(first, Structure):
            return
        if is_users(first.kind) and not issubclass(first.kind, tuple) and all(
                isinstance(item, Structure) and item.kind is first.kind for item in items):
            raise Separated(site, first.kind, [*self.state.held[first.identity]], self.series_in(first))

    # the whole

    def row_of(self, of: Structure, key: Value) -> Row:
        """The object under a key."""
        return Row(of, self.text(self.state.pinned(key, "key")), self.state.rows[of.identity].replaced)

    def at_key(self, of: Structure, key: Value) -> Row | Series:
        """The object under a key, or the list."""
        return self.as_item(self.row_of(of, key))

    def as_item(self, row: Row) -> Row | Series:
        """An object, or the list that it stands for."""
        return Series(row, ITEMS) if self.state.rows[row.of.identity].kind is Listed else row

    def asked_at(self, of: Structure, key: Value) -> Row | Series:
        """The same, where a ``defaultdict`` makes what there is not."""
        key = self.state.pinned(key, "key")
        if self.state.factories.get(of.identity) is list:
            made = statement("$x[$k] = 0", x=self.column(of), k=self.text(key))
            absent = expression("$k not in $x", k=self.text(key), x=self.column(of))
            node = n.If(test=absent, body=[made], orelse=[])
            self.state.emit(place(node, self.state.at) if self.state.at is not None else node)
        return self.at_key(of, key)

    def absorb(self, of: Structure, key: Value | None, value: Value, replaces: bool = True) -> None:
        """Store an object under a key, or at the end of a list."""
        self.row_of_new(of, key, value, replaces)

    def row_of_new(self, of: Structure, key: Value | None, value: Value, replaces: bool) -> Row:
        """The same, and what stands for the object from then on."""
        rows, attributes = self.state.rows[of.identity], self.state.held[of.identity]
        if of.identity in self.walked:
            raise NotInterpreted("a container that changes while a loop goes over it")
        if rows.kind is Listed and isinstance(value, Structure) and value.kind is list:
            value = Structure(self.state.new({ITEMS: value}), Listed)
        if not isinstance(value, Structure) or value.kind is not rows.kind or self.state.held[value.identity].keys() - attributes.keys():
            self.separate_again(rows, value)
            raise NotInterpreted("objects of several classes in a container of the text")
        held = self.state.held[value.identity]
        alone = value.identity not in self.state.reached()
        constant = is_constant(value.kind) or alone  # nothing shows that it changes
        if not constant and (value.identity in self.state.frozen | self.state.viewed or self.begun and value.identity < self.begun[-1]):
            raise NotInterpreted("an object that changes in a container of the text")
        first, *_ = attributes
        if first not in held and first != number_of(next(iter(held), "")) or self.series_in(value) != rows.series & held.keys():
            raise NotInterpreted("an object without an attribute that others have")
        at = None if key is None else self.text(self.state.pinned(key, "key"))
        lists: dict[str, Any] = {name: held[name] for name in rows.series & held.keys()}
        if any(self.is_held_elsewhere(each, value) for each in lists.values()):
            raise NotInterpreted("a list that something else holds, too")
        items = {name: [self.item_text(rows, name, part) for part in self.parts(each)] for name, each in sorted(lists.items())}
        texts = {number_of(name): self.text(Known(len(each))) for name, each in items.items()}
        texts |= {name: self.item_text(rows, name, part) for name, part in held.items() if name not in lists}
        texts |= self.class_defaults(of, [name for name in attributes if name not in texts and name not in lists], at is None)
        for name, text in texts.items():
            column = self.column(of, name)
            if self.state.carries(text):
                self.state.active.add(column.id)
            store = statement("$x.append($v)", x=column, v=text) if at is None else statement("$x[$k] = $v", x=column, k=clone(at), v=text)
            self.state.emit(place(store, self.state.at) if self.state.at is not None else store)
        if at is None:
            at = expression("len($x) - 1", x=self.column(of))
        for name, each in items.items():
            for position, text in enumerate(each):
                self.store_item(self.column(of, name), at, n.Constant(value=position, kind=None), text)
        if replaces:  # or another one, that is counted from the end
            self.replace_rows(of, rows, key is not None)
        if alone:  # and nothing reads it under another name
            self.state.held[value.identity] = {PERHAPS: PERHAPS}
        row = Row(of, at, rows.replaced)
        if not constant or self.pooling:
            row = self.row_at(of, at)
            self.exchange(value.identity, row)
        return row

    def row_at(self, of: Structure, at: n.expr) -> Row:
        """The object at a place, of which the number stands for it: what it carries, that carries."""
        key = self.text(self.state.pinned(Run(at), "key"))
        if any(self.state.carries(self.column(of, name)) for name in self.state.held[of.identity]):
            self.state.active |= names(key)
        return Row(of, key, self.state.rows[of.identity].replaced)

    def class_defaults(self, of: Structure, names_: list[Any], all_of_them: bool) -> dict[str, n.expr]:
        """What is read of attributes until they are stored to: what the class has under their names. ``all_of_them``: one that is nothing
        until then has its place in a list.
        """
        rows, found = self.state.rows[of.identity], {}
        for name in names_:
            member = self.member(rows.kind, name)
            if member is MISSING or isinstance(member, types.MemberDescriptorType):
                if all_of_them and name not in rows.series:
                    found[name] = n.Constant(value=0 if name.endswith(NUMBER) else None, kind=None)
            elif name in rows.series:
                raise NotInterpreted("a list that all objects of a class have")
            else:
                found[name] = self.text(self.of_class(member, name, of, rows.kind), True)
        return found

    def item_text(self, rows: Rows, name: str, value: Value) -> n.expr:
        """What the text keeps of a value as an attribute of one of the objects, or as an item of one that is a list."""
        return self.text(value, True) if not self.pooling else self.linked_text(rows, name, value)

    def linked_text(self, rows: Rows, name: str, value: Value) -> n.expr:
        """The same, which may be the key of another object (``pools.py``)."""
        raise NotImplementedError

    def separate_again(self, rows: Rows, value: Value) -> None:
        """Go back, where an object has attributes that the others have not."""
        names_: list[Any] = [*self.state.held[value.identity]] if isinstance(value, Structure) and value.kind is rows.kind else [None]
        if self.separated is not None and isinstance(value, Structure) and all(type(name) is str for name in names_):
            _, known, series, links = self.separated[rows.site]
            raise Separated(rows.site, rows.kind, tuple(dict.fromkeys((*known, *names_))), series | self.series_in(value), links)

    def replace_rows(self, of: Structure, rows: Rows, replaces: bool) -> None:
        """Note that an object of a container may be another one from here on, or another one the last."""
        rows.replaced += 1
        before = [value for loop in self.loops if loop is not None for parts in loop.held.values() for value in parts.values()]
        if rows.links and replaces or any(self.holds_row(value, of.identity) for value in before):
            raise NotInterpreted(REPLACED)

    def holds_row(self, value: Any, identity: int) -> bool:
        """Whether a value is, or is made of, an object of a container."""
        if isinstance(value, Row):
            return value.of.identity == identity
        return isinstance(value, Value) and any(self.holds_row(part, identity) for part in parts_of(value) if isinstance(part, Value))

    def method_of_columns(self, of: Structure, name: str, args: list[Value], named: dict[str, Value], node: n.expr) -> Value:
        """What a method of such a list or dict gives."""
        container = self.state.rows[of.identity].container
        if container is list and name == "sort" and not args:
            return self.sort_rows(of, named, node)
        if named:
            raise NotInterpreted(f".{name}(…) of a {container.__name__} of objects")
        if container is list and name == "append" and len(args) == 1:
            self.absorb(of, None, args[0])
            return Known(None)
        if container is dict and name in ("items", "values", "keys") and not args:
            return Items(name, [of], self.state.new({}))
        if container is dict and name == "setdefault" and len(args) == 2:  # of an object that nothing else holds, or that stays as it is
            key = self.state.pinned(args[0], "key")
            absent = Run(expression("$k not in $x", k=self.text(key), x=self.column(of)))
            value = args.pop()
            self.branch(absent, lambda: self.absorb(of, key, value, False), lambda: None, node)
            return self.at_key(of, key)
        if container is dict and name == "get" and (found := self.series_or_empty(of, args)) is not None:
            return found
        raise NotInterpreted(f".{name}() of a {container.__name__} of objects")

    def over_rows(self, parts: Sequence[Value], view: str, consume: Callable[[Value], Any], at: n.AST) -> Any:
        """A loop of the text over such a list, or a view of such a dict, or over one beside others: ``zip``."""
        names_, iterables = [self.state.fresh("key") for _ in parts], []
        self.state.final.update(names_)
        self.counted.update(names_)
        for name, part in zip(names_, parts):
            if isinstance(part, Selected):
                iterables.append(clone(part.keys))
            elif isinstance(part, Structure) and part.kind is Columns:
                rows = self.state.rows[part.identity]
                iterables.append(self.column(part) if rows.container is dict else expression("range(len($x))", x=self.column(part)))
            else:
                iterables.append(self.text(part))
                self.state.active |= {name} if self.state.carries(iterables[-1]) else set()
        targets: list[n.expr] = [n.Name(id=name, ctx=n.Store()) for name in names_]
        together = len(parts) > 1
        target = n.Tuple(elts=targets, ctx=n.Store()) if together else targets[0]
        over = n.Call(func=expression("zip"), args=iterables, keywords=[]) if together else iterables[0]

        def header(block: list[n.stmt]) -> n.stmt:
            return place(n.For(target=target, iter=over, body=block or [n.Pass()], orelse=[], type_comment=None), at)

        def begin() -> Any:
            given: list[Value] = [
                self.at_key(part, Run(expression(name))) if isinstance(part, Structure) else
                self.as_item(Row(part.of, expression(name), part.replaced)) if isinstance(part, Selected) else Run(expression(name))
                for name, part in zip(names_, parts)]
            if view == "items":
                given = [Run(expression(names_[0])), *given]
            if view == "keys":
                return consume(Run(expression(names_[0])))
            return consume(self.structure(tuple, given) if together or view == "items" else given[0])

        walked = [(part.of if isinstance(part, Selected) else part).identity for part in parts if isinstance(part, (Selected, Structure))]
        self.walked += walked
        try:
            return self.looped(begin, header)
        finally:
            del self.walked[len(self.walked) - len(walked):]

    def key_of(self, row: Row) -> n.expr:
        """The key of an object, which stands for it in a list of some of them."""
        rows = self.state.rows[row.of.identity]
        if rows.replaced != row.replaced or not (rows.container is dict or isinstance(row.key, n.Name) and row.key.id in self.counted):
            raise NotInterpreted(REPLACED)
        return clone(row.key)

    def selected(self, rows: list[Row], keys: n.expr) -> Selected:
        """Those of the objects whose keys a list holds."""
        first = rows[0]
        if any(row.of.identity != first.of.identity or row.replaced != self.state.rows[row.of.identity].replaced for row in rows):
            raise NotInterpreted(REPLACED)
        return Selected(first.of, clone(keys), first.replaced)

    def slice_of_rows(self, of: Structure | Selected, node: n.Slice, index: list[Value]) -> Selected:
        """A slice of such a list, or of what is selected of one."""
        if isinstance(of, Selected):
            part = n.Subscript(value=clone(of.keys), slice=with_indices(node, [self.text(each) for each in index]), ctx=n.Load())
            return Selected(of.of, self.text(self.state.pinned(Run(part), "keys")), of.replaced)
        if self.state.rows[of.identity].container is not list:
            raise NotInterpreted("a slice of a dict")
        places = expression("range(len($x))", x=self.column(of))
        whole = n.Subscript(value=places, slice=with_indices(node, [self.text(each) for each in index]), ctx=n.Load())
        return Selected(of, self.text(self.state.pinned(Run(whole), "keys")), self.state.rows[of.identity].replaced)

    def selected_at(self, owner: Selected, at: Value) -> Row:
        """One of the objects that are selected."""
        key = self.state.pinned(Run(expression("$x[$k]", x=clone(owner.keys), k=self.text(at))), "key")
        return Row(owner.of, self.text(key), owner.replaced)

    # one of the objects

    def same_row(self, one: Row, other: Row, op: Any) -> n.expr:
        """Whether two objects are one: they are under one key, which is not counted from the end."""
        rows = self.state.rows[one.of.identity]
        counted = rows.container is dict or self.pooling or all(
            isinstance(row.key, n.Name) and row.key.id in self.counted for row in (one, other))
        same = one.of.identity == other.of.identity and one.replaced == other.replaced == rows.replaced
        if not same or not counted or (one.perhaps or other.perhaps) and not self.pooling or is_constant(rows.kind):
            raise NotInterpreted("whether two objects are one")
        return n.Compare(left=clone(one.key), ops=[op], comparators=[clone(other.key)])

    def attribute_of_row(self, row: Row, name: str, node: n.expr) -> Value:
        """An attribute of one of the objects."""
        rows = self.state.rows[row.of.identity]
        if rows.replaced != row.replaced:
            raise NotInterpreted(REPLACED)
        if name == "__class__":
            return self.class_of(rows.kind)
        member = self.member(rows.kind, name)
        if isinstance(member, property) and isinstance(member.fget, types.FunctionType):
            return self.called(self.bound(member.fget, row), [], {}, node)
        if name in rows.series:
            return Series(self.state.pinned(row), name)  # type: ignore[arg-type]
        if self.pooling and (kind := self.references.get((rows.kind, name))) is not None:
            other = self.state.pinned(Run(expression("$x[$k]", x=self.column(row.of, name), k=clone(row.key))), "key")
            return self.object_under(self.text(other), kind)
        if name in rows.links:
            other = self.state.pinned(Run(expression("$x[$k]", x=self.column(row.of, name), k=clone(row.key))), "key")
            return Row(row.of, self.text(other), row.replaced, True)
        if name in self.state.held[row.of.identity]:
            return self.run(expression("$x[$k]", x=self.column(row.of, name), k=clone(row.key)), node)
        return self.of_class(member, name, row, rows.kind)

    def entry_of_row(self, row: Row, name: str, target: Any) -> n.Subscript:
        """The entry of the text that an attribute of one of the objects is stored to."""
        rows = self.state.rows[row.of.identity]
        if rows.replaced != row.replaced:
            raise NotInterpreted(REPLACED)
        member = self.member(rows.kind, name)
        if is_constant(rows.kind) or hasattr(member, "__set__") and not isinstance(member, types.MemberDescriptorType):
            raise NotInterpreted("an attribute that is not stored to")
        if name not in self.state.held[row.of.identity]:
            assert self.separated is not None
            _, known, series, links = self.separated[rows.site]
            raise Separated(rows.site, rows.kind, (*known, name), series, links)
        shown: Any = place(n.Subscript(value=self.column(row.of, name), slice=clone(row.key), ctx=n.Store()), target)
        return shown

    def store_to_row(self, row: Row, name: str, value: Value, target: Any) -> None:
        """Store into an attribute of one of the objects."""
        if name in self.state.rows[row.of.identity].series:
            self.entry_of_row(row, name, target)
            if not isinstance(value, Structure) or value.kind is not list or self.is_held_elsewhere(value, value):
                raise NotInterpreted("a list that something else holds, too")
            items = [self.item_text(self.state.rows[row.of.identity], name, part) for part in self.parts(value)]
            self.set_number(Series(row, name), n.Constant(value=len(items), kind=None))
            for position, text in enumerate(items):
                self.store_item(self.column(row.of, name), row.key, n.Constant(value=position, kind=None), text)
            return
        if self.pooling:
            value = Run(self.linked_text(self.state.rows[row.of.identity], name, value))
        elif isinstance(value, Row) and value.of.identity == row.of.identity:
            value = self.linked_to(row, name, value)
        elif name in self.state.rows[row.of.identity].links and not (isinstance(value, Known) and value.object is None):
            raise NotInterpreted("another object that is referred to")
        shown, stored = self.entry_of_row(row, name, target), self.text(value, True)
        if self.state.carries(stored):
            self.state.active.add(shown.value.id)
        self.state.emit(n.Assign(targets=[shown], value=stored, type_comment=None))

    def linked_to(self, row: Row, name: str, other: Row) -> Value:
        """The key of another one of the objects, which one of them refers to; none of them may be replaced."""
        rows = self.state.rows[row.of.identity]
        if rows.replaced != other.replaced or is_constant(rows.kind) or other.perhaps:
            raise NotInterpreted(REPLACED)
        if name not in rows.links:
            assert self.separated is not None
            _, known, series, links = self.separated[rows.site]
            raise Separated(rows.site, rows.kind, tuple(dict.fromkeys((*known, name))), series, links | {name})
        places = expression("range(len($x))[$k]", x=self.column(row.of), k=clone(other.key))  # counted from the beginning
        return Run(places if rows.container is list else clone(other.key))

    def update_row(self, row: Row, target: Any, op: Any, value: Value) -> None:
        """Update an attribute of one of the objects: ``self.rating += step``."""
        if target.attr in self.state.rows[row.of.identity].series:
            raise NotInterpreted("an update of a list")
        if (self.state.rows[row.of.identity].kind, target.attr) in self.references or target.attr in self.state.rows[row.of.identity].links:
            raise NotInterpreted("an update of what refers to another object")
        shown, stored = self.entry_of_row(row, target.attr, target), self.text(value)
        if self.state.carries(stored):
            self.state.active.add(shown.value.id)
        self.state.emit(n.AugAssign(target=shown, op=op, value=stored))
