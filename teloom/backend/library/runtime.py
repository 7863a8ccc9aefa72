"""What the code of a library needs beside itself: memory, threads, and what the CPU has.

It is LLVM IR, so that a library needs no other one. It has the names that code for this process
calls, and another workspace: memory comes from C's library or the caller's functions, and goes
back at the end of a call at the latest.

A parallel loop is divided into *parts*, as many as there are threads. Parts run in any order, at
the same time or not: the caller's function may run them as it likes, and OpenMP does where it is
there. Neither is linked: OpenMP is looked for when the first loop runs.
"""

from __future__ import annotations

from teloom.backend.call.threads import MOST_THREADS
from teloom.backend.library.measuring import MEASURE
from teloom.backend.machine import cpus
from teloom.dialects.runtime import GIVE, PARALLEL, TAKE, THREADS

BEGIN, END = "teloom.begin", "teloom.end"
"""The functions that make a workspace for a call, and that give back all of its memory."""

BEGIN_PART = "teloom.begin.part"
"""The function that makes a workspace for one thread of several, or for measuring."""

WORKSPACE = "%workspace = type { ptr, ptr, ptr, i64 }"
"""The caller's context, the last block that was taken, what is left of the caller's memory."""

OPENMP, LOOKED = "teloom.openmp", "teloom.looked"
"""The functions of OpenMP, by the order of `OPENMP_FUNCTIONS`; 1 if they have been looked for."""

OPENMP_FUNCTIONS = (
    "GOMP_parallel",
    "omp_get_max_threads",
    "omp_get_thread_num",
    "omp_get_num_threads",
)

SHARED = (OPENMP, LOOKED)
"""What objects of one program have in common, where there is OpenMP."""

LEAST_ALIGNMENT = 16
"""Of a block: in front of it stand the block before it, and the memory that it is in."""


def code(architecture: str) -> str:
    """LLVM IR of all of it."""
    if architecture == cpus.WASM:
        return "".join((_ANYWHERE, _MEMORY_OF_32_BITS, _WITHOUT_OPENMP))
    return "".join((_ANYWHERE, _MEMORY_OF_64_BITS, _OPENMP))


_MEMORY_OF_64_BITS = """
declare i32 @posix_memalign(ptr, i64, i64)

define internal i32 @teloom.memory.of.c(ptr %at, i64 %alignment, i64 %bytes) {
  %failed = call i32 @posix_memalign(ptr %at, i64 %alignment, i64 %bytes)
  ret i32 %failed
}
"""

_MEMORY_OF_32_BITS = f"""
declare i32 @posix_memalign(ptr, i32, i32)

define internal i32 @teloom.memory.of.c(ptr %at, i64 %alignment, i64 %bytes) {{
  %larger = call i64 @llvm.umax.i64(i64 %alignment, i64 %bytes)
  %too.large = icmp ugt i64 %larger, {2**31 - 1}
  br i1 %too.large, label %no, label %take
no:
  ret i32 12
take:
  %alignment.32 = trunc i64 %alignment to i32
  %bytes.32 = trunc i64 %bytes to i32
  %failed = call i32 @posix_memalign(ptr %at, i32 %alignment.32, i32 %bytes.32)
  ret i32 %failed
}}
"""
"""For a size_t of 32 bits: an array has fewer than 2^31 bytes, as PTRDIFF_MAX says."""

_WITHOUT_OPENMP = """
define internal ptr @teloom.openmp.function(i64 %number) {
  ret ptr null
}
"""

_ANYWHERE = f"""
{WORKSPACE}
; user, allocate, release, parallel, threads, memory, its bytes
%context = type {{ ptr, ptr, ptr, ptr, i32, ptr, i64 }}
; A job has a word of 64 bits for each: code, context, from, to, whether it is dynamic.
%job = type {{ [8 x i8], [8 x i8], i64, i64, i64 }}
%team = type {{ ptr, ptr, i32, i32 }}  ; the job, the caller's context, parts, status
%share = type {{ ptr, ptr, i32 }}  ; a function of a part, its data, parts

@teloom.no.context = internal constant %context zeroinitializer

declare void @free(ptr)

define void @{BEGIN}(ptr %w, ptr %given) {{
  %none = icmp eq ptr %given, null
  %context = select i1 %none, ptr @teloom.no.context, ptr %given
  store ptr %context, ptr %w
  %blocks = getelementptr %workspace, ptr %w, i64 0, i32 1
  store ptr null, ptr %blocks
  %memory.at = getelementptr %context, ptr %context, i64 0, i32 5
  %memory = load ptr, ptr %memory.at
  %bytes.at = getelementptr %context, ptr %context, i64 0, i32 6
  %bytes = load i64, ptr %bytes.at
  %missing = icmp eq ptr %memory, null
  %left = select i1 %missing, i64 0, i64 %bytes
  %memory.left = getelementptr %workspace, ptr %w, i64 0, i32 2
  store ptr %memory, ptr %memory.left
  %bytes.left = getelementptr %workspace, ptr %w, i64 0, i32 3
  store i64 %left, ptr %bytes.left
  ret void
}}

; A workspace without the memory that the caller gives: several threads cannot share it.
define internal void @{BEGIN_PART}(ptr %w, ptr %context) {{
  call void @{BEGIN}(ptr %w, ptr %context)
  %bytes.left = getelementptr %workspace, ptr %w, i64 0, i32 3
  store i64 0, ptr %bytes.left
  ret void
}}

define void @{END}(ptr %w) {{
  %blocks = getelementptr %workspace, ptr %w, i64 0, i32 1
  br label %next
next:
  %block = load ptr, ptr %blocks
  %none = icmp eq ptr %block, null
  br i1 %none, label %end, label %one
one:
  call void @{GIVE}(ptr %w, ptr %block)
  br label %next
end:
  ret void
}}

define ptr @{TAKE}(ptr %w, i64 %asked, i64 %bytes) {{
  %alignment = call i64 @llvm.smax.i64(i64 %asked, i64 {LEAST_ALIGNMENT})
  %all = add i64 %bytes, %alignment
  %memory.at = alloca ptr
  store ptr null, ptr %memory.at
  %given = call ptr @teloom.given(ptr %w, i64 %alignment, i64 %all)
  %fits = icmp ne ptr %given, null
  br i1 %fits, label %link, label %allocate
allocate:
  %context = load ptr, ptr %w
  %own.at = getelementptr %context, ptr %context, i64 0, i32 1
  %own = load ptr, ptr %own.at
  %usual = icmp eq ptr %own, null
  br i1 %usual, label %of.c, label %of.caller
of.c:
  %failed = call i32 @teloom.memory.of.c(ptr %memory.at, i64 %alignment, i64 %all)
  %good = icmp eq i32 %failed, 0
  %found.c = load ptr, ptr %memory.at
  %memory.c = select i1 %good, ptr %found.c, ptr null
  br label %check
of.caller:
  %user = load ptr, ptr %context
  %memory.user = call ptr %own(ptr %user, i64 %alignment, i64 %all)
  br label %check
check:
  %memory = phi ptr [ %memory.c, %of.c ], [ %memory.user, %of.caller ]
  %refused = icmp eq ptr %memory, null
  br i1 %refused, label %end, label %link
link:
  %inside = phi ptr [ null, %0 ], [ %memory, %check ]
  %start = phi ptr [ %given, %0 ], [ %memory, %check ]
  %block = getelementptr i8, ptr %start, i64 %alignment
  %before.at = getelementptr ptr, ptr %block, i64 -2
  %inside.at = getelementptr ptr, ptr %block, i64 -1
  %blocks = getelementptr %workspace, ptr %w, i64 0, i32 1
  %before = load ptr, ptr %blocks
  store ptr %before, ptr %before.at
  store ptr %inside, ptr %inside.at
  store ptr %block, ptr %blocks
  br label %end
end:
  %result = phi ptr [ null, %check ], [ %block, %link ]
  ret ptr %result
}}

; A block of the caller's memory; null if that has not so many bytes left.
define internal ptr @teloom.given(ptr %w, i64 %alignment, i64 %bytes) {{
  %memory.at = getelementptr %workspace, ptr %w, i64 0, i32 2
  %memory = load ptr, ptr %memory.at
  %left.at = getelementptr %workspace, ptr %w, i64 0, i32 3
  %left = load i64, ptr %left.at
  %address = ptrtoint ptr %memory to i64
  %negative = sub i64 0, %address
  %last = sub i64 %alignment, 1
  %gap = and i64 %negative, %last
  %room = sub i64 %left, %gap
  %begins = icmp uge i64 %left, %gap
  %ends = icmp uge i64 %room, %bytes
  %fits = and i1 %begins, %ends
  br i1 %fits, label %take, label %no
no:
  ret ptr null
take:
  %block = getelementptr i8, ptr %memory, i64 %gap
  %behind = getelementptr i8, ptr %block, i64 %bytes
  store ptr %behind, ptr %memory.at
  %rest = sub i64 %room, %bytes
  store i64 %rest, ptr %left.at
  ret ptr %block
}}

; Stands for what takes a block: counts, in the place of the bytes that are left, what it would take
; of memory that begins at a multiple of the alignment.
define ptr @{MEASURE}(ptr %w, i64 %asked, i64 %bytes) {{
  %alignment = call i64 @llvm.smax.i64(i64 %asked, i64 {LEAST_ALIGNMENT})
  %all = call i64 @llvm.uadd.sat.i64(i64 %bytes, i64 %alignment)
  %count.at = getelementptr %workspace, ptr %w, i64 0, i32 3
  %count = load i64, ptr %count.at
  %negative = sub i64 0, %count
  %last = sub i64 %alignment, 1
  %gap = and i64 %negative, %last
  %start = add i64 %count, %gap
  %end = call i64 @llvm.uadd.sat.i64(i64 %start, i64 %all)
  %most = call i64 @llvm.umin.i64(i64 %end, i64 {2**63 - 2**32})
  store i64 %most, ptr %count.at
  ret ptr null
}}

define void @{GIVE}(ptr %w, ptr %block) {{
  %blocks = getelementptr %workspace, ptr %w, i64 0, i32 1
  br label %search
search:
  %at = phi ptr [ %blocks, %0 ], [ %before.at, %other ]
  %one = load ptr, ptr %at
  %foreign = icmp eq ptr %one, null
  br i1 %foreign, label %end, label %look
look:
  %before.at = getelementptr ptr, ptr %one, i64 -2
  %found = icmp eq ptr %one, %block
  br i1 %found, label %unlink, label %other
other:
  br label %search
unlink:
  %before = load ptr, ptr %before.at
  store ptr %before, ptr %at
  %inside.at = getelementptr ptr, ptr %one, i64 -1
  %memory = load ptr, ptr %inside.at
  %is.given = icmp eq ptr %memory, null
  br i1 %is.given, label %end, label %release
release:
  %context = load ptr, ptr %w
  %own.at = getelementptr %context, ptr %context, i64 0, i32 2
  %own = load ptr, ptr %own.at
  %usual = icmp eq ptr %own, null
  br i1 %usual, label %of.c, label %of.caller
of.c:
  call void @free(ptr %memory)
  br label %end
of.caller:
  %user = load ptr, ptr %context
  call void %own(ptr %user, ptr %memory)
  br label %end
end:
  ret void
}}

define i32 @{THREADS}(ptr %w) {{
  %context = load ptr, ptr %w
  %said.at = getelementptr %context, ptr %context, i64 0, i32 4
  %said = load i32, ptr %said.at
  %is.said = icmp sgt i32 %said, 0
  br i1 %is.said, label %answer, label %ask
ask:
  %own.at = getelementptr %context, ptr %context, i64 0, i32 3
  %own = load ptr, ptr %own.at
  %most.of = call ptr @teloom.openmp.function(i64 1)
  %no.openmp = icmp eq ptr %most.of, null
  %is.own = icmp ne ptr %own, null
  %alone = or i1 %no.openmp, %is.own
  br i1 %alone, label %answer, label %openmp
openmp:
  %most = call i32 %most.of()
  br label %answer
answer:
  %asked = phi i32 [ %said, %0 ], [ 1, %ask ], [ %most, %openmp ]
  %threads = call i32 @llvm.smin.i32(i32 %asked, i32 {MOST_THREADS})
  ret i32 %threads
}}

define i32 @{PARALLEL}(ptr %w, ptr %jobs, i64 %count) {{
  br label %next
next:
  %k = phi i64 [ 0, %0 ], [ %k1, %following ]
  %job = getelementptr %job, ptr %jobs, i64 %k
  %status = call i32 @teloom.job(ptr %w, ptr %job)
  %k1 = add i64 %k, 1
  %failed = icmp ne i32 %status, 0
  br i1 %failed, label %end, label %following
following:
  %more = icmp slt i64 %k1, %count
  br i1 %more, label %next, label %end
end:
  ret i32 %status
}}

define internal i32 @teloom.job(ptr %w, ptr %job) {{
  %team = alloca %team
  %from.at = getelementptr %job, ptr %job, i64 0, i32 2
  %from = load i64, ptr %from.at
  %to.at = getelementptr %job, ptr %job, i64 0, i32 3
  %to = load i64, ptr %to.at
  %none = icmp sge i64 %from, %to
  br i1 %none, label %nothing, label %some
nothing:
  ret i32 0
some:
  %extent = sub i64 %to, %from
  %threads = call i32 @{THREADS}(ptr %w)
  %threads.64 = sext i32 %threads to i64
  %parts.64 = call i64 @llvm.smin.i64(i64 %threads.64, i64 %extent)
  %parts = trunc i64 %parts.64 to i32
  %alone = icmp sle i32 %parts, 1
  br i1 %alone, label %serial, label %divide
serial:
  %code = load ptr, ptr %job
  %data.at = getelementptr %job, ptr %job, i64 0, i32 1
  %data = load ptr, ptr %data.at
  %of.all = call i32 %code(ptr %data, i64 %from, i64 %to, i64 0, ptr %w)
  ret i32 %of.all
divide:
  %context = load ptr, ptr %w
  store ptr %job, ptr %team
  %context.at = getelementptr %team, ptr %team, i64 0, i32 1
  store ptr %context, ptr %context.at
  %parts.at = getelementptr %team, ptr %team, i64 0, i32 2
  store i32 %parts, ptr %parts.at
  %status.at = getelementptr %team, ptr %team, i64 0, i32 3
  store i32 0, ptr %status.at
  %own.at = getelementptr %context, ptr %context, i64 0, i32 3
  %own = load ptr, ptr %own.at
  %usual = icmp eq ptr %own, null
  br i1 %usual, label %openmp, label %of.caller
openmp:
  call void @teloom.share(ptr @teloom.part, ptr %team, i32 %parts, i32 %threads)
  br label %end
of.caller:
  %user = load ptr, ptr %context
  call void %own(ptr %user, ptr @teloom.part, ptr %team, i32 %parts)
  br label %end
end:
  %status = load i32, ptr %status.at
  ret i32 %status
}}

; A part of a job: an equal share of its range, or one iteration after the other of what is left.
define internal void @teloom.part(ptr %team, i32 %part) {{
  %w = alloca %workspace
  %context.at = getelementptr %team, ptr %team, i64 0, i32 1
  %context = load ptr, ptr %context.at
  call void @{BEGIN_PART}(ptr %w, ptr %context)
  %job = load ptr, ptr %team
  %from.at = getelementptr %job, ptr %job, i64 0, i32 2
  %to.at = getelementptr %job, ptr %job, i64 0, i32 3
  %to = load i64, ptr %to.at
  %dynamic.at = getelementptr %job, ptr %job, i64 0, i32 4
  %dynamic = load i64, ptr %dynamic.at
  %is.static = icmp eq i64 %dynamic, 0
  br i1 %is.static, label %static, label %take
static:
  %from = load i64, ptr %from.at
  %parts.at = getelementptr %team, ptr %team, i64 0, i32 2
  %parts = load i32, ptr %parts.at
  %n = sext i32 %parts to i64
  %me = sext i32 %part to i64
  %extent = sub i64 %to, %from
  %each = udiv i64 %extent, %n
  %rest = urem i64 %extent, %n
  %before = mul i64 %me, %each
  %longer = call i64 @llvm.smin.i64(i64 %me, i64 %rest)
  %offset = add i64 %before, %longer
  %first = add i64 %from, %offset
  %is.longer = icmp slt i64 %me, %rest
  %one = zext i1 %is.longer to i64
  %size = add i64 %each, %one
  %last = add i64 %first, %size
  %ended = call i1 @teloom.run(ptr %team, ptr %w, i32 %part, i64 %first, i64 %last)
  ret void
take:
  %taken = atomicrmw add ptr %from.at, i64 1 monotonic
  %left = icmp slt i64 %taken, %to
  br i1 %left, label %iteration, label %end
iteration:
  %behind = add i64 %taken, 1
  %goes.on = call i1 @teloom.run(ptr %team, ptr %w, i32 %part, i64 %taken, i64 %behind)
  br i1 %goes.on, label %take, label %end
end:
  ret void
}}

; Runs iterations of a job; returns whether there is a reason to run more.
define internal i1 @teloom.run(ptr %team, ptr %w, i32 %part, i64 %from, i64 %to) {{
  %status.at = getelementptr %team, ptr %team, i64 0, i32 3
  %before = load atomic i32, ptr %status.at monotonic, align 4
  %is.over = icmp ne i32 %before, 0
  br i1 %is.over, label %stop, label %go
go:
  %job = load ptr, ptr %team
  %code = load ptr, ptr %job
  %data.at = getelementptr %job, ptr %job, i64 0, i32 1
  %data = load ptr, ptr %data.at
  %me = sext i32 %part to i64
  %status = call i32 %code(ptr %data, i64 %from, i64 %to, i64 %me, ptr %w)
  call void @{END}(ptr %w)
  %failed = icmp ne i32 %status, 0
  br i1 %failed, label %report, label %good
report:
  %pair = cmpxchg ptr %status.at, i32 0, i32 %status acq_rel monotonic
  br label %stop
stop:
  ret i1 false
good:
  ret i1 true
}}

; OpenMP's threads share parts; without OpenMP one thread runs them. A team has all threads, also
; for fewer parts: libgomp ends threads that a team does not need, and the next team makes new ones.
define internal void @teloom.share(ptr %of.part, ptr %data, i32 %parts, i32 %threads) {{
  %parallel = call ptr @teloom.openmp.function(i64 0)
  %none = icmp eq ptr %parallel, null
  br i1 %none, label %serial, label %openmp
serial:
  call void @teloom.stride(ptr %of.part, ptr %data, i32 %parts, i32 0, i32 1)
  ret void
openmp:
  %share = alloca %share
  store ptr %of.part, ptr %share
  %data.at = getelementptr %share, ptr %share, i64 0, i32 1
  store ptr %data, ptr %data.at
  %parts.at = getelementptr %share, ptr %share, i64 0, i32 2
  store i32 %parts, ptr %parts.at
  call void %parallel(ptr @teloom.member, ptr %share, i32 %threads, i32 0)
  ret void
}}

define internal void @teloom.member(ptr %share) {{
  %me.of = call ptr @teloom.openmp.function(i64 2)
  %threads.of = call ptr @teloom.openmp.function(i64 3)
  %me = call i32 %me.of()
  %threads = call i32 %threads.of()
  %of.part = load ptr, ptr %share
  %data.at = getelementptr %share, ptr %share, i64 0, i32 1
  %data = load ptr, ptr %data.at
  %parts.at = getelementptr %share, ptr %share, i64 0, i32 2
  %parts = load i32, ptr %parts.at
  call void @teloom.stride(ptr %of.part, ptr %data, i32 %parts, i32 %me, i32 %threads)
  ret void
}}

define internal void @teloom.stride(ptr %of.part, ptr %data, i32 %parts, i32 %me, i32 %threads) {{
  br label %next
next:
  %part = phi i32 [ %me, %0 ], [ %following, %one ]
  %more = icmp slt i32 %part, %parts
  br i1 %more, label %one, label %end
one:
  call void %of.part(ptr %data, i32 %part)
  %following = add i32 %part, %threads
  br label %next
end:
  ret void
}}

"""

_OPENMP = f"""
@{OPENMP} = weak global [4 x ptr] zeroinitializer
@{LOOKED} = weak global i32 0

@dlopen = extern_weak global i8
@dlsym = extern_weak global i8
@GOMP_parallel = extern_weak global i8
@omp_get_max_threads = extern_weak global i8
@omp_get_thread_num = extern_weak global i8
@omp_get_num_threads = extern_weak global i8
@teloom.file = internal constant [13 x i8] c"libgomp.so.1\\00"
@teloom.name.0 = internal constant [14 x i8] c"GOMP_parallel\\00"
@teloom.name.1 = internal constant [20 x i8] c"omp_get_max_threads\\00"
@teloom.name.2 = internal constant [19 x i8] c"omp_get_thread_num\\00"
@teloom.name.3 = internal constant [20 x i8] c"omp_get_num_threads\\00"

; A function of OpenMP, by its number; null where there is none. All four are there, or none.
define internal ptr @teloom.openmp.function(i64 %number) {{
  %state = load atomic i32, ptr @teloom.looked acquire, align 4
  %known = icmp ne i32 %state, 0
  br i1 %known, label %answer, label %look
look:
  call void @teloom.find.openmp()
  store atomic i32 1, ptr @teloom.looked release, align 4
  br label %answer
answer:
  %at = getelementptr [4 x ptr], ptr @teloom.openmp, i64 0, i64 %number
  %found = load ptr, ptr %at
  ret ptr %found
}}

define internal void @teloom.find.openmp() {{
  %here = icmp ne ptr @GOMP_parallel, null
  %here.1 = icmp ne ptr @omp_get_max_threads, null
  %here.2 = icmp ne ptr @omp_get_thread_num, null
  %here.3 = icmp ne ptr @omp_get_num_threads, null
  %both = and i1 %here, %here.1
  %three = and i1 %both, %here.2
  %all = and i1 %three, %here.3
  br i1 %all, label %linked, label %search
linked:
  call void @teloom.know.openmp(
    ptr @GOMP_parallel, ptr @omp_get_max_threads, ptr @omp_get_thread_num, ptr @omp_get_num_threads)
  ret void
search:
  %can.open = icmp ne ptr @dlopen, null
  %can.find = icmp ne ptr @dlsym, null
  %can = and i1 %can.open, %can.find
  br i1 %can, label %open, label %end
open:
  %library = call ptr @dlopen(ptr @teloom.file, i32 2)
  %none = icmp eq ptr %library, null
  br i1 %none, label %end, label %names
names:
  %f0 = call ptr @dlsym(ptr %library, ptr @teloom.name.0)
  %f1 = call ptr @dlsym(ptr %library, ptr @teloom.name.1)
  %f2 = call ptr @dlsym(ptr %library, ptr @teloom.name.2)
  %f3 = call ptr @dlsym(ptr %library, ptr @teloom.name.3)
  call void @teloom.know.openmp(ptr %f0, ptr %f1, ptr %f2, ptr %f3)
  ret void
end:
  ret void
}}

define internal void @teloom.know.openmp(ptr %f0, ptr %f1, ptr %f2, ptr %f3) {{
  store ptr %f0, ptr @teloom.openmp
  %at.1 = getelementptr ptr, ptr @teloom.openmp, i64 1
  store ptr %f1, ptr %at.1
  %at.2 = getelementptr ptr, ptr @teloom.openmp, i64 2
  store ptr %f2, ptr %at.2
  %at.3 = getelementptr ptr, ptr @teloom.openmp, i64 3
  store ptr %f3, ptr %at.3
  ret void
}}
"""
