"""Trees: forms written and read, the steps to leaves, classes of a program's own."""

import warnings
from collections import OrderedDict, defaultdict, deque, namedtuple

import torch
import torch.utils._pytree as p


def t(f):
    try:
        print(f())
    except BaseException as e:
        print(type(e).__name__, str(e)[:300])


P = namedtuple("P", "x y")


class C:
    pass


# ruff: noqa: B023
for tree in (
    [1, (2, {"a": 3})],
    OrderedDict(a=1, b=[2]),
    deque([1, 2], maxlen=5),
    defaultdict(list, {"a": 1}),
    P(1, [2]),
    3,
    None,
    torch.return_types.max((torch.ones(1), torch.ones(1))),
):
    spec = p.tree_structure(tree)
    t(lambda: p.treespec_dumps(spec))
    t(lambda: p.treespec_loads(p.treespec_dumps(spec)) == spec)
t(lambda: p.treespec_dumps("a"))
t(lambda: p.treespec_dumps(p.tree_structure(1), -1))
t(lambda: p.treespec_loads("[-1, {}]"))
p._register_namedtuple(P, serialized_type_name="test.P")
t(lambda: p.treespec_dumps(p.tree_structure(P(1, 2))))
t(lambda: p.treespec_loads(p.treespec_dumps(p.tree_structure(P(1, 2)))) == p.tree_structure(P(1, 2)))


class D:
    def __init__(s, a, b):
        s.a, s.b = a, b


p.register_pytree_node(
    D,
    lambda d: ([d.a, d.b], "ctx"),
    lambda v, c: D(*v),
    serialized_type_name="test.D",
    to_dumpable_context=lambda c: c + "!",
    from_dumpable_context=lambda c: c[:-1],
    flatten_with_keys_fn=lambda d: ([(p.GetAttrKey("a"), d.a), (p.GetAttrKey("b"), d.b)], "ctx"),
)
s = p.tree_structure(D(1, [2]))
t(lambda: p.treespec_dumps(s))
t(lambda: p.treespec_loads(p.treespec_dumps(s)) == s)


class E:
    pass


p.register_pytree_node(E, lambda d: ([], None), lambda v, c: E())
t(lambda: p.treespec_dumps(p.tree_structure(E())))
t(
    lambda: p.register_pytree_node(
        type("F", (), {}), lambda d: ([], None), lambda v, c: 0, serialized_type_name="test.D"
    )
)
t(
    lambda: p.register_pytree_node(
        type("F", (), {}), lambda d: ([], None), lambda v, c: 0, to_dumpable_context=lambda c: c
    )
)
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    p._register_pytree_node(type("G", (), {}), lambda d: ([], None), lambda v, c: 0)
    print([(str(x.message)[:200], x.category) for x in w])
tree = {"a": [D(1, {"k": 2}), P(3, 4)], "b": (5, defaultdict(int, {"z": 6}), OrderedDict(q=7), deque([8]))}
kl, _ = p.tree_flatten_with_path(tree)
for k, v in kl:
    print(p.keystr(k), v, repr(k))
    t(lambda: p.key_get(tree, k))
print(p.tree_leaves_with_path(tree)[0])
print(p.tree_map_with_path(lambda k, v: p.keystr(k) + str(v), {"a": [1, P(2, 3)]}))
t(lambda: p.tree_all_only(int, lambda x: x > 0, [1, "a", -1]))
t(lambda: p.tree_any_only(int, lambda x: x > 0, [1, "a", -1]))
t(lambda: p.tree_map_only_(int, lambda x: x, [1]))
t(lambda: p.tree_is_leaf(E()))
t(lambda: p.map_only(int)(lambda x: x + 1)("a"))
t(lambda: p.MappingKey("a"))
t(lambda: str(p.MappingKey("a")))
t(lambda: str(p.SequenceKey(1)))
t(lambda: str(p.GetAttrKey("z")))
t(lambda: p.MappingKey("a").get({"a": 3}))
t(lambda: p.MappingKey("a") == p.MappingKey("a"))
t(lambda: hash(p.SequenceKey(1)) == hash(p.SequenceKey(1)))
t(lambda: p.MappingKey("a").key)
t(lambda: p.treespec_pprint(p.tree_structure([1, {"a": 2}])))
t(lambda: p.tree_structure([1, {"a": 2}]).children())
t(lambda: p.tree_structure(P(1, 2)))
t(lambda: p.tree_structure(3).is_leaf())
t(lambda: p.tree_structure([1, 2]).child(0))
t(lambda: p.tree_structure([1, [2, 3]]).flatten_up_to([1, 4]))
t(lambda: p.tree_structure([1, [2, 3]]).flatten_up_to([1]))
t(lambda: p.treespec_leaf())
t(lambda: p.treespec_tuple([p.treespec_leaf()]))
t(lambda: p.treespec_list([p.treespec_leaf()]))
t(lambda: p.treespec_dict({"a": p.treespec_leaf()}))
t(lambda: hash(p.tree_structure([1])) == hash(p.tree_structure([2])))
t(lambda: p.treespec_dumps(p.tree_structure({(1, 2j): 1})))


class Twice:
    pass


with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    p._register_pytree_node(Twice, lambda d: ([], 1), lambda v, c: 0)
    p._register_pytree_node(Twice, lambda d: ([], 2), lambda v, c: 0)
    print(p.tree_structure(Twice()), *(str(each.message) for each in warned), sep="\n")
