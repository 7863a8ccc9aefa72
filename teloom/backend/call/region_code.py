"""The machine code that runs the iterations of parallel loops on the threads of OpenMP.

A *job* is a loop: a function that runs the iterations of a range, its context, the range, and how
it is shared. A thread runs either an equal part of the range (static), or one iteration after the
other of those that are left (dynamic); then `from` counts what is taken. A *team* runs several jobs
in turn, with a barrier between two. The first status that is not 0 is the team's: then no thread
begins another part.
"""

import threading
from collections.abc import Mapping
from functools import cache

from teloom.backend.machine import jit
from teloom.passes.llvm.parallel import PARALLEL, THREADS

CODE = f"""
%openmp = type {{ ptr, ptr, ptr, ptr, ptr }}  ; parallel, barrier, thread, threads, in parallel
%workspace = type {{ i64, ptr, ptr, i64, ptr, ptr, ptr }}
  ; used, slots, grow, threads, one workspace per thread, OpenMP, the function that failures call
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
  %asked = trunc i64 %needed to i32
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
  call void @part(ptr %team, ptr %job, i64 %me, i64 %first, i64 %last)
  br label %done
take:
  %taken = atomicrmw add ptr %from.at, i64 1 monotonic
  %left = icmp slt i64 %taken, %to
  br i1 %left, label %iteration, label %done
iteration:
  %behind = add i64 %taken, 1
  call void @part(ptr %team, ptr %job, i64 %me, i64 %taken, i64 %behind)
  br label %take
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

define internal void @part(ptr %team, ptr %job, i64 %me, i64 %from, i64 %to) {{
  %status.at = getelementptr %team, ptr %team, i64 0, i32 2
  %before = load atomic i32, ptr %status.at monotonic, align 4
  %is.over = icmp ne i32 %before, 0
  br i1 %is.over, label %end, label %begin
begin:
  %code = load ptr, ptr %job
  %context.at = getelementptr %job, ptr %job, i64 0, i32 1
  %context = load ptr, ptr %context.at
  %w.at = getelementptr %team, ptr %team, i64 0, i32 3
  %w = load ptr, ptr %w.at
  %all.at = getelementptr %workspace, ptr %w, i64 0, i32 4
  %all = load ptr, ptr %all.at
  %mine.at = getelementptr ptr, ptr %all, i64 %me
  %mine = load ptr, ptr %mine.at
  %status = call i32 %code(ptr %context, i64 %from, i64 %to, i64 %me, ptr %mine)
  %failed = icmp ne i32 %status, 0
  br i1 %failed, label %report, label %end
report:
  %pair = cmpxchg ptr %status.at, i32 0, i32 %status acq_rel monotonic
  %is.first = extractvalue {{ i32, i1 }} %pair, 1
  %tell.at = getelementptr %workspace, ptr %w, i64 0, i32 6
  %tell.with = load ptr, ptr %tell.at
  call void %tell.with(ptr %w, ptr %mine, i1 zeroext %is.first)
  br label %end
end:
  ret void
}}
"""

_linking = threading.Lock()


@cache
def _library() -> jit.Library:
    return jit.placed(CODE, (PARALLEL, THREADS), {}, effort=jit.AS_WRITTEN)


def functions() -> Mapping[str, int]:
    """The addresses of the functions by which machine code runs parallel loops."""
    with _linking:
        return {name: _library().address(name) for name in (PARALLEL, THREADS)}
