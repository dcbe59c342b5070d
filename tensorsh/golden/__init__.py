"""Golden tests: programs in which the expected output stands as comments right behind each statement.

    x = ones(2, 2)
    x.sum()
    #> tensor(4.)
    x @ ones(3)
    #! RuntimeError: size mismatch, got input (2), mat (2x2), vec (3)

`#>` is a line that the statement prints or echoes: a top-level expression is echoed as in the shell, unless it is
None. `#!` is the type and the first line of the error that the statement ends with; the program goes on behind it.
`[..]` stands for any text within a line, a line `...` for any number of lines.
"""
