"""The names of C's library."""

_MATH = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 "
    "fabs fdim floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 "
    "log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder remquo "
    "rint round scalbln scalbn signbit sin sinh sqrt tan tanh tgamma trunc j0 j1 jn y0 y1 yn gamma"
)

_COMPLEX = (
    "cabs cacos cacosh carg casin casinh catan catanh ccos ccosh cexp cimag clog conj cpow cproj "
    "creal csin csinh csqrt ctan ctanh"
)

_OF_MATH_ON_SOME_SYSTEMS = "clog10 drem exp10 finite isinf isnan pow10 roundeven scalb significand"

_CHARACTERS = "alnum alpha blank cntrl digit graph lower print punct space upper xdigit"

_STRINGS = (
    "cat chr cmp coll cpy cspn error ftime len ncat ncmp ncpy pbrk rchr spn str tod tof tok tol "
    "told toll toul toull xfrm"
)

_OTHERS = (
    # stdlib.h
    "abs labs llabs div ldiv lldiv malloc calloc realloc free aligned_alloc exit abort atexit "
    "at_quick_exit quick_exit atof atoi atol atoll bsearch getenv mblen mbstowcs mbtowc qsort rand "
    "srand system wcstombs wctomb imaxabs imaxdiv "
    # string.h
    "memcpy memmove memset memcmp memchr "
    # math.h
    "signgam isfinite isnormal isless islessequal isgreater isgreaterequal islessgreater "
    "isunordered fpclassify "
    # stdio.h
    "printf fprintf sprintf snprintf vprintf vfprintf vsprintf vsnprintf scanf fscanf sscanf "
    "vscanf vfscanf vsscanf putc putchar puts fputc fputs getc getchar gets fgetc fgets ungetc "
    "fread fwrite fopen freopen fclose fflush fseek ftell rewind fgetpos fsetpos feof ferror "
    "clearerr perror remove rename setbuf setvbuf tmpfile tmpnam stdin stdout stderr "
    # ctype.h, wctype.h
    "tolower toupper towlower towupper "
    # fenv.h
    "feclearexcept fegetenv fegetexceptflag fegetround feholdexcept feraiseexcept fesetenv "
    "fesetexceptflag fesetround fetestexcept feupdateenv "
    # time.h, signal.h, setjmp.h, locale.h
    "time clock difftime mktime asctime ctime gmtime localtime timespec_get signal raise longjmp "
    "setlocale localeconv "
    # what GCC has of other systems
    "alloca bcmp bcopy bzero dcgettext dgettext gettext execl execle execlp execv execve execvp "
    "ffs ffsl ffsll fork fprintf_unlocked fputc_unlocked fputs_unlocked fwrite_unlocked index "
    "rindex isascii toascii lgamma_r lgammaf_r lgammal_r mempcpy posix_memalign printf_unlocked "
    "putc_unlocked putchar_unlocked puts_unlocked random select sincos sincosf sincosl stpcpy "
    "stpncpy strcasecmp strncasecmp strdup strndup strnlen"
)

MATH_FUNCTIONS = frozenset(name + suffix for name in _MATH.split() for suffix in ("", "f", "l"))
"""The functions that <math.h> declares, with those that POSIX adds."""

LIBRARY_NAMES = (
    MATH_FUNCTIONS
    | {*_OTHERS.split()}
    | {
        name + suffix
        for name in f"{_COMPLEX} {_OF_MATH_ON_SOME_SYSTEMS}".split()
        for suffix in ("", "f", "l")
    }
    | {begin + kind for begin in ("is", "isw") for kind in _CHARACTERS.split()}
    | {"str" + name for name in _STRINGS.split()}
)
"""What C's library has, and what compilers know of it without a header."""
