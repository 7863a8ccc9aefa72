"""`teloom-opt`: reads IR, runs passes on it and prints the result."""

import argparse
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from typing import IO, NoReturn

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.utils.exceptions import (
    ArgSpecParseError,
    DiagnosticException,
    ParseError,
    ShrinkException,
)
from xdsl.xdsl_opt_main import xDSLOptMain

from teloom import __version__
from teloom.backend.machine.cpus import target
from teloom.driver.diagnostics import (
    Diagnostic,
    Mistake,
    mistake_at_op,
    mistake_in_text,
    told_of_warnings,
)
from teloom.driver.pipeline_spec import parse_passes
from teloom.driver.reading.located_parser import LocatedParser
from teloom.driver.reading.source_file import read_text
from teloom.driver.registry import load_universe, register, upstream_passes
from teloom.driver.runner import NotVerifiedError, Runner, explained_in, verify
from teloom.driver.schedule_file import SCHEDULE_HELP, put_schedule
from teloom.errors import TOO_DEEP, Error, PassError, did_you_mean
from teloom.lazy import loaded
from teloom.passes.pipelines import PIPELINES
from teloom.switches import debug_level
from teloom.tools.exit_code import telling_mistakes
from teloom.tools.expected_diagnostics import differences
from teloom.tools.target import CPU_HELP


class _Store(argparse.Action):
    """Stores the value of an option; of passes, those that several options name, in this order."""

    def __call__(self, parser, namespace, values, option_string=None):
        before = getattr(namespace, self.dest) if self.dest == "passes" else None
        setattr(namespace, self.dest, f"{before},{values}" if before else values)


class OptMain(xDSLOptMain):
    """xDSL's driver with our dialects, passes, named pipelines and errors."""

    version_format = f"teloom-opt {__version__} on xdsl {{xdsl_version}}"

    def __init__(self, args: Sequence[str] | None = None):
        self._universe = load_universe()
        self._text = ""
        super().__init__("Reads IR, runs passes on it and prints the result.", args)

    # Dialects, passes, targets and options

    def register_all_dialects(self):
        register(self.ctx, self._universe.all_dialects)

    def register_all_passes(self):
        self.available_passes.update(self._universe.all_passes)

    def register_all_targets(self):
        self.available_targets.update(self._universe.all_targets)

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser):
        arg_parser.register("action", None, _Store)
        super().register_all_arguments(arg_parser)
        arg_parser.add_argument("--cpu", metavar="NAME", help=CPU_HELP)
        arg_parser.add_argument("--schedule", metavar="FILE", help=SCHEDULE_HELP)
        self._describe(arg_parser)
        flags = [flag for action in arg_parser._actions for flag in action.option_strings]

        def refuse(message: str) -> NoReturn:
            unknown = message.removeprefix("unrecognized arguments: ")
            hint = self._hint(unknown.split()[0], flags) if unknown != message else ""
            raise SystemExit(f"teloom-opt: error: {message}{hint}")

        arg_parser.prog = "teloom-opt"
        arg_parser.error = refuse

    def _hint(self, flag: str, flags: Sequence[str]) -> str:
        """What may be meant by an option that there is not."""
        name = flag.lstrip("-")
        if name in PIPELINES or name in self.available_passes:
            return f"; passes are named by -p, as in -p {name}"
        return did_you_mean(flag, flags)

    def _describe(self, arg_parser: argparse.ArgumentParser):
        """Describes the options, and lists passes: upstream's hundred only by example."""
        targets = ", ".join(name for name in self.available_targets if name != "mlir")
        words = {
            "input_file": "IR as text; standard input if it is left out",
            "disable_verify": "do not verify the IR",
            "target": "what to print: mlir, IR as text, if it is left out; the others are xDSL's: "
            + targets,
            "output_file": "where to write the result; standard output if it is left out",
            "passes": "what to run: names of pipelines and passes, separated by commas, each with "
            "options in braces; see below",
            "verify_diagnostics": "compare the diagnostics with the expectations in the input, "
            "such as // expected-error@+1 {{words}}; the exit code is 1 if they differ",
            "parsing_diagnostics": "print mistakes on standard output, with exit code 0",
            "version": "print the version and exit",
            "print_between_passes": "print the IR after each pass, on standard error",
            "shrink": "the exit code is 0 if, and only if, a pass raises xDSL's ShrinkException: "
            "for a tool that makes an input smaller",
        }
        metavars = {"output_file": "FILE"}
        for action in arg_parser._actions:
            action.help = words.get(action.dest, action.help)
            action.metavar = metavars.get(action.dest, action.metavar)
        arg_parser.epilog = self._names_of_passes()
        arg_parser.formatter_class = argparse.RawDescriptionHelpFormatter

    def _names_of_passes(self) -> str:
        lines = ["pipelines, and the passes that each runs:"]
        in_order: dict[str, None] = {}
        for name, steps in PIPELINES.items():
            lines.append(f"  {name}")
            lines += _wrapped((step for step, _ in steps), "    ")
            in_order |= dict.fromkeys(step for step, _ in steps)
        others = self.available_passes.keys() - in_order.keys() - upstream_passes()
        if others:
            lines += ["", "other passes:", *_wrapped(sorted(others), "  ")]
        lines += [
            "",
            "xDSL's passes, such as canonicalize, cse and dce, can be named too.",
            "",
            "in the environment, TELOOM_PRINT=diff prints what each pass changes (also: before,",
            "after, changed), TELOOM_DEBUG=1 how long each takes.",
            "",
            "example:",
            "  teloom-opt blur.mlir -p 'te-to-memref,vectorize-loops{bytes=32}'",
        ]
        return "\n".join(lines)

    def setup_pipeline(self):
        # Upstream builds the callback that times and prints between passes. We parse the names of
        # passes, for upstream knows no pipelines and no positions. We also verify, for upstream
        # does not check dominance.
        spec, self.args.passes = self.args.passes, ""
        self._verifying, self.args.disable_verify = not self.args.disable_verify, True
        super().setup_pipeline()
        self.args.passes = spec
        passes = parse_passes(spec, self.available_passes, PIPELINES)
        self.pipeline = PassPipeline(passes, self.pipeline.callback)

    # One run

    def process(self) -> int:
        """Processes every chunk of the input. Returns 1 if one of them had a mistake, else 0."""
        self._text = read_text(self.args.input_file or "-", self.get_input_name())
        output = self._open_output()
        status = 0
        for i, (chunk, line_offset) in enumerate(self._chunks()):
            if i > 0:
                output.write("// -----\n")
            try:
                if self.args.verify_diagnostics:
                    status |= self._verify(chunk, line_offset, output)
                else:
                    self._show(chunk, line_offset, output)
            except Mistake as mistake:
                output.flush()
                status |= self._report(mistake)
            except RecursionError:
                output.flush()
                place = self.get_input_name(), line_offset + 1, 1
                status |= self._report(Mistake(*place, TOO_DEEP))
            output.flush()
        if output is not sys.stdout:
            output.close()
        return status

    def _show(self, chunk: str, line_offset: int, output: IO[str]) -> None:
        self._chunk = chunk, line_offset
        module = self._given()
        self.apply_passes(module)
        self._show_machine_code(module)
        output.write(self._emit(module))

    def _given(self) -> ModuleOp:
        """The module that passes run on."""
        module = self._parse(*self._chunk)
        if self.args.cpu is not None:
            target(self.args.cpu).put(module)
        if self.args.schedule:
            put_schedule(module, self.args.schedule)
        return module

    def _verify(self, chunk: str, line_offset: int, output: IO[str]) -> int:
        """As `_show`. Returns 1 if the diagnostics differ from the expected ones, else 0."""
        produced: list[Diagnostic] = []
        with told_of_warnings(produced.append):
            try:
                self._show(chunk, line_offset, output)
            except Mistake as mistake:
                produced.append(mistake.diagnostic())
        file = self.get_input_name()
        wrong = list(differences(chunk, line_offset, file, produced))
        for one in wrong:
            print(one.text(f"{file}:1:1"), file=sys.stderr)
        return 1 if wrong else 0

    def _open_output(self):
        try:
            output = self.prepare_output()
        except OSError as error:
            message = f"cannot be written: {error.strerror}"
            raise Mistake(self.args.output_file, 1, 1, message) from None
        if output is None:
            raise Error("standard output is closed; -o FILE says where the result goes")
        return output

    def _chunks(self) -> Iterator[tuple[str, int]]:
        """Each part of the input, and the number of lines in front of it."""
        marker = r"(?m)^// -----[ \t]*$" if self.args.split_input_file else r"(?!)"
        line_offset = 0
        for chunk in re.split(marker, self._text):
            yield chunk, line_offset
            line_offset += chunk.count("\n")

    def _parse(self, chunk: str, line_offset: int) -> ModuleOp:
        try:
            parser = LocatedParser(self.ctx, chunk, self.get_input_name(), line_offset)
            return parser.parse_module(not self.args.no_implicit_module)
        except ParseError as error:
            raise mistake_in_text(error, line_offset) from None

    def apply_passes(self, prog: ModuleOp):
        between, passes = self.pipeline.callback, self.pipeline.passes
        assert between is not None
        if self._verifying:
            try:
                verify(prog)
            except NotVerifiedError as error:
                raise self._mistake(error, error.op, "") from error
        explain = explained_in(self.get_input_name(), self._text)
        runner = Runner(self.ctx, explain, lambda: str(self._given()), self._verifying)
        if self.args.allow_unregistered_dialect:
            runner.flags = " --allow-unregistered-dialect"
        before: ModulePass | None = None
        for step in (*passes, None):
            with redirect_stdout(sys.stderr):
                between(before, prog, step)
            if step is not None:
                runner.run(prog, [step])
            before = step

    def _show_machine_code(self, module: ModuleOp) -> None:
        """Prints the machine code that TELOOM_DEBUG asks for, of a module of level `llvm`."""
        if debug_level() and any(isinstance(op, llvm.FuncOp) for op in module.ops):
            try:
                loaded("teloom.backend.call.compiled", "show_machine_code")(module)
            except PassError as error:
                raise self._mistake(error, error.op, "LLVM IR: ") from error

    def _emit(self, module: ModuleOp) -> str:
        try:
            text = self.output_resulting_program(module)
        # Upstream's targets raise all of these; what an assertion says is the op.
        except (DiagnosticException, NotImplementedError, ValueError) as error:
            raise self._mistake(error, None, f"target {self.args.target}: ") from error
        except AssertionError as error:
            said = PassError("it has no text for an op of this module")
            raise self._mistake(said, None, f"target {self.args.target}: ") from error
        return text.rstrip("\n") + "\n"

    def _mistake(self, error: Exception, op, context: str) -> Mistake:
        return mistake_at_op(error, op, self.get_input_name(), self._text, context)

    def _report(self, mistake: Mistake) -> int:
        forgiven = self.args.parsing_diagnostics and not self.args.verify_diagnostics
        print(mistake, file=sys.stdout if forgiven else sys.stderr)
        return 0 if forgiven else 1


def _wrapped(names: Iterable[str], indent: str) -> list[str]:
    return textwrap.wrap(
        ", ".join(names),
        88,
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )


def main(args: Sequence[str] | None = None) -> int:
    """Runs the tool with these arguments, or those of the command line; returns its exit code."""
    try:
        with telling_mistakes("teloom-opt") as end:
            end.code = OptMain(args).process()
        return end.code
    except ArgSpecParseError:  # errors of the pipeline are Mistakes
        print("teloom-opt: error: the argument of -t is not a target's name", file=sys.stderr)
        return 1
    except ShrinkException:
        print("Success, can shrink")
        return 0


if __name__ == "__main__":
    sys.exit(main())
