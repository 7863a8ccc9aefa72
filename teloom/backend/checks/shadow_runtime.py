"""The functions that checked code calls: they write shadows, and look at them."""

from __future__ import annotations

from functools import cache
from string import Template

from xdsl.context import Context
from xdsl.dialects import arith, builtin, func, memref, scf
from xdsl.parser import Parser

from teloom.analysis import shadow_state as state
from teloom.backend.machine import jit
from teloom.backend.machine.llvm_text import llvm_text
from teloom.passes.llvm.lower_to_llvm import lower_to_llvm

_FUNCTIONS = (state.BEGIN, state.READ, state.WRITE, state.APART, state.FILL)

_TEXT = """
// A region begins: its box stands in the state, behind the word that gets its first tag.
func.func @$BEGIN(%state: memref<?xindex>, %region: index, %name: index, %rank: index) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %regions = arith.constant $REGIONS : index
  %word = arith.constant $NEXT : index
  %first = memref.load %state[%word] : memref<?xindex>
  %scaled = arith.muli %first, %regions : index
  %tag = arith.addi %scaled, %name : index
  memref.store %tag, %state[%region] : memref<?xindex>
  %extents = arith.addi %region, %rank : index
  %count = scf.for %axis = %0 to %rank step %1 iter_args(%product = %1) -> (index) {
    %before = arith.addi %extents, %axis : index
    %at = arith.addi %before, %1 : index
    %extent = memref.load %state[%at] : memref<?xindex>
    %size = arith.maxsi %extent, %0 : index
    %more = arith.muli %product, %size : index
    scf.yield %more : index
  }
  %next = arith.addi %first, %count : index
  memref.store %next, %state[%word] : memref<?xindex>
  func.return
}

// Counts a wrong access, and keeps what is to be said of the first; gives how many there are.
func.func private @found(%state: memref<?xindex>, %site: index, %rank: index, %first: index,
                         %kind: index, %there: index) -> index {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %before = memref.load %state[%0] : memref<?xindex>
  %after = arith.addi %before, %1 : index
  memref.store %after, %state[%0] : memref<?xindex>
  %is_first = arith.cmpi eq, %before, %0 : index
  scf.if %is_first {
    %kind_word = arith.constant $KIND : index
    %site_word = arith.constant $SITE : index
    %tag_word = arith.constant $TAG : index
    %first_word = arith.constant $FIRST : index
    %rank_word = arith.constant $RANK : index
    memref.store %kind, %state[%kind_word] : memref<?xindex>
    memref.store %site, %state[%site_word] : memref<?xindex>
    memref.store %there, %state[%tag_word] : memref<?xindex>
    memref.store %first, %state[%first_word] : memref<?xindex>
    memref.store %rank, %state[%rank_word] : memref<?xindex>
    %from = arith.constant $AT : index
    %to = arith.constant $FIRST_AT : index
    scf.for %axis = %0 to %rank step %1 {
      %source = arith.addi %from, %axis : index
      %target = arith.addi %to, %axis : index
      %subscript = memref.load %state[%source] : memref<?xindex>
      memref.store %subscript, %state[%target] : memref<?xindex>
    }
  }
  func.return %after : index
}

// The tag of the element at the subscripts of the access at hand; negative outside of the region.
func.func private @tag(%state: memref<?xindex>, %rank: index, %region: index) -> index {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %outside = arith.constant -1 : index
  %at = arith.constant $AT : index
  %regions = arith.constant $REGIONS : index
  %offsets = arith.addi %region, %1 : index
  %extents = arith.addi %offsets, %rank : index
  %position = scf.for %axis = %0 to %rank step %1 iter_args(%outer = %0) -> (index) {
    %subscript_word = arith.addi %at, %axis : index
    %offset_word = arith.addi %offsets, %axis : index
    %extent_word = arith.addi %extents, %axis : index
    %subscript = memref.load %state[%subscript_word] : memref<?xindex>
    %offset = memref.load %state[%offset_word] : memref<?xindex>
    %given = memref.load %state[%extent_word] : memref<?xindex>
    %extent = arith.maxsi %given, %0 : index
    %distance = arith.subi %subscript, %offset : index
    %in_axis = arith.cmpi ult, %distance, %extent : index
    %in_outer = arith.cmpi sge, %outer, %0 : index
    %inside = arith.andi %in_axis, %in_outer : i1
    %rows = arith.muli %outer, %extent : index
    %here = arith.addi %rows, %distance : index
    %result = arith.select %inside, %here, %outside : index
    scf.yield %result : index
  }
  %first = memref.load %state[%region] : memref<?xindex>
  %scaled = arith.muli %position, %regions : index
  %sum = arith.addi %scaled, %first : index
  %known = arith.cmpi sge, %position, %0 : index
  %tag = arith.select %known, %sum, %outside : index
  func.return %tag : index
}

// The tag of the element at hand, which has to be in its region; without one, that of anything.
func.func private @tag_or_mark(%state: memref<?xindex>, %site: index, %rank: index,
                               %region: index) -> index {
  %0 = arith.constant 0 : index
  %anything = arith.constant $ANYTHING : index
  %labelled = arith.cmpi sge, %region, %0 : index
  %result = scf.if %labelled -> (index) {
    %tag = func.call @tag(%state, %rank, %region) : (memref<?xindex>, index, index) -> index
    %is_outside = arith.cmpi slt, %tag, %0 : index
    scf.if %is_outside {
      %kind = arith.constant $OUTSIDE_REGION : index
      %count = func.call @found(%state, %site, %rank, %0, %kind, %0)
          : (memref<?xindex>, index, index, index, index, index) -> index
    }
    scf.yield %tag : index
  } else {
    scf.yield %anything : index
  }
  func.return %result : index
}

func.func @$FILL(%shadow: memref<?xindex>, %start: index, %units: index, %size: index,
                 %mark: index) {
  %1 = arith.constant 1 : index
  %count = arith.muli %size, %units : index
  %end = arith.addi %start, %count : index
  scf.for %k = %start to %end step %1 {
    memref.store %mark, %shadow[%k] : memref<?xindex>
  }
  func.return
}
"""

_ACCESS = """
func.func @$function(%state: memref<?xindex>, %site: index, %rank: index, %region: index,
                     %shadow: memref<?xindex>, %start: index, %units: index, %index: index,
                     %size: index) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %inside = arith.cmpi ult, %index, %size : index
  scf.if %inside {
    %labelled = arith.cmpi sge, %region, %0 : index
    $before
    %distance = arith.muli %index, %units : index
    %start_of_element = arith.addi %start, %distance : index
    %end = arith.addi %start_of_element, %units : index
    %found = scf.for %k = %start_of_element to %end step %1
        iter_args(%before = %expected) -> (index) {
      %there = memref.load %shadow[%k] : memref<?xindex>
      $entry
      %after = arith.select %is_wrong, %there, %before : index
      scf.yield %after : index
    }
    %wrong = arith.cmpi ne, %found, %expected : index
    scf.if %wrong {
      %first = scf.if %labelled -> (index) {
        %known = memref.load %state[%region] : memref<?xindex>
        scf.yield %known : index
      } else {
        scf.yield %0 : index
      }
      %kind = arith.constant $wrong : index
      %count = func.call @found(%state, %site, %rank, %first, %kind, %found)
          : (memref<?xindex>, index, index, index, index, index) -> index
    }
  } else {
    $outside
  }
  func.return
}
"""
"""What a function does with the entries of the element of an access.

`before` gives `%expected`; `entry`, for what is `%there`, whether that `%is_wrong`.
"""

_TAG = """
    %expected = func.call @tag_or_mark(%state, %site, %rank, %region)
        : (memref<?xindex>, index, index, index) -> index"""

_OUTSIDE = """
    %kind = arith.constant $OUTSIDE_MEMORY : index
    %count = func.call @found(%state, %site, %rank, %0, %kind, %size)
        : (memref<?xindex>, index, index, index, index, index) -> index"""

_ACCESSES = (
    {
        "function": "$READ",
        "before": _TAG,
        # Without a label any tag is right.
        "entry": """
      %freed = arith.constant $FREED : index
      %is_tag = arith.cmpi sge, %there, %0 : index
      %is_nothing = arith.cmpi eq, %there, %0 : index
      %is_other = arith.cmpi ne, %there, %expected : index
      %is_freed = arith.cmpi eq, %there, %freed : index
      %matters = arith.ori %labelled, %is_nothing : i1
      %differs = arith.andi %is_tag, %is_other : i1
      %is_another = arith.andi %differs, %matters : i1
      %is_wrong = arith.ori %is_another, %is_freed : i1""",
        "wrong": "$WRONG_ELEMENT",
        "outside": _OUTSIDE,
    },
    {
        "function": "$WRITE",
        "before": _TAG,
        # What must not be written stays.
        "entry": """
      %given = arith.constant $GIVEN : index
      %is_wrong = arith.cmpi sle, %there, %given : index
      %written = arith.select %is_wrong, %there, %expected : index
      memref.store %written, %shadow[%k] : memref<?xindex>""",
        "wrong": "$WRONG_ELEMENT",
        "outside": _OUTSIDE,
    },
    {
        "function": "$APART",
        # The region is a loop: the numbers of its first element and of its iteration's.
        "before": """
    %expected = arith.constant $NOTHING : index
    %regions = arith.constant $REGIONS : index
    %iteration = arith.addi %region, %1 : index
    %loop_number = memref.load %state[%region] : memref<?xindex>
    %iteration_number = memref.load %state[%iteration] : memref<?xindex>
    %earliest = arith.muli %loop_number, %regions : index
    %latest = arith.muli %iteration_number, %regions : index""",
        "entry": """
      %in_loop = arith.cmpi sge, %there, %earliest : index
      %is_earlier = arith.cmpi slt, %there, %latest : index
      %is_wrong = arith.andi %in_loop, %is_earlier : i1""",
        "wrong": "$AT_THE_SAME_TIME",
        "outside": "",  # the write behind it says so
    },
)


@cache
def functions() -> jit.OwnFunctions:
    """The functions, as code of this machine."""
    context = Context()
    for dialect in (arith.Arith, builtin.Builtin, func.Func, memref.MemRef, scf.Scf):
        context.load_dialect(dialect)
    text = _TEXT + "".join(Template(_ACCESS).substitute(access) for access in _ACCESSES)
    module = Parser(context, Template(text).substitute(vars(state))).parse_module()
    lower_to_llvm(module)
    return jit.OwnFunctions(llvm_text(module), _FUNCTIONS)
