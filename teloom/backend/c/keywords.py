"""Words that are no names in C, in C++, or behind the headers that declarations need."""

import re

KEYWORDS = frozenset(
    (
        # of C, up to C23, and of its compilers
        "alignas alignof asm auto bool break case char const constexpr continue default do double "
        "else enum extern false float for goto if inline int long nullptr register restrict return "
        "short signed sizeof static static_assert struct switch thread_local true typedef typeof "
        "typeof_unqual union unsigned void volatile while i386 linux unix "
        # of C++ alone
        "and and_eq bitand bitor catch char16_t char32_t char8_t class co_await co_return co_yield "
        "compl concept const_cast consteval constinit decltype delete dynamic_cast explicit export "
        "friend mutable namespace new noexcept not not_eq operator or or_eq private protected "
        "public reinterpret_cast requires static_cast template this throw try typeid typename "
        "using virtual wchar_t xor xor_eq"
    ).split()
)

_PER_TYPE = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 "
    "fabs fdim floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 "
    "log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder remquo "
    "rint round scalbln scalbn sin sinh sqrt tan tanh tgamma trunc cabs carg cimag conj cproj "
    "creal"
).split()

LIBRARY_FUNCTIONS = frozenset(
    (
        "main _start _init _fini abort abs aligned_alloc asctime at_quick_exit atexit atof atoi "
        "atol atoll bsearch calloc clearerr clock ctime difftime div exit fclose feof ferror "
        "fflush fgetc fgetpos fgets fopen fprintf fputc fputs fread free freopen fscanf fseek "
        "fsetpos ftell fwrite getc getchar getenv gmtime isalnum isalpha isblank iscntrl "
        "isdigit isgraph islower isprint ispunct isspace isupper isxdigit labs ldiv llabs lldiv "
        "localeconv localtime longjmp malloc mblen mbstowcs mbtowc memchr memcmp memcpy memmove "
        "memset mktime perror printf putc putchar puts qsort quick_exit raise rand realloc "
        "remove rename rewind scanf setbuf setjmp setlocale setvbuf signal snprintf sprintf "
        "srand sscanf strcat strchr strcmp strcoll strcpy strcspn strerror strftime strlen "
        "strncat strncmp strncpy strpbrk strrchr strspn strstr strtod strtof strtok strtol "
        "strtold strtoll strtoul strtoull strxfrm system time timespec_get tmpfile tmpnam "
        "tolower toupper ungetc vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf "
        "wcstombs wctomb "
        # of POSIX
        "accept access alarm bind chdir close connect dlclose dlerror dlopen dlsym dup dup2 "
        "execv execve fcntl fdopen fork fstat getaddrinfo getcwd getopt getpid getuid index "
        "ioctl j0 j1 jn kill link listen lseek lstat mkdir mmap munmap nanosleep open opendir "
        "pause pipe poll popen posix_memalign pread putenv pwrite random read readdir readlink "
        "recv rindex rmdir select send setenv sleep socket stat strdup strndup symlink sysconf "
        "truncate umask unlink usleep wait waitpid write y0 y1 yn"
    ).split()
    + [name + ending for name in _PER_TYPE for ending in ("", "f", "l")]
)
"""Functions that a C program has or calls: one of the same name would run in their place."""

_OF_HEADERS = re.compile(
    r"u?int(_least|_fast)?\d+_t|u?int(max|ptr)_t|(size|ptrdiff|max_align)_t|[A-Z0-9_]+_(MAX|MIN)"
    r"|U?INT[A-Z0-9]+_C|NULL|offsetof"
    r"|NAN|INFINITY|HUGE_VAL(\w*[A-Z0-9])?|M_\w*[A-Z0-9]|FP_\w*[A-Z0-9]|math_errhandling"
    r"|EXIT_(SUCCESS|FAILURE)|EOF|BUFSIZ|SEEK_(CUR|END|SET)|L_tmpnam|errno"
)
"""What stdint.h, stdbool.h and stddef.h define, and macros of math.h, stdlib.h and stdio.h.

None of these ends in an underscore: one behind a name makes another one of it.
"""

_TAKEN_BEGINNINGS = re.compile(r"__|_[A-Z]|teloom_|TELOOM_")
"""Of names that C keeps for compilers, and of those of our headers."""


def is_taken(name: str) -> bool:
    """Whether a name means something of its own in a header."""
    return name in KEYWORDS or _OF_HEADERS.fullmatch(name) is not None or begins_as_taken(name)


def begins_as_taken(name: str) -> bool:
    """Whether a name begins as others do that are not the user's."""
    return _TAKEN_BEGINNINGS.match(name) is not None
