"""The machine code that runs the iterations of parallel loops on the threads of OpenMP.

A *job* is a loop: a function that runs the iterations of a range, its context, the range, and how
it is shared. A thread runs either an equal part of the range (static), or one iteration after the
other of those that are left (dynamic); then `from` counts what is taken. A *team* runs several jobs
in turn, with a barrier between two. The first status that is not 0 is the team's: then no thread
begins another part.

Before a part, the main thread of Python looks for signals, ten times a second at most: that takes
the interpreter's lock, for which it may wait for other threads. What a handler raises ends the
team.
"""

import time

from teloom.backend.machine import generators, jit
from teloom.dialects.runtime import PARALLEL, THREADS

INTERRUPTED = -1
"""The status of a call that the handler of a signal has ended."""

PAUSE = 100_000_000
"""So many nanoseconds are between two looks for signals."""

FUNCTIONS = {
    "clock_gettime": "i32 (i32, ptr)",
    "PyGILState_Ensure": "i32 ()",
    "PyGILState_Release": "void (i32)",
    "PyErr_CheckSignals": "i32 ()",
    "PyErr_Fetch": "void (ptr, ptr, ptr)",
    "PyErr_NormalizeException": "void (ptr, ptr, ptr)",
    "Py_DecRef": "void (ptr)",
}
"""The functions of C's library and of CPython's stable ABI that the code calls."""

CODE = f"""
{jit.declarations(FUNCTIONS)}

%times = type {{ i64, i64 }}  ; seconds, nanoseconds
%openmp = type {{ ptr, ptr, ptr, ptr, ptr }}  ; parallel, barrier, thread, threads, in parallel
%workspace = type {{ i64, ptr, ptr, i64, ptr, ptr, ptr, i64, i64, i64, ptr }}
  ; used, slots, grow, threads, one workspace per thread, OpenMP, the function that failures call,
  ; the most threads, whether signals are looked for, when they were, the function that they call
%job = type {{ ptr, ptr, i64, i64, i64 }}  ; code, context, from, to, whether it is dynamic
%team = type {{ ptr, i64, i32, ptr }}  ; jobs, their number, status, workspace

define i32 @{PARALLEL}(ptr %w, ptr %jobs, i64 %count) {{
  %team = alloca %team
  store ptr %jobs, ptr %team
  %count.at = getelementptr %team, ptr %team, i64 0, i32 1
  store i64 %count, ptr %count.at
  %status.at = getelementptr %team, ptr %team, i64 0, i32 2
  store i32 0, ptr %status.at
  %workspace.at = getelementptr %team, ptr %team, i64 0, i32 3
  store ptr %w, ptr %workspace.at
  %threads.at = getelementptr %workspace, ptr %w, i64 0, i32 3
  %threads = load i64, ptr %threads.at
  %most = call i64 @most(ptr %jobs, i64 %count)
  %needed = call i64 @llvm.smin.i64(i64 %threads, i64 %most)
  %alone = icmp sle i64 %needed, 1
  br i1 %alone, label %serial, label %ask
ask:
  %omp.at = getelementptr %workspace, ptr %w, i64 0, i32 5
  %omp = load ptr, ptr %omp.at
  %inside.at = getelementptr %openmp, ptr %omp, i64 0, i32 4
  %inside = load ptr, ptr %inside.at
  %is.inside = call i32 %inside()
  %nested = icmp ne i32 %is.inside, 0
  br i1 %nested, label %serial, label %fork
fork:
  %parallel = load ptr, ptr %omp
  ; A team of all threads, also for fewer iterations: libgomp ends threads that a team does not
  ; need, and the next team makes them anew.
  %asked = trunc i64 %threads to i32
  call void %parallel(ptr @member, ptr %team, i32 %asked, i32 0)
  br label %end
serial:
  call void @run(ptr %team, i64 0, i64 1, ptr null)
  br label %end
end:
  %status = load i32, ptr %status.at
  ret i32 %status
}}

define i32 @{THREADS}(ptr %w) {{
  %threads.at = getelementptr %workspace, ptr %w, i64 0, i32 3
  %threads = load i64, ptr %threads.at
  %short = trunc i64 %threads to i32
  ret i32 %short
}}

; The largest number of iterations of a job.
define internal i64 @most(ptr %jobs, i64 %count) {{
  br label %next
next:
  %k = phi i64 [ 0, %0 ], [ %k1, %next ]
  %most = phi i64 [ 0, %0 ], [ %larger, %next ]
  %from.at = getelementptr %job, ptr %jobs, i64 %k, i32 2
  %from = load i64, ptr %from.at
  %to.at = getelementptr %job, ptr %jobs, i64 %k, i32 3
  %to = load i64, ptr %to.at
  %extent = sub i64 %to, %from
  %larger = call i64 @llvm.smax.i64(i64 %most, i64 %extent)
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, %count
  br i1 %more, label %next, label %end
end:
  ret i64 %larger
}}

define internal void @member(ptr %team) {{
  %w.at = getelementptr %team, ptr %team, i64 0, i32 3
  %w = load ptr, ptr %w.at
  %omp.at = getelementptr %workspace, ptr %w, i64 0, i32 5
  %omp = load ptr, ptr %omp.at
  %barrier.at = getelementptr %openmp, ptr %omp, i64 0, i32 1
  %barrier = load ptr, ptr %barrier.at
  %me.at = getelementptr %openmp, ptr %omp, i64 0, i32 2
  %me.of = load ptr, ptr %me.at
  %n.at = getelementptr %openmp, ptr %omp, i64 0, i32 3
  %n.of = load ptr, ptr %n.at
  %me = call i32 %me.of()
  %n = call i32 %n.of()
  %me.64 = zext i32 %me to i64
  %n.64 = zext i32 %n to i64
  call void @run(ptr %team, i64 %me.64, i64 %n.64, ptr %barrier)
  ret void
}}

; What thread %me of %n does of all jobs.
define internal void @run(ptr %team, i64 %me, i64 %n, ptr %barrier) {{
  %jobs = load ptr, ptr %team
  %count.at = getelementptr %team, ptr %team, i64 0, i32 1
  %count = load i64, ptr %count.at
  br label %next
next:
  %k = phi i64 [ 0, %0 ], [ %k1, %following ]
  %job = getelementptr %job, ptr %jobs, i64 %k
  %dynamic.at = getelementptr %job, ptr %job, i64 0, i32 4
  %dynamic = load i64, ptr %dynamic.at
  %is.static = icmp eq i64 %dynamic, 0
  %from.at = getelementptr %job, ptr %job, i64 0, i32 2
  %to.at = getelementptr %job, ptr %job, i64 0, i32 3
  %to = load i64, ptr %to.at
  br i1 %is.static, label %static, label %take
static:
  %from = load i64, ptr %from.at
  %extent = sub i64 %to, %from
  %there = call i64 @llvm.smax.i64(i64 %extent, i64 0)
  %each = udiv i64 %there, %n
  %rest = urem i64 %there, %n
  %before = mul i64 %me, %each
  %longer = call i64 @llvm.smin.i64(i64 %me, i64 %rest)
  %offset = add i64 %before, %longer
  %first = add i64 %from, %offset
  %is.longer = icmp slt i64 %me, %rest
  %one = zext i1 %is.longer to i64
  %size = add i64 %each, %one
  %last = add i64 %first, %size
  %some = icmp slt i64 %first, %last
  br i1 %some, label %part, label %done
part:
  %ended = call i1 @part(ptr %team, ptr %job, i64 %me, i64 %first, i64 %last)
  br label %done
take:
  %taken = atomicrmw add ptr %from.at, i64 1 monotonic
  %left = icmp slt i64 %taken, %to
  br i1 %left, label %iteration, label %done
iteration:
  %behind = add i64 %taken, 1
  %goes.on = call i1 @part(ptr %team, ptr %job, i64 %me, i64 %taken, i64 %behind)
  br i1 %goes.on, label %take, label %done
done:
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, %count
  br i1 %more, label %wait, label %end
wait:
  %alone = icmp eq ptr %barrier, null
  br i1 %alone, label %following, label %meet
meet:
  call void %barrier()
  br label %following
following:
  br label %next
end:
  ret void
}}

; Runs a part of a job; returns whether there is a reason to run more.
define internal i1 @part(ptr %team, ptr %job, i64 %me, i64 %from, i64 %to) {{
  %status.at = getelementptr %team, ptr %team, i64 0, i32 2
  %before = load atomic i32, ptr %status.at monotonic, align 4
  %is.over = icmp ne i32 %before, 0
  br i1 %is.over, label %end, label %begin
begin:
  %w.at = getelementptr %team, ptr %team, i64 0, i32 3
  %w = load ptr, ptr %w.at
  %is.master = icmp eq i64 %me, 0
  br i1 %is.master, label %look, label %go
look:
  %signal = call i1 @is_interrupted(ptr %w)
  br i1 %signal, label %stop, label %go
stop:
  %ignored = cmpxchg ptr %status.at, i32 0, i32 {INTERRUPTED} acq_rel monotonic
  br label %end
go:
  %code = load ptr, ptr %job
  %context.at = getelementptr %job, ptr %job, i64 0, i32 1
  %context = load ptr, ptr %context.at
  %all.at = getelementptr %workspace, ptr %w, i64 0, i32 4
  %all = load ptr, ptr %all.at
  %mine.at = getelementptr ptr, ptr %all, i64 %me
  %mine = load ptr, ptr %mine.at
  %used = load i64, ptr %mine
  %status = call i32 %code(ptr %context, i64 %from, i64 %to, i64 %me, ptr %mine)
  %failed = icmp ne i32 %status, 0
  br i1 %failed, label %report, label %good
report:
  store i64 %used, ptr %mine  ; what has failed has not given back all of its blocks
  %pair = cmpxchg ptr %status.at, i32 0, i32 %status acq_rel monotonic
  %is.first = extractvalue {{ i32, i1 }} %pair, 1
  %tell.at = getelementptr %workspace, ptr %w, i64 0, i32 6
  %tell.with = load ptr, ptr %tell.at
  call void %tell.with(ptr %w, ptr %mine, i1 zeroext %is.first)
  br label %end
end:
  ret i1 false
good:
  ret i1 true
}}

; Whether the handler of a signal has raised; looks for signals if that is long ago.
define internal i1 @is_interrupted(ptr %w) {{
  %looks.at = getelementptr %workspace, ptr %w, i64 0, i32 8
  %looks = load i64, ptr %looks.at
  %never = icmp eq i64 %looks, 0
  br i1 %never, label %no, label %clock
clock:
  %times = alloca %times
  %failed = call i32 @clock_gettime(i32 {getattr(time, "CLOCK_MONOTONIC", 0)}, ptr %times)
  %seconds = load i64, ptr %times
  %rest.at = getelementptr %times, ptr %times, i64 0, i32 1
  %rest = load i64, ptr %rest.at
  %whole = mul i64 %seconds, 1000000000
  %now = add i64 %whole, %rest
  %looked.at = getelementptr %workspace, ptr %w, i64 0, i32 9
  %looked = load i64, ptr %looked.at
  %passed = sub i64 %now, %looked
  %soon = icmp slt i64 %passed, {PAUSE}
  br i1 %soon, label %no, label %look
look:
  store i64 %now, ptr %looked.at
  %lock = call i32 @PyGILState_Ensure()
  %raised = call i32 @PyErr_CheckSignals()
  %none = icmp eq i32 %raised, 0
  br i1 %none, label %release, label %take
take:
  %type.at = alloca ptr
  %value.at = alloca ptr
  %trace.at = alloca ptr
  call void @PyErr_Fetch(ptr %type.at, ptr %value.at, ptr %trace.at)
  call void @PyErr_NormalizeException(ptr %type.at, ptr %value.at, ptr %trace.at)
  %value = load ptr, ptr %value.at
  %tell.at = getelementptr %workspace, ptr %w, i64 0, i32 10
  %tell.with = load ptr, ptr %tell.at
  call void %tell.with(ptr %w, ptr %value)
  call void @Py_DecRef(ptr %value)
  %type = load ptr, ptr %type.at
  call void @Py_DecRef(ptr %type)
  %trace = load ptr, ptr %trace.at
  call void @Py_DecRef(ptr %trace)
  br label %release
release:
  call void @PyGILState_Release(i32 %lock)
  %is = icmp ne i32 %raised, 0
  ret i1 %is
no:
  ret i1 false
}}
"""

OWN = jit.OwnFunctions(CODE, (PARALLEL, THREADS), needs=FUNCTIONS, effort=generators.SOON_MADE)
"""The functions by which machine code runs parallel loops."""
