"""A stage in the place of another one that computes the same tensors."""

from xdsl.rewriter import InsertPoint, Rewriter

from teloom.dialects import schedule
from teloom.passes.schedule.primitives.handles import NamedStages


def replace_stage(old: schedule.StageOp, new: schedule.StageOp, stages: NamedStages) -> None:
    """Puts a new stage in the place of an old one, which is erased.

    Its place, its storage and what is computed inside of it stay. The caller has put other axes in
    the place of those of the old stage.
    """
    Rewriter.insert_op(new, InsertPoint.before(old))
    new.set_at(old.at)
    if old.is_stored_elsewhere:
        new.set_stored_at(old.stored_at)
    new.set_storage(old.storage)
    new.properties |= {key: old.properties[key] for key in _MODE if key in old.properties}
    new.location = old.location
    for inner in old.attached:
        inner.detach()
        Rewriter.insert_op(inner, InsertPoint.before(new.definition))
    for tensor, replaced in zip(new.tensors, old.tensors, strict=True):
        tensor.name_hint = replaced.name_hint
        replaced.replace_all_uses_with(tensor)
    old.detach()
    old.erase(safe_erase=False)
    stages.all()


_MODE = ("mode", "budget")
"""How its region is computed."""
