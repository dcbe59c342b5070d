"""The sandbox: everything that bounds a hostile script, in one room.

names, gate, stores, instance, formatting, named      the attribute gate: which names a script may read, set and define
sealed, wrapping, restored                            classes and functions of the library that a script cannot change
builtins, imports, namespace, kinds, modules/         the names and modules a script may use
files, environment, settings                          permissions for files; one session's share of the process
limits, supervision, isolation                        time, memory and output; the process that watches; the kernel's walls

docs/security.md tells the same to whoever runs scripts of others.
"""
