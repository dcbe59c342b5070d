"""Public forms of operators as the executor sees them: the types of the arguments of a call, looked up.

Cython compiles this file together with `titles.pxd`; without a compiler it runs as it stands."""

from functools import partial

from ..graph.fields import Fields
from ..wording.arguments import MOST, checked, takes_lists, types_of
from ..wording.dtype_refusals import refuse


class Title:
    """A public form of an operator, and the types of arguments that fit it."""

    def __init__(self, executor, title):
        self.executor = executor
        self.title = title
        self.known = set()
        self.last = (None,)  # no call yet
        self.news = False
        self.lists = True

    def answer(self, args, kwargs):
        """The answer to any arguments."""
        if not self.again(args, kwargs):
            types = types_of(args, kwargs)
            if types not in self.known:
                if self.executor.view and self.executor.packed < 0:
                    try:  # PyTorch takes whatever has an index for the integers of a view
                        return self.executor.answered(args, kwargs)
                    except Exception:
                        pass
                args, kwargs = checked(self.title, self.known, types, args, kwargs)
            if types in self.known:
                self.last = types
                self.news = True
        return self.executor.answered(args, kwargs)

    def again(self, args, kwargs):
        """Whether the arguments have the types of a call that fitted, as `types_of` tells them."""
        last = self.last
        n, most = len(args), len(last)
        if n + 2 * len(kwargs) > most:
            return False
        lists = False
        for i in range(n):
            kind = type(args[i])
            if kind is not last[i]:
                return False
            if kind is tuple or kind is list:
                lists = self.lists
        if kwargs:
            if lists:
                return False
            for name in kwargs:
                if name is not last[n]:
                    return False
                n += 1
            for x in kwargs.values():
                kind = type(x)
                if kind is not last[n] or kind is tuple or kind is list:
                    return False
                n += 1
        if lists:
            for x in args:
                if isinstance(x, (tuple, list)) and len(x) <= MOST:
                    for each in x:
                        if n >= most or type(each) is not last[n]:
                            return False
                        n += 1
        return n == most


class Function(Title):
    """A public form of a function in Python, and the types of arguments that fit it."""

    def __init__(self, title, run, names, dtypes, out):
        """names: all that it goes by, under one of which rules for `dtypes` and `out` are recorded, if there are any."""
        super().__init__(None, title)
        self.run = run
        self.names = names
        self.limited = dtypes
        self.out = out
        self.asked = False

    def answer(self, args, kwargs):
        """The answer to any arguments."""
        if not self.again(args, kwargs):
            if not self.asked:  # whether what is in a list counts
                self.lists = takes_lists(self.title)
                self.asked = True
            types = types_of(args, kwargs) if self.lists else (*map(type, args), *kwargs, *map(type, kwargs.values()))
            if types not in self.known:
                args, kwargs = checked(self.title, self.known, types, args, kwargs)
            if types in self.known:
                self.last = types
        if kwargs and self.out and "out" in kwargs:
            from . import out_rules

            out_rules.check_out(self.names, args, kwargs["out"])
            to_form = out_rules.left_to_form(self.names, self.run, kwargs["out"])
            write = (
                partial(out_rules.delivered, self.names, self.run, args, kwargs)
                if to_form
                else partial(self.run, *args, **kwargs)
            )
            return out_rules.recorded(self.names, kwargs["out"], args, write)
        result = self.run(*args, **kwargs)
        if self.limited and args and isinstance(args[0], Fields):
            array = args[0]._array
            if (array.dtype.kind in "biuc" or array.dtype.itemsize == 1) and kwargs.get("dtype") is None:
                self.limited = refuse(self.limited, self.names, array, args, result)
        return result
