"""Values as text for a person: colours, tables, the grad_fn chain and the picture of a graph.

Nothing here is needed to run a script. The engine's objects are known only by the attributes that PyTorch gives them.
"""
