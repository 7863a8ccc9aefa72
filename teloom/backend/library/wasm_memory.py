"""Memory of a module of WebAssembly that has no C library: the functions that take and give it.

Blocks that are free are listed by their addresses, and joined with their neighbours; the first
that is large enough is divided, and the memory grows where there is none. The 8 bytes in front of
what a caller has say where its block begins, and how large that is.
"""

from __future__ import annotations

OFFERED = ("aligned_alloc", "free")
"""What a module has for its callers, who put arrays into its memory."""

_GRAIN = 16
"""Blocks begin at multiples of so many bytes, and are so many, or more."""

_PAGE = 65536
"""What memory grows by, in bytes."""

CODE = f"""
%free.block = type {{ i32, ptr }}  ; its bytes, the next one

@free.blocks = internal global ptr null

declare i32 @llvm.wasm.memory.grow.i32(i32, i32)

define ptr @aligned_alloc(i32 %asked, i32 %bytes) {{
  %alignment = call i32 @llvm.umax.i32(i32 %asked, i32 {_GRAIN})
  %larger = call i32 @llvm.umax.i32(i32 %alignment, i32 %bytes)
  %too.large = icmp ugt i32 %larger, {2**31 - _PAGE}
  br i1 %too.large, label %none, label %some
none:
  ret ptr null
some:
  %grains = add i32 %bytes, {_GRAIN - 1}
  %whole = and i32 %grains, {-_GRAIN}
  %needed = add i32 %whole, %alignment
  %found = call ptr @take.block(i32 %needed)
  %missing = icmp eq ptr %found, null
  br i1 %missing, label %grow, label %place
grow:
  %grown = call i1 @grow.memory(i32 %needed)
  br i1 %grown, label %again, label %none
again:
  %new = call ptr @take.block(i32 %needed)
  br label %place
place:
  %block = phi ptr [ %found, %some ], [ %new, %again ]
  %start = ptrtoint ptr %block to i32
  %inside = add i32 %start, %alignment
  %down = sub i32 0, %alignment
  %result.at = and i32 %inside, %down
  %result = inttoptr i32 %result.at to ptr
  %start.at = getelementptr i32, ptr %result, i32 -2
  store i32 %start, ptr %start.at
  %bytes.at = getelementptr i32, ptr %result, i32 -1
  store i32 %needed, ptr %bytes.at
  ret ptr %result
}}

define i32 @posix_memalign(ptr %at, i32 %alignment, i32 %bytes) {{
  %found = call ptr @aligned_alloc(i32 %alignment, i32 %bytes)
  store ptr %found, ptr %at
  %none = icmp eq ptr %found, null
  %status = select i1 %none, i32 12, i32 0
  ret i32 %status
}}

define void @free(ptr %given) {{
  %none = icmp eq ptr %given, null
  br i1 %none, label %end, label %some
some:
  %start.at = getelementptr i32, ptr %given, i32 -2
  %start = load i32, ptr %start.at
  %bytes.at = getelementptr i32, ptr %given, i32 -1
  %bytes = load i32, ptr %bytes.at
  call void @give.block(i32 %start, i32 %bytes)
  br label %end
end:
  ret void
}}

; The end of the first free block that is large enough; null without one.
define internal ptr @take.block(i32 %needed) {{
  br label %next
next:
  %link = phi ptr [ @free.blocks, %0 ], [ %next.at, %smaller ]
  %block = load ptr, ptr %link
  %none = icmp eq ptr %block, null
  br i1 %none, label %end, label %look
look:
  %next.at = getelementptr %free.block, ptr %block, i32 0, i32 1
  %bytes = load i32, ptr %block
  %enough = icmp uge i32 %bytes, %needed
  br i1 %enough, label %take, label %smaller
smaller:
  br label %next
take:
  %left = sub i32 %bytes, %needed
  %all = icmp eq i32 %left, 0
  br i1 %all, label %unlink, label %divide
unlink:
  %behind = load ptr, ptr %next.at
  store ptr %behind, ptr %link
  ret ptr %block
divide:
  store i32 %left, ptr %block
  %part = getelementptr i8, ptr %block, i32 %left
  ret ptr %part
end:
  ret ptr null
}}

; Puts memory among the free blocks.
define internal void @give.block(i32 %start, i32 %bytes) {{
  br label %next
next:
  %link = phi ptr [ @free.blocks, %0 ], [ %next.at, %before ]
  %previous = phi ptr [ null, %0 ], [ %block, %before ]
  %block = load ptr, ptr %link
  %block.start = ptrtoint ptr %block to i32
  %next.at = getelementptr %free.block, ptr %block, i32 0, i32 1
  %is.last = icmp eq ptr %block, null
  %is.behind = icmp ugt i32 %block.start, %start
  %here = or i1 %is.last, %is.behind
  br i1 %here, label %insert, label %before
before:
  br label %next
insert:
  %end = add i32 %start, %bytes
  %is.inner = xor i1 %is.last, true
  %meets = icmp eq i32 %end, %block.start
  %touches = and i1 %meets, %is.inner
  br i1 %touches, label %with.next, label %alone
with.next:
  %more = load i32, ptr %block
  %behind = load ptr, ptr %next.at
  %both = add i32 %bytes, %more
  br label %alone
alone:
  %size = phi i32 [ %bytes, %insert ], [ %both, %with.next ]
  %following = phi ptr [ %block, %insert ], [ %behind, %with.next ]
  %is.first = icmp eq ptr %previous, null
  br i1 %is.first, label %list, label %look
look:
  %previous.bytes = load i32, ptr %previous
  %previous.start = ptrtoint ptr %previous to i32
  %previous.end = add i32 %previous.start, %previous.bytes
  %joins = icmp eq i32 %previous.end, %start
  br i1 %joins, label %join, label %list
join:
  %sum = add i32 %previous.bytes, %size
  store i32 %sum, ptr %previous
  store ptr %following, ptr %link
  ret void
list:
  %new = inttoptr i32 %start to ptr
  store i32 %size, ptr %new
  %new.next = getelementptr %free.block, ptr %new, i32 0, i32 1
  store ptr %following, ptr %new.next
  store ptr %new, ptr %link
  ret void
}}

; Makes a free block of so many bytes at the end of memory; whether the engine gives them.
define internal i1 @grow.memory(i32 %bytes) {{
  %up = add i32 %bytes, {_PAGE - 1}
  %pages = lshr i32 %up, {_PAGE.bit_length() - 1}
  %before = call i32 @llvm.wasm.memory.grow.i32(i32 0, i32 %pages)
  %failed = icmp eq i32 %before, -1
  br i1 %failed, label %no, label %yes
no:
  ret i1 false
yes:
  %start = shl i32 %before, {_PAGE.bit_length() - 1}
  %size = shl i32 %pages, {_PAGE.bit_length() - 1}
  call void @give.block(i32 %start, i32 %size)
  ret i1 true
}}
"""
