"""Calls of flex_attention as the operators that PyTorch's definition of it is made of: the score and the mask of every pair
of a query and a key, from the functions that the user wrote for one."""

import copy

import torch
from torch._higher_order_ops.flex_attention import math_attention
from torch.fx.experimental.proxy_tensor import make_fx

from ferrite import _dtypes
from ferrite._handed import attribute


def _calls(module):
    return [node for node in module.graph.nodes if getattr(node.target, "_name", None) == "flex_attention"]


def _traced(node, module):
    """A graph of the call, whose placeholders are its `values`."""
    values = [arg for arg in node.all_input_nodes if arg.op != "get_attr" or "val" in arg.meta]
    places = {arg: place for place, arg in enumerate(values)}

    def call(*given):
        def known(arg):
            return given[places[arg]] if arg in places else attribute(module, arg.target)
        arguments, named = torch.fx.node.map_arg((node.args, node.kwargs), known)
        return math_attention(*arguments, **named)

    metas = [arg.meta["val"] for arg in values]
    mode = torch._guards.detect_fake_mode(metas)
    with mode, torch.no_grad():
        made = make_fx(call, tracing_mode="real", _allow_non_fake_inputs=True)(*metas)
    return made, values


def _keep(module, name, value):
    """-> the name by which the module has it"""
    while hasattr(module, name):
        name += "_"
    if isinstance(value, torch.Tensor) and not isinstance(value, torch.nn.Parameter):
        module.register_buffer(name, value)
    else:
        setattr(module, name, value)
    return name


def _put(made, values, node, module):
    """The graph in the place of the call; its results, whose dtypes may be others than those that were recorded."""
    inner = [arg for arg in made.graph.nodes if arg.op == "placeholder"]
    known = dict(zip(inner, values))
    with module.graph.inserting_before(node):
        for arg in made.graph.nodes:
            if arg.op == "get_attr":
                known[arg] = module.graph.get_attr(_keep(module, arg.target, attribute(made, arg.target)))
                known[arg].meta = dict(arg.meta)
        results = module.graph.graph_copy(made.graph, known)
    for user in list(node.users):
        user.replace_all_uses_with(results[user.args[1]])
        module.graph.erase_node(user)
    module.graph.erase_node(node)
    return results


def _with_branches(module):
    """The module, or a copy whose branches and loop bodies have no such calls."""
    graphs = {name: child for name, child in module.named_children() if isinstance(child, torch.fx.GraphModule)}
    changed = {name: new for name, child in graphs.items() if (new := expanded(child)) is not child}
    if not changed:
        return module
    module = torch.fx.GraphModule(module, copy.deepcopy(module.graph))
    for name, child in changed.items():
        setattr(module, name, child)
    return module


def expanded(module):
    """The module, or a copy without such calls."""
    module = _with_branches(module)
    if not _calls(module):
        return module
    module = torch.fx.GraphModule(module, copy.deepcopy(module.graph))
    results = [result for node in _calls(module) for result in _put(*_traced(node, module), node, module)]
    module.graph.eliminate_dead_code()
    _dtypes.correct(module, results)
    module.recompile()
    return module
