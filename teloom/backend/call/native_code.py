"""The machine code that takes calls from Python: two functions of CPython's C API.

`CALL` gets a tuple of arguments. It looks for a *known call*: one with the same layouts, which
Python has checked before. It checks itself what differs between two such calls: the addresses.
Everything else is left to the kernel in Python. `BOUND` gets no arguments, and runs the code with
those that it was made with.

Objects and arrays are read by their C structs, as extension modules do: the headers of the stable
ABI and of NumPy 2 inline such reads into them. All else is a function of the stable ABI.
"""

from teloom.backend.machine import jit

CALL, BOUND, SPREAD = "teloom_call", "teloom_bound", "teloom_spread"

RECORDS, KERNEL, FAIL, NONE = range(4)
"""The first items of the tuple that is `self`: the known calls, or the words of a bound one; what
is called where machine code cannot go on; what raises for a status; None."""

TYPE, DATA, RANK, SHAPE, STRIDES, DTYPE, FLAGS = 8, 16, 24, 32, 40, 56, 64
"""The offsets of an object's type and of an array's fields, in bytes. `PyObject` without free
threading, `PyArrayObject_fields` of NumPy 2. `RANK` and `FLAGS` are of 32 bits."""

CALL_FIELDS = (
    *("entry", "spread", "unlocked", "workspace", "threads"),
    *("values", "sizes", "arrays", "first"),
)
"""The first words of a known call: the addresses of the code, and of what calls it with words;
whether it runs without the lock of the interpreter; the address of the workspaces' key, or 0; that
of what `THREADS_FIELDS` lists, or 0; the number of values, sizes and arrays; the word at which the
values begin.

Behind them are, in machine order: the arguments; of a known call also the bytes that each array
reaches; the bytes that it writes, which are those or 0; and per value its fields and tests."""

THREADS_FIELDS = ("asked", "number", "forked", "watched", "texts")
"""What says how many threads a call may use: the `ContextVar` of a number that is asked for; else
this number, if the `int` at `forked` is 0 and the environment is as it was. `watched` is the
address of the names of its variables, ended by a null, `texts` that of what they said, or null."""

NUMBER_WORD, MOST_WORD = 3, 7
"""The words of a workspace that say how many threads a call uses, and may use at most."""

VALUE_FIELDS = ("length", "position", "tests", "rank")
"""The first words of a value: the number of its words; its position in the machine order; the
number of tests of the object; the rank. The tests follow: of the object, the shape, the strides."""

TEST_FIELDS = ("offset", "mask", "content")
"""A test: the word at this offset, in bytes, has this content in the bits of the mask."""

FUNCTIONS = {
    "PyTuple_Size": "i64 (ptr)",
    "PyTuple_GetItem": "ptr (ptr, i64)",
    "PyList_Size": "i64 (ptr)",
    "PyList_GetItem": "ptr (ptr, i64)",
    "PyBytes_AsString": "ptr (ptr)",
    "PyLong_AsLongLong": "i64 (ptr)",
    "PyErr_Clear": "void ()",
    "PyObject_CallObject": "ptr (ptr, ptr)",
    "Py_BuildValue": "ptr (ptr, ...)",
    "Py_IncRef": "void (ptr)",
    "Py_DecRef": "void (ptr)",
    "PyEval_SaveThread": "ptr ()",
    "PyEval_RestoreThread": "void (ptr)",
    "PyThread_tss_get": "ptr (ptr)",
    "PyContextVar_Get": "i32 (ptr, ptr, ptr)",
    "getenv": "ptr (ptr)",
    "strcmp": "i32 (ptr, ptr)",
}
"""The functions of the stable ABI that the code calls, with their types; one of CPython besides,
and two of C's library."""


def _fields(pointer: str, fields: tuple[str, ...], names: str) -> str:
    """The text that loads these fields of a record."""
    return "\n".join(
        f"  %{name}.at = getelementptr i64, ptr %{pointer}, i64 {fields.index(name)}\n"
        f"  %{name} = load i64, ptr %{name}.at"
        for name in names.split()
    )


def _array_field(name: str, type: str, offset: int) -> str:
    """The text that loads a field of an array."""
    return f"""\
  %{name}.at = getelementptr i8, ptr %array, i64 {offset}
  %{name} = load {type}, ptr %{name}.at"""


_TEST = len(TEST_FIELDS)

CODE = f"""
{jit.declarations(FUNCTIONS)}

@one_integer = private constant [4 x i8] c"(i)\\00"

; Whether tests hold for memory.
define private i1 @hold(ptr %memory, ptr %tests, i64 %count) {{
  br label %next
next:
  %i = phi i64 [ 0, %0 ], [ %more, %test ]
  %done = icmp eq i64 %i, %count
  br i1 %done, label %end, label %test
test:
  %number = mul i64 %i, {_TEST}
  %this = getelementptr i64, ptr %tests, i64 %number
{_fields("this", TEST_FIELDS, "offset mask content")}
  %word.at = getelementptr i8, ptr %memory, i64 %offset
  %word = load i64, ptr %word.at
  %bits = and i64 %word, %mask
  %holds = icmp eq i64 %bits, %content
  %more = add i64 %i, 1
  br i1 %holds, label %next, label %end
end:
  ret i1 %done
}}

; Whether an int is the known size at this position.
define private i1 @is_size(ptr %int, ptr %words, i64 %position) {{
  %known.at = getelementptr i64, ptr %words, i64 %position
  %known = load i64, ptr %known.at
  %size = call i64 @PyLong_AsLongLong(ptr %int)
  %same = icmp eq i64 %size, %known
  br i1 %same, label %end, label %other
other:
  call void @PyErr_Clear()  ; an int of more than 64 bits has raised
  br label %end
end:
  ret i1 %same
}}

; Whether an array has the known layout; its address becomes the word at this position.
define private i1 @is_array(ptr %array, ptr %tests, i64 %rank, ptr %words, i64 %position) {{
{_array_field("data", "i64", DATA)}
{_array_field("shape", "ptr", SHAPE)}
{_array_field("strides", "ptr", STRIDES)}
  %data.at.words = getelementptr i64, ptr %words, i64 %position
  store i64 %data, ptr %data.at.words
  %shape.fits = call i1 @hold(ptr %shape, ptr %tests, i64 %rank)
  br i1 %shape.fits, label %look, label %end
look:
  %words.of.shape = mul i64 %rank, {_TEST}
  %more = getelementptr i64, ptr %tests, i64 %words.of.shape
  %strides.fit = call i1 @hold(ptr %strides, ptr %more, i64 %rank)
  br label %end
end:
  %fits = phi i1 [ false, %0 ], [ %strides.fit, %look ]
  ret i1 %fits
}}

; Whether an object is a value of a known call.
define private i1 @is_value(ptr %object, ptr %value, i64 %sizes, ptr %words) {{
{_fields("value", VALUE_FIELDS, "position tests rank")}
  %first = getelementptr i64, ptr %value, i64 {len(VALUE_FIELDS)}
  %fits = call i1 @hold(ptr %object, ptr %first, i64 %tests)
  br i1 %fits, label %look, label %no
look:
  %is.size = icmp slt i64 %position, %sizes
  br i1 %is.size, label %size, label %array
size:
  %size.fits = call i1 @is_size(ptr %object, ptr %words, i64 %position)
  ret i1 %size.fits
array:
  %tested = mul i64 %tests, {_TEST}
  %more = getelementptr i64, ptr %first, i64 %tested
  %array.fits = call i1 @is_array(ptr %object, ptr %more, i64 %rank, ptr %words, i64 %position)
  ret i1 %array.fits
no:
  ret i1 false
}}

; Whether the arguments are the values of a known call.
define private i1 @are_values(ptr %call, ptr %arguments, i64 %given, ptr %words) {{
{_fields("call", CALL_FIELDS, "values sizes first")}
  %first.value = getelementptr i64, ptr %call, i64 %first
  %as.many = icmp eq i64 %values, %given
  br i1 %as.many, label %next, label %no
next:
  %i = phi i64 [ 0, %0 ], [ %more, %fits ]
  %value = phi ptr [ %first.value, %0 ], [ %behind, %fits ]
  %done = icmp eq i64 %i, %values
  br i1 %done, label %yes, label %look
look:
  %object = call ptr @PyTuple_GetItem(ptr %arguments, i64 %i)
  %is.value = call i1 @is_value(ptr %object, ptr %value, i64 %sizes, ptr %words)
  br i1 %is.value, label %fits, label %no
fits:
  %length = load i64, ptr %value
  %behind = getelementptr i64, ptr %value, i64 %length
  %more = add i64 %i, 1
  br label %next
yes:
  ret i1 true
no:
  ret i1 false
}}

; Whether no output shares a byte with another array. `reached` has the bytes that each array
; reaches, then those that it writes.
define private i1 @are_apart(ptr %addresses, ptr %reached, i64 %arrays) {{
  %written = getelementptr i64, ptr %reached, i64 %arrays
  br label %next.output
next.output:
  %i = phi i64 [ 0, %0 ], [ %i.more, %next.array ], [ %i.skip, %output ]
  %done = icmp eq i64 %i, %arrays
  br i1 %done, label %yes, label %output
output:
  %bytes.at = getelementptr i64, ptr %written, i64 %i
  %bytes = load i64, ptr %bytes.at
  %start.at = getelementptr i64, ptr %addresses, i64 %i
  %start = load i64, ptr %start.at
  %end = add i64 %start, %bytes
  %i.skip = add i64 %i, 1
  %is.input = icmp eq i64 %bytes, 0
  br i1 %is.input, label %next.output, label %next.array
next.array:
  %j = phi i64 [ 0, %output ], [ %j.more, %array ]
  %i.more = add i64 %i, 1
  %all = icmp eq i64 %j, %arrays
  br i1 %all, label %next.output, label %array
array:
  %its.start.at = getelementptr i64, ptr %addresses, i64 %j
  %its.start = load i64, ptr %its.start.at
  %its.bytes.at = getelementptr i64, ptr %reached, i64 %j
  %its.bytes = load i64, ptr %its.bytes.at
  %its.end = add i64 %its.start, %its.bytes
  %starts.before = icmp ult i64 %its.start, %end
  %ends.behind = icmp ult i64 %start, %its.end
  %meet = and i1 %starts.before, %ends.behind
  %other = icmp ne i64 %i, %j
  %clash = and i1 %meet, %other
  %j.more = add i64 %j, 1
  br i1 %clash, label %no, label %next.array
yes:
  ret i1 true
no:
  ret i1 false
}}

; Passes a call on to Python.
define private ptr @pass_on(ptr %self, ptr %arguments) {{
  %kernel = call ptr @PyTuple_GetItem(ptr %self, i64 {KERNEL})
  %result = call ptr @PyObject_CallObject(ptr %kernel, ptr %arguments)
  ret ptr %result
}}

; Whether a variable of the environment says this text; null is one that is not set.
define private i1 @says(ptr %name, ptr %text) {{
  %now = call ptr @getenv(ptr %name)
  %was.set = icmp ne ptr %text, null
  %is.set = icmp ne ptr %now, null
  %both = and i1 %was.set, %is.set
  br i1 %both, label %compare, label %unset
compare:
  %order = call i32 @strcmp(ptr %now, ptr %text)
  %same = icmp eq i32 %order, 0
  ret i1 %same
unset:
  %none = icmp eq i1 %was.set, %is.set
  ret i1 %none
}}

; The number of threads that the environment and the build give; 0 if Python has to say it.
define private i64 @given_threads(ptr %threads) {{
{_fields("threads", THREADS_FIELDS, "number watched texts")}
  %names = inttoptr i64 %watched to ptr
  %known = inttoptr i64 %texts to ptr
  br label %next
next:
  %i = phi i64 [ 0, %0 ], [ %more, %look ]
  %name.at = getelementptr ptr, ptr %names, i64 %i
  %name = load ptr, ptr %name.at
  %all = icmp eq ptr %name, null
  br i1 %all, label %same, label %look
look:
  %text.at = getelementptr ptr, ptr %known, i64 %i
  %text = load ptr, ptr %text.at
  %more = add i64 %i, 1
  %is.same = call i1 @says(ptr %name, ptr %text)
  br i1 %is.same, label %next, label %changed
same:
  ret i64 %number
changed:
  ret i64 0
}}

; The number of threads that a call may use; 0 if Python has to say it.
define private i64 @threads_of(ptr %threads, ptr %none) {{
{_fields("threads", THREADS_FIELDS, "asked forked")}
  %value.at = alloca ptr
  %flag = inttoptr i64 %forked to ptr
  %is.forked = load i32, ptr %flag
  %is.child = icmp ne i32 %is.forked, 0
  br i1 %is.child, label %child, label %ask
ask:
  %variable = inttoptr i64 %asked to ptr
  %ignored = call i32 @PyContextVar_Get(ptr %variable, ptr null, ptr %value.at)
  %value = load ptr, ptr %value.at
  %is.none = icmp eq ptr %value, %none
  br i1 %is.none, label %nothing, label %number
number:
  %count = call i64 @PyLong_AsLongLong(ptr %value)
  call void @Py_DecRef(ptr %value)
  ret i64 %count
nothing:
  call void @Py_DecRef(ptr %value)
  %given = call i64 @given_threads(ptr %threads)
  ret i64 %given
child:
  ret i64 0
}}

; Runs the code with these words, to which a workspace is added. A thread without one has run
; nothing that needs it: Python makes it, and workspaces for more threads.
define private ptr @run(ptr %self, ptr %arguments, ptr %call, ptr %words, i64 %count) {{
{_fields("call", CALL_FIELDS, "entry spread unlocked workspace threads")}
  %code = inttoptr i64 %entry to ptr
  %caller = inttoptr i64 %spread to ptr
  %none = call ptr @PyTuple_GetItem(ptr %self, i64 {NONE})
  %needs.none = icmp eq i64 %workspace, 0
  br i1 %needs.none, label %start, label %look
look:
  %key = inttoptr i64 %workspace to ptr
  %memory = call ptr @PyThread_tss_get(ptr %key)
  %last = sub i64 %count, 1
  %last.at = getelementptr i64, ptr %words, i64 %last
  store ptr %memory, ptr %last.at
  %is.new = icmp eq ptr %memory, null
  br i1 %is.new, label %new, label %there
there:
  %used = load i64, ptr %memory
  %number.at = getelementptr i64, ptr %memory, i64 {NUMBER_WORD}
  %before = load i64, ptr %number.at
  %is.serial = icmp eq i64 %threads, 0
  br i1 %is.serial, label %start, label %ask
ask:
  %says = inttoptr i64 %threads to ptr
  %number = call i64 @threads_of(ptr %says, ptr %none)
  %most.at = getelementptr i64, ptr %memory, i64 {MOST_WORD}
  %most = load i64, ptr %most.at
  %is.many = icmp sgt i64 %number, %most
  %is.unknown = icmp eq i64 %number, 0
  %is.new.number = or i1 %is.many, %is.unknown
  br i1 %is.new.number, label %new, label %share
share:
  store i64 %number, ptr %number.at
  br label %start
new:
  %made = call ptr @pass_on(ptr %self, ptr %arguments)
  ret ptr %made
start:
  %blocks = phi i64 [ 0, %0 ], [ %used, %there ], [ %used, %share ]
  %number.before = phi i64 [ 0, %0 ], [ %before, %there ], [ %before, %share ]
  %is.locked = icmp eq i64 %unlocked, 0
  br i1 %is.locked, label %locked, label %release
locked:
  %locked.status = call i32 %caller(ptr %code, ptr %words)
  br label %end
release:
  %thread = call ptr @PyEval_SaveThread()
  %unlocked.status = call i32 %caller(ptr %code, ptr %words)
  call void @PyEval_RestoreThread(ptr %thread)
  br label %end
end:
  %status = phi i32 [ %locked.status, %locked ], [ %unlocked.status, %release ]
  %is.shared = icmp ne i64 %threads, 0
  br i1 %is.shared, label %back, label %judge
back:
  %its.last = sub i64 %count, 1
  %its.memory.at = getelementptr i64, ptr %words, i64 %its.last
  %its.memory = load ptr, ptr %its.memory.at
  %its.number.at = getelementptr i64, ptr %its.memory, i64 {NUMBER_WORD}
  store i64 %number.before, ptr %its.number.at
  br label %judge
judge:
  %succeeds = icmp eq i32 %status, 0
  br i1 %succeeds, label %return, label %raise
return:
  call void @Py_IncRef(ptr %none)
  ret ptr %none
raise:
  br i1 %needs.none, label %tell, label %free
free:
  ; What has failed has not given back all of its blocks.
  %last.word = sub i64 %count, 1
  %memory.at = getelementptr i64, ptr %words, i64 %last.word
  %taken = load ptr, ptr %memory.at
  store i64 %blocks, ptr %taken
  br label %tell
tell:
  %fail = call ptr @PyTuple_GetItem(ptr %self, i64 {FAIL})
  %told = call ptr (ptr, ...) @Py_BuildValue(ptr @one_integer, i32 %status)
  %null = call ptr @PyObject_CallObject(ptr %fail, ptr %told)
  call void @Py_DecRef(ptr %told)
  ret ptr %null
}}

; The number of arguments of the code.
define private i64 @words_of(ptr %call) {{
{_fields("call", CALL_FIELDS, "workspace sizes arrays")}
  %one = icmp ne i64 %workspace, 0
  %more = zext i1 %one to i64
  %passed = add i64 %sizes, %arrays
  %count = add i64 %passed, %more
  ret i64 %count
}}

define ptr @{CALL}(ptr %self, ptr %arguments) {{
  %records = call ptr @PyTuple_GetItem(ptr %self, i64 {RECORDS})
  %known = call i64 @PyList_Size(ptr %records)
  %given = call i64 @PyTuple_Size(ptr %arguments)
  %knows.none = icmp eq i64 %known, 0
  br i1 %knows.none, label %unknown, label %begin
begin:
  %first = call ptr @PyList_GetItem(ptr %records, i64 0)
  %first.call = call ptr @PyBytes_AsString(ptr %first)
  %count = call i64 @words_of(ptr %first.call)  ; as of every one
  %bytes = mul i64 %count, 8
  %words = alloca i64, i64 %count
  br label %look
look:
  %i = phi i64 [ 0, %begin ], [ %more, %further ]
  %call = phi ptr [ %first.call, %begin ], [ %next.call, %further ]
  %known.words = getelementptr i64, ptr %call, i64 {len(CALL_FIELDS)}
  call void @llvm.memcpy.p0.p0.i64(ptr %words, ptr %known.words, i64 %bytes, i1 false)
  %is.this = call i1 @are_values(ptr %call, ptr %arguments, i64 %given, ptr %words)
  br i1 %is.this, label %found, label %next
next:
  %more = add i64 %i, 1
  %all = icmp eq i64 %more, %known
  br i1 %all, label %unknown, label %further
further:
  %record = call ptr @PyList_GetItem(ptr %records, i64 %more)
  %next.call = call ptr @PyBytes_AsString(ptr %record)
  br label %look
found:
{_fields("call", CALL_FIELDS, "sizes arrays")}
  %addresses = getelementptr i64, ptr %words, i64 %sizes
  %reached = getelementptr i64, ptr %known.words, i64 %count
  %apart = call i1 @are_apart(ptr %addresses, ptr %reached, i64 %arrays)
  br i1 %apart, label %run, label %unknown
run:
  %result = call ptr @run(ptr %self, ptr %arguments, ptr %call, ptr %words, i64 %count)
  ret ptr %result
unknown:
  %passed.on = call ptr @pass_on(ptr %self, ptr %arguments)
  ret ptr %passed.on
}}

define ptr @{BOUND}(ptr %self, ptr %none) {{
  %record = call ptr @PyTuple_GetItem(ptr %self, i64 {RECORDS})
  %call = call ptr @PyBytes_AsString(ptr %record)
  %count = call i64 @words_of(ptr %call)
  %bytes = mul i64 %count, 8
  %words = alloca i64, i64 %count
  %known.words = getelementptr i64, ptr %call, i64 {len(CALL_FIELDS)}
  call void @llvm.memcpy.p0.p0.i64(ptr %words, ptr %known.words, i64 %bytes, i1 false)
  %result = call ptr @run(ptr %self, ptr null, ptr %call, ptr %words, i64 %count)
  ret ptr %result
}}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""


def spread(count: int) -> str:
    """The text of `SPREAD`, which calls code with so many words: sizes and addresses.

    On the machines that we know both are passed alike, so that one serves all such kernels.
    """
    loads = "".join(
        f"  %at.{i} = getelementptr i64, ptr %words, i64 {i}\n  %word.{i} = load i64, ptr %at.{i}\n"
        for i in range(count)
    )
    words = ", ".join(f"i64 %word.{i}" for i in range(count))
    return f"""
define i32 @{SPREAD}(ptr %code, ptr %words) {{
{loads}\
  %status = call i32 %code({words})
  ret i32 %status
}}
"""
