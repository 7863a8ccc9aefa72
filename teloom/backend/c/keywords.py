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
    "acos acosh asin asinh atan atan2 atanh cabs cacos cacosh carg casin casinh catan catanh "
    "cbrt ccos ccosh ceil cexp cimag clog conj copysign cos cosh cpow cproj creal csin csinh "
    "csqrt ctan ctanh drem erf erfc exp exp2 expm1 fabs fdim finite floor fma fmax fmin fmod "
    "frexp gamma hypot ilogb isinf isnan j0 j1 jn ldexp lgamma llrint llround log log10 log1p "
    "log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder remquo rint "
    "round scalb scalbln scalbn significand sin sinh sqrt tan tanh tgamma trunc y0 y1 yn"
).split()
"""Functions of math.h and complex.h: each is there for three types."""

_OF_LIBRARIES = frozenset(
    (
        "_fini _init _start a64l abort abs accept access acct adjtime alarm aligned_alloc "
        "alloca alphasort arc4random arc4random_buf arc4random_uniform asctime asctime_r "
        "at_quick_exit atexit atof atoi atol atoll basename bcmp bcopy bind brk bsearch btowc "
        "bzero c16rtomb c32rtomb call_once calloc cfgetispeed cfgetospeed cfmakeraw cfsetispeed "
        "cfsetospeed cfsetspeed chdir chmod chown chroot clearenv clearerr clearerr_unlocked "
        "clock close closedir closefrom closelog confstr connect creat crypt ctermid ctime "
        "ctime_r daemon daylight difftime dirfd dirname div dlclose dlerror dlopen dlsym "
        "dprintf drand48 drand48_r dup dup2 duplocale dysize ecvt ecvt_r environ erand48 erand48_r "
        "err errx execl execle execlp execv execve execvp exit explicit_bzero faccessat fchdir "
        "fchmod fchmodat fchown fchownat fclose fcntl fcvt fcvt_r fdatasync fdopen fdopendir "
        "feclearexcept fegetenv fegetexceptflag fegetround feholdexcept feof feof_unlocked "
        "feraiseexcept ferror ferror_unlocked fesetenv fesetexceptflag fesetround fetestexcept "
        "feupdateenv fexecve fflush fflush_unlocked ffs ffsl ffsll fgetc fgetc_unlocked fgetpos "
        "fgets fgetwc fgetws fileno fileno_unlocked flockfile fmemopen fopen fork fpathconf "
        "fprintf fputc fputc_unlocked fputs fputwc fputws fread fread_unlocked free "
        "freeaddrinfo freelocale freopen fscanf fseek fseeko fsetpos fstat fstatat fsync ftell "
        "ftello ftruncate ftrylockfile funlockfile futimens futimes fwide fwprintf fwrite "
        "fwrite_unlocked fwscanf gai_strerror gcvt getaddrinfo getc getc_unlocked getchar "
        "getchar_unlocked getcwd getdelim getdirentries getdomainname getdtablesize getegid "
        "getenv geteuid getgid getgroups getitimer getline getloadavg getlogin getlogin_r "
        "getnameinfo getopt getopt_long getopt_long_only getpagesize getpass getpeername "
        "getpgid getpgrp getpid getppid getsid getsockname getsockopt getsubopt gettimeofday "
        "getuid getw getwc getwchar getwd glob globfree gmtime gmtime_r gsignal hcreate "
        "hdestroy herror hsearch hstrerror htonl htons imaxabs imaxdiv index initstate "
        "initstate_r insque ioctl isalnum isalpha isascii isatty isblank iscntrl isdigit "
        "isfdtype isgraph islower isprint ispunct isspace isupper iswalnum iswalpha iswblank "
        "iswcntrl iswctype iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper "
        "iswxdigit isxdigit jrand48 jrand48_r kill killpg l64a labs lchmod lchown lcong48 "
        "lcong48_r ldiv lfind lgamma_r lgammaf_r lgammal_r link linkat listen llabs lldiv "
        "localeconv localtime localtime_r lockf longjmp lrand48 lrand48_r lsearch lseek lstat "
        "lutimes madvise main malloc mblen mbrlen mbrtoc16 mbrtoc32 mbrtowc mbsinit mbsnrtowcs "
        "mbsrtowcs mbstowcs mbtowc memccpy memchr memcmp memcpy memmove memset mincore mkdir "
        "mkdirat mkdtemp mkfifo mkfifoat mknod mknodat mkstemp mkstemps mktemp mktime mlock "
        "mlockall mmap mprotect mrand48 mrand48_r msync munlock munlockall munmap nanosleep "
        "newlocale nice nrand48 nrand48_r ntohl ntohs on_exit open open_memstream "
        "open_wmemstream openat opendir openlog optarg opterr optind optopt pathconf pause "
        "pclose perror pipe poll popen pread printf pselect psiginfo psignal putc putc_unlocked "
        "putchar putchar_unlocked putenv puts putw putwc putwchar pwrite qecvt qecvt_r qfcvt "
        "qfcvt_r qgcvt qsort quick_exit raise rand rand_r random random_r read readdir "
        "readdir_r readlink readlinkat realloc reallocarray realpath recv recvfrom recvmsg "
        "regcomp regerror regexec regfree remove remque rename renameat rewind rewinddir rindex "
        "rmdir rpmatch sbrk scandir scanf seed48 seed48_r seekdir select send sendmsg sendto "
        "setbuf setbuffer setdomainname setegid setenv seteuid setgid setitimer setjmp "
        "setlinebuf setlocale setlogin setlogmask setpgid setpgrp setregid setreuid setsid "
        "setsockopt setstate setstate_r settimeofday setuid setvbuf shutdown sigaction "
        "sigaddset sigaltstack sigblock sigdelset sigemptyset sigfillset siggetmask "
        "siginterrupt sigismember siglongjmp signal signgam sigpending sigprocmask sigqueue "
        "sigreturn sigsetmask sigstack sigsuspend sigtimedwait sigwait sigwaitinfo sleep "
        "snprintf sockatmark socket socketpair sprintf srand srand48 srand48_r srandom "
        "srandom_r sscanf ssignal stat stderr stdin stdout stpcpy stpncpy strcasecmp strcat "
        "strchr strcmp strcoll strcpy strcspn strdup strerror strerror_r strftime strlen "
        "strncasecmp strncat strncmp strncpy strndup strnlen strpbrk strrchr strsep strsignal "
        "strspn strstr strtod strtof strtoimax strtok strtok_r strtol strtold strtoll strtoq "
        "strtoul strtoull strtoumax strtouq strxfrm swprintf swscanf symlink symlinkat sync "
        "syscall sysconf syslog system tcdrain tcflow tcflush tcgetattr tcgetpgrp tcgetsid "
        "tcsendbreak tcsetattr tcsetpgrp tdelete telldir tempnam tfind time timegm timelocal "
        "timespec_get timezone tmpfile tmpnam tmpnam_r toascii tolower toupper towctrans "
        "towlower towupper truncate tsearch ttyname ttyname_r ttyslot twalk tzname tzset ualarm "
        "umask ungetc ungetwc unlink unlinkat unsetenv uselocale usleep utimensat utimes valloc "
        "vdprintf verr verrx vfork vfprintf vfscanf vfwprintf vfwscanf vprintf vscanf vsnprintf "
        "vsprintf vsscanf vswprintf vswscanf vsyslog vwarn vwarnx vwprintf vwscanf wait wait3 "
        "wait4 waitid waitpid warn warnx wcpcpy wcpncpy wcrtomb wcscasecmp wcscat wcschr wcscmp "
        "wcscoll wcscpy wcscspn wcsdup wcsftime wcslen wcsncasecmp wcsncat wcsncmp wcsncpy "
        "wcsnlen wcsnrtombs wcspbrk wcsrchr wcsrtombs wcsspn wcsstr wcstod wcstof wcstoimax "
        "wcstok wcstol wcstold wcstoll wcstombs wcstoul wcstoull wcstoumax wcsxfrm wctob wctomb "
        "wctrans wctype wmemchr wmemcmp wmemcpy wmemmove wmemset wprintf write wscanf"
    ).split()
    + [name + ending for name in _PER_TYPE for ending in ("", "f", "l")]
)
"""Functions and variables in the headers of C and POSIX, and the beginnings of programs."""

_FAMILIES = re.compile(
    r"(pthread|sem|mtx|thrd|cnd|tss|sched|timer|clock|posix|shm|mq|inet|in6addr|omp|GOMP)_\w+"
)
"""Beginnings of names that belong to libraries: of threads, clocks, addresses and OpenMP."""


def is_of_library(name: str) -> bool:
    """Whether C programs have or call something of that name, which would be in its place."""
    return name in _OF_LIBRARIES or _FAMILIES.fullmatch(name) is not None


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
