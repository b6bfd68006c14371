"""Forward mode: each statement of the normal form with its tangent beside it, one method per form.

A variable ``x`` that moves with the inputs has its tangent in ``x_dot``; one that does not has none, and where two paths meet of which
one gave it a tangent, the other gives it zero. What a statement changes in place it changes in place in the tangent too: a view of the
primal is the same view of the tangent, so nothing has to be saved or brought back.
"""

from __future__ import annotations

from ...analysis.abstract import Abstract, joined
from ...analysis.statements import grown, target_names
from ...analysis.states import under
from ...syntax import nodes as n
from ...syntax.quote import place
from ..before_exit import ended
from ..facts.aliases import Aliases
from ..facts.liveness import Liveness
from .emit import Emitter, Moment
from .jvp_terms import JvpTerms, Tangent
from .tangent_state import TangentState
from .tangent_stores import TangentStores

Block = list[n.stmt]


class Forward(Emitter):
    """Walks a block in order, holding the tangents; gives the block with tangents."""

    def __init__(self, moment: Moment, aliases: Aliases, live: Liveness, mutable: set[str], unbound: set[str]):
        super().__init__(moment)
        self.terms = JvpTerms(moment)
        self.state = TangentState(moment, self.terms, aliases, live, mutable, unbound)
        self.stores = TangentStores(moment, self.terms, self.state)

    def block(self, body: Block) -> Block:
        """The statements of a block, each with its tangent."""
        outer, self.moment.code = self.moment.code, []
        for node in body:
            self.statement(node)
        done, self.moment.code = self.moment.code, outer
        return done

    def statement(self, node: n.stmt) -> None:
        """Append a statement and its tangent."""
        self.moment.at = node
        self.moment.environment = under(self.values.before.get(node, {}), self.state.dots)
        if isinstance(node, n.If):
            self._if(node)
        elif isinstance(node, (n.For, n.While)):
            self._loop(node)
        else:
            self.moment.code += [place(n.Expr(value=check), node) for check in self.checks_of_powers(node)]
            self._simple(node)

    def _simple(self, node: n.stmt) -> None:
        if isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name):
            self.state.assign(node, node.targets[0].id, node.value)
        elif isinstance(node, n.Assign) and isinstance(node.targets[0], n.Subscript):
            self.stores.store(node, node.targets[0])
        elif isinstance(node, n.AugAssign) and isinstance(node.target, n.Name):
            self.stores.update(node, node.target.id)
        elif isinstance(node, n.AugAssign):
            self.stores.update_slot(node)
        elif (name := grown(node)) is not None:
            self.stores.append(node, name)
        elif isinstance(node, n.Delete):
            self.stores.delete(node, node.targets[0])
        else:
            for name in target_names(node.targets[0]) if isinstance(node, n.Assign) else ():
                self.terms.tangents.pop(name, None)
            self.moment.code.append(node)

    def _if(self, node: n.If) -> None:
        """A branch. What one side has given a tangent and is read later gets one on the other side too."""
        self.state.settle()
        start = dict(self.terms.tangents)
        bodies: list[Block] = []
        ends: list[dict[str, Tangent]] = []
        for body in (node.body, node.orelse):
            self.terms.tangents = dict(start)
            bodies.append(self.block(body))
            ends.append(self.terms.tangents)
        self.moment.at = node
        met = {name for end in ends for name in end if name in self.state.live.after[node]}
        for source, made, end in zip((node.body, node.orelse), bodies, ends):
            self.terms.tangents = end
            made[:] = ended(made, self.filled(met, self.values.after[source[-1]] if source else self.values.before[node]))
        self.terms.tangents = {}
        for name in sorted(met):
            one, other = ends[0][name], ends[1][name]
            self.state.bind(name, Tangent(one.expr, joined(one.value, other.value), one.selected or other.selected))
        self.moment.code.append(place(n.If(test=node.test, body=bodies[0], orelse=bodies[1]), node))

    def filled(self, wanted: set[str], environment: dict[str, Abstract]) -> Block:
        """What gives each tangent a variable of its own, and zeros to those of the wanted names that have none here."""
        outer, self.moment.code = self.moment.code, []
        self.moment.environment = under(environment, self.state.dots)
        self.state.settle()
        for name in sorted(wanted - set(self.terms.tangents)):
            self.state.zeros(name)
        code, self.moment.code = self.moment.code, outer
        return code

    def _loop(self, node: n.For | n.While) -> None:
        """A loop. What moves in any trip, and is read in a later one or after the loop, has a tangent from before the first."""
        if not node.body:
            self.moment.code.append(node)
            return
        self.state.settle()
        bound = target_names(node.target) if isinstance(node, n.For) else set()
        again = self.state.live.at_head[node]
        carried = {name for name in self.activity.varied[node.body[0]] & again if name not in bound or name in self.terms.tangents}
        self.moment.code += self.filled(carried, under(self.values.after[node], self.values.before[node]))
        self.terms.tangents = {name: tangent for name, tangent in self.terms.tangents.items() if name in carried}
        entry = dict(self.terms.tangents)
        while True:
            self.terms.tangents = dict(entry)
            self.moment.at = node
            for name in sorted(bound & carried):
                del self.terms.tangents[name]
            head = self.filled(bound & carried, self.values.before[node.body[0]])
            made = [*head, *self.block(node.body)]
            self.moment.at = node
            body = ended(made, self.filled(carried, self.values.after[node.body[-1]]))
            end = self.terms.tangents
            new = {name: Tangent(was.expr, joined(was.value, end[name].value), was.selected or end[name].selected)
                   for name, was in entry.items()}
            if [(t.value, t.selected) for t in new.values()] == [(t.value, t.selected) for t in entry.values()]:
                break
            entry = new
            for name, tangent in entry.items():
                self.state.bind(name, tangent)
        self.terms.tangents = entry
        for name, tangent in entry.items():
            self.state.bind(name, tangent)
        if isinstance(node, n.For):
            loop: n.stmt = n.For(target=node.target, iter=node.iter, body=body, orelse=[], type_comment=None)
        else:
            loop = n.While(test=node.test, body=body, orelse=[])
        self.moment.code.append(place(loop, node))
