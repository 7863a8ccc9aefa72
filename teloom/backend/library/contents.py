"""The description in a library, as a text: who made it, for which machine, its functions."""

from __future__ import annotations

import json
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.parser import Parser

from teloom.analysis.signature import Signature, signature_said
from teloom.backend.library.c_signature import CFunction
from teloom.errors import Error

SYMBOL = "teloom_library"
"""The name of the text in the library."""

MARK = b"This is a library of Teloom: "
"""What the text begins with."""

FORMAT = 1
"""The version of what stands in the text, and of what is called."""


class Contents(NamedTuple):
    """What a library says: for each variant the extensions that it needs, the best first."""

    architecture: str
    needs: list[list[str]]
    functions: list[CFunction]

    def text(self, by: str) -> bytes:
        """What stands in the library, made `by` a version of Teloom."""
        functions = [
            {
                "name": one.name,
                "signature": str(one.signature.attribute()),
                "assertions": list(one.assertions),
            }
            for one in self.functions
        ]
        said = {
            "format": FORMAT,
            "teloom": by,
            "architecture": self.architecture,
            "needs": self.needs,
            "functions": functions,
        }
        return MARK + json.dumps(said).encode()

    @staticmethod
    def of(file: str, data: bytes) -> Contents:
        """What a file says; raises `teloom.Error` if it is none, or one of another format."""
        start = data.find(MARK)
        if start < 0:
            raise Error(f"{file} is no library of Teloom: it does not say what is in it")
        start += len(MARK)
        end = data.find(b"\0", start)
        try:
            said = json.loads(data[start:end])
            if said["format"] != FORMAT:
                raise Error(
                    f"{file} was made by Teloom {said['teloom']} in format {said['format']}; this "
                    f"one reads format {FORMAT}: export it again"
                )
            functions = [
                CFunction(_signature(one["name"], one["signature"]), tuple(one["assertions"]))
                for one in said["functions"]
            ]
            return Contents(said["architecture"], said["needs"], functions)
        except (ValueError, KeyError, TypeError) as error:
            raise Error(f"{file} is damaged: it does not say what is in it ({error})") from None


def _signature(name: str, text: str) -> Signature:
    context = Context()
    context.load_dialect(Builtin)
    return signature_said(name, Parser(context, text).parse_attribute())
