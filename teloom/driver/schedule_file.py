"""A schedule in a file of its own, for the program of another file."""

from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import SymbolTable

from teloom.dialects import loop, schedule, te
from teloom.driver.reading.source_file import SourceFile
from teloom.errors import ScheduleError

SCHEDULE_HELP = (
    "a file with a schedule.sequence, and with the named sequences that it includes; it takes the "
    "place of the sequences in FILE, and its memories are declared; if FILE has one te.func, it is "
    "for that"
)


def put_schedule(module: ModuleOp, path: str) -> None:
    """Puts the sequences of a file in the place of those of a module, and declares its memories.

    If the module has one function, they are for that.
    Raises `Mistake` for a file that cannot be read, and `ScheduleError` for one that has no
    sequence, or a memory that the module has, too.
    """
    file = SourceFile(path)
    sequences = [op for op in file.module.ops if isinstance(op, schedule.SequenceOp)]
    if not sequences:
        raise ScheduleError(f"{file.name} has no schedule.sequence")
    put_sequences(module, file.module)
    for memory in loop.memories_in(file.module):
        if SymbolTable.lookup_symbol(module, memory.scope) is not None:
            raise ScheduleError(f'{file.name} declares the memory "{memory.scope}" again')
        memory.detach()
        Rewriter.insert_op(memory, InsertPoint.at_start(module.body.block))


def put_sequences(module: ModuleOp, source: ModuleOp) -> None:
    """Moves the sequences of `source` into a module, in the place of those that are there."""
    for op in list(module.ops):
        if isinstance(op, _Sequences):
            Rewriter.erase_op(op)
    functions = [op.sym_name.data for op in module.ops if isinstance(op, te.FuncOp)]
    for op in list(source.ops):
        if isinstance(op, _Sequences):
            op.detach()
            module.body.block.add_op(op)
        if isinstance(op, schedule.SequenceOp) and len(functions) == 1:
            op.properties["target"] = SymbolRefAttr(functions[0])


_Sequences = schedule.SequenceOp | schedule.NamedSequenceOp
