"""The derivatives of the helpers for whole structures, in terms of each other: so a gradient of a dict can be differentiated again."""

from ..runtime.structures import (
    added,
    copied,
    like,
    matched,
    order,
    own,
    place_of,
    real_part,
    spread,
    tangent_like,
    with_added,
    with_entry,
    zeros_like,
)
from .frames import constant, general, linear

constant(zeros_like)
constant(order)
constant(place_of)


@linear(copied)
def copied_rule(g, z, x):
    return g


@linear(own)
def own_rule(g, z, x_bar, x):
    return g, None


@linear(real_part)
def real_part_rule(g, z, x_bar):
    return real_part(g)


@linear(added)
def added_rule(g, z, a, b):
    return matched(g, a), matched(g, b)


@linear(with_added, selects=True)
def with_added_rule(g, z, x_bar, index, part):
    return g, None, matched(g[index], part)


@linear(with_entry, selects=True)
def with_entry_rule(g, z, x_bar, index, entry):
    return with_entry(g, index, zeros_like(g[index])), None, matched(g[index], entry)


@general(like, holomorphic=True)
def like_rule(g, z, x_bar, x):
    return matched(g, x_bar), None


@like_rule.pushforward
def like_forward(z, dx_bar, x_bar, x):
    return like(dx_bar, x)


@general(matched, holomorphic=True)
def matched_rule(g, z, g_of, x):
    return spread(g, g_of), None


@matched_rule.pushforward
def matched_forward(z, dg_of, g_of, x):
    return matched(dg_of, x)


@general(spread, holomorphic=True)
def spread_rule(g, z, x_dot, x):
    return matched(g, x_dot), None


@spread_rule.pushforward
def spread_forward(z, dx_dot, x_dot, x):
    return spread(dx_dot, x)


@general(tangent_like, holomorphic=True)
def tangent_like_rule(g, z, x_dot, x):
    return matched(g, x_dot), None


@tangent_like_rule.pushforward
def tangent_like_forward(z, dx_dot, x_dot, x):
    return tangent_like(dx_dot, x)
