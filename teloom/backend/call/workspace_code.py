"""The machine code that takes buffers from a workspace and gives them back, in any order.

A workspace has slots for blocks of memory; those in use come first. A slot that is given back
becomes free when all slots behind it are given back, too: the slots are a stack.
"""

from teloom.backend.machine import generators, jit
from teloom.dialects.runtime import GIVE, TAKE

CODE = f"""
%slot = type {{ ptr, i64, i64 }}  ; memory, bytes, whether it is in use
%workspace = type {{ i64, ptr, ptr }}  ; slots in use, all slots, the function that grows, ...

define ptr @{TAKE}(ptr %w, i64 %alignment, i64 %bytes) {{
  %used = load i64, ptr %w
  %slots.at = getelementptr %workspace, ptr %w, i64 0, i32 1
  %slots = load ptr, ptr %slots.at
  %slot = getelementptr %slot, ptr %slots, i64 %used
  %memory = load ptr, ptr %slot
  %room.at = getelementptr %slot, ptr %slot, i64 0, i32 1
  %room = load i64, ptr %room.at
  %fits = icmp sge i64 %room, %bytes
  %address = ptrtoint ptr %memory to i64
  %mask = sub i64 %alignment, 1
  %off = and i64 %address, %mask
  %aligned = icmp eq i64 %off, 0
  %good = and i1 %fits, %aligned
  br i1 %good, label %take, label %grow
grow:
  %grow.at = getelementptr %workspace, ptr %w, i64 0, i32 2
  %grow.with = load ptr, ptr %grow.at
  %grown = call i32 %grow.with(ptr %w, i64 %alignment, i64 %bytes)
  %refused = icmp eq i32 %grown, 0
  br i1 %refused, label %refuse, label %again
refuse:
  ret ptr null
again:
  %new.slots = load ptr, ptr %slots.at
  %new.slot = getelementptr %slot, ptr %new.slots, i64 %used
  %new.memory = load ptr, ptr %new.slot
  br label %take
take:
  %s = phi ptr [ %slot, %0 ], [ %new.slot, %again ]
  %m = phi ptr [ %memory, %0 ], [ %new.memory, %again ]
  %is.used.at = getelementptr %slot, ptr %s, i64 0, i32 2
  store i64 1, ptr %is.used.at
  %more = add i64 %used, 1
  store i64 %more, ptr %w
  ret ptr %m
}}

define void @{GIVE}(ptr %w, ptr %memory) {{
  %used = load i64, ptr %w
  %slots.at = getelementptr %workspace, ptr %w, i64 0, i32 1
  %slots = load ptr, ptr %slots.at
  br label %search
search:
  %n = phi i64 [ %used, %0 ], [ %k, %look ]
  %k = sub i64 %n, 1
  %foreign = icmp slt i64 %k, 0
  br i1 %foreign, label %end, label %look
look:
  %slot = getelementptr %slot, ptr %slots, i64 %k
  %m = load ptr, ptr %slot
  %found = icmp eq ptr %m, %memory
  br i1 %found, label %give, label %search
give:
  %is.used.at = getelementptr %slot, ptr %slot, i64 0, i32 2
  store i64 0, ptr %is.used.at
  br label %pop
pop:
  %left = phi i64 [ %used, %give ], [ %top, %drop ]
  store i64 %left, ptr %w
  %top = sub i64 %left, 1
  %empty = icmp slt i64 %top, 0
  br i1 %empty, label %end, label %drop
drop:
  %top.slot = getelementptr %slot, ptr %slots, i64 %top
  %top.used.at = getelementptr %slot, ptr %top.slot, i64 0, i32 2
  %top.used = load i64, ptr %top.used.at
  %stays = icmp ne i64 %top.used, 0
  br i1 %stays, label %end, label %pop
end:
  ret void
}}
"""

OWN = jit.OwnFunctions(CODE, (TAKE, GIVE), effort=generators.SOON_MADE)
"""The functions by which machine code takes and gives back memory."""
