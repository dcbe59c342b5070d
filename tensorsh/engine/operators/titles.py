"""Public forms of operators as the executor sees them: the types of the arguments of a call, looked up.

Cython compiles this file together with `titles.pxd`; without a compiler it runs as it stands.
"""

from ..wording.arguments import MOST, checked, types_of


class Title:
    """A public form of an operator, and the types of arguments that fit it."""

    def __init__(self, executor, title):
        self.executor = executor
        self.title = title
        self.known = set()
        self.last = ()
        self.news = False

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
                lists = True
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


class Choice:
    """A public form of several operators, on float tensors: the types of the arguments say which. All else goes to the form of
    the function that tells them apart."""

    def __init__(self, choices, answer):
        self.choices = choices
        self.otherwise = answer

    def answer(self, args, kwargs):
        """The answer to any arguments."""
        executor = self.choices.get(types_of(args, kwargs))
        if executor is not None and executor.floats(args[0]._array):
            try:
                return executor.answered(args, kwargs)
            except Exception:
                pass  # the function has the words
        return self.otherwise(args, kwargs)
