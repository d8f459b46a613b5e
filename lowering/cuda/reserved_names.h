// Names of the headers that an emitted file includes, as lists of words between spaces. Families of
// names are told by their prefixes instead: see is_reserved in names.cpp.
#pragma once

#include <string_view>

namespace tkc::cuda {

// Macros: no name of an emitted file may be one.
inline constexpr std::string_view reserved_macros = R"(
    BUFSIZ BYTE_ORDER CHAR_BIT CLOCKS_PER_SEC CSIGNAL CUDAAPI CUDARTAPI CUDARTAPI_CDECL E2BIG EACCES
    EADDRINUSE EADDRNOTAVAIL EADV EAFNOSUPPORT EAGAIN EALREADY EBADE EBADF EBADFD EBADMSG EBADR
    EBADRQC EBADSLT EBFONT EBUSY ECANCELED ECHILD ECHRNG ECOMM ECONNABORTED ECONNREFUSED ECONNRESET
    EDEADLK EDEADLOCK EDESTADDRREQ EDOM EDOTDOT EDQUOT EEXIST EFAULT EFBIG EHOSTDOWN EHOSTUNREACH
    EHWPOISON EIDRM EILSEQ EINPROGRESS EINTR EINVAL EIO EISCONN EISDIR EISNAM EKEYEXPIRED
    EKEYREJECTED EKEYREVOKED EL2HLT EL2NSYNC EL3HLT EL3RST ELIBACC ELIBBAD ELIBEXEC ELIBMAX ELIBSCN
    ELNRNG ELOOP EMEDIUMTYPE EMFILE EMLINK EMSGSIZE EMULTIHOP ENAMETOOLONG ENAVAIL ENETDOWN
    ENETRESET ENETUNREACH ENFILE ENOANO ENOBUFS ENOCSI ENODATA ENODEV ENOENT ENOEXEC ENOKEY ENOLCK
    ENOLINK ENOMEDIUM ENOMEM ENOMSG ENONET ENOPKG ENOPROTOOPT ENOSPC ENOSR ENOSTR ENOSYS ENOTBLK
    ENOTCONN ENOTDIR ENOTEMPTY ENOTNAM ENOTRECOVERABLE ENOTSOCK ENOTSUP ENOTTY ENOTUNIQ ENXIO EOF
    EOPNOTSUPP EOVERFLOW EOWNERDEAD EPERM EPFNOSUPPORT EPIPE EPROTO EPROTONOSUPPORT EPROTOTYPE
    ERANGE EREMCHG EREMOTE EREMOTEIO ERESTART ERFKILL EROFS ESHUTDOWN ESOCKTNOSUPPORT ESPIPE ESRCH
    ESRMNT ESTALE ESTRPIPE ETIME ETIMEDOUT ETOOMANYREFS ETXTBSY EUCLEAN EUNATCH EUSERS EWOULDBLOCK
    EXDEV EXFULL EXIT_FAILURE EXIT_SUCCESS F_LOCK F_OK F_TEST F_TLOCK F_ULOCK INFINITY LONG_BIT
    L_INCR L_SET L_XTND L_ctermid L_cuserid L_tmpnam MATH_ERREXCEPT MATH_ERRNO MAXFLOAT MAX_CANON
    MAX_INPUT NAN NFDBITS NULL NZERO PIPE_BUF P_tmpdir RESOURCE_ABI_EXTERNAL_BYTES
    RESOURCE_ABI_VERSION R_OK SNAN SNANF SNANF32 SNANF32X SNANF64 SNANF64X SNANL TEMP_FAILURE_RETRY
    TIMER_ABSTIME TIME_UTC WCONTINUED WEOF WEXITED WEXITSTATUS WIFCONTINUED WIFEXITED WIFSIGNALED
    WIFSTOPPED WNOHANG WNOWAIT WORD_BIT WSTOPPED WSTOPSIG WTERMSIG WUNTRACED W_OK X_OK alloca assert
    assert_perror be16toh be32toh be64toh errno htobe16 htobe32 htobe64 htole16 htole32 htole64
    isascii issubnormal le16toh le32toh le64toh math_errhandling offsetof pthread_cleanup_pop
    pthread_cleanup_pop_restore_np pthread_cleanup_push pthread_cleanup_push_defer_np sched_priority
    stderr stdin stdout strdupa strndupa toascii va_arg va_copy va_end va_start
)";

// Functions of C: no other function of C linkage may be called so.
inline constexpr std::string_view reserved_functions = R"(
    a64l abort abs accept access acos acosf acosh acoshf acoshl acosl alarm aligned_alloc arc4random
    arc4random_buf arc4random_uniform asctime asctime_r asin asinf asinh asinhf asinhl asinl
    asprintf atan atan2 atan2f atan2l atanf atanh atanhf atanhl atanl atexit atof atoi atol atoll
    basename bcmp bcopy bind bsearch bzero calloc canonicalize canonicalize_file_name canonicalizef
    canonicalizel cbrt cbrtf cbrtl ceil ceilf ceill chdir clearenv clearerr clearerr_unlocked clock
    clock64 clock_adjtime clock_getcpuclockid clock_getres clock_gettime clock_nanosleep
    clock_settime close connect copysign copysignf copysignl cos cosf cosh coshf coshl cosl cospi
    cospif ctermid ctime ctime_r cuserid cyl_bessel_i0 cyl_bessel_i1 daddl ddivl dfmal difftime dim3
    dirname div dmull dprintf drand48 drand48_r drem dremf dreml dsqrtl dsubl dup dysize ecvt ecvt_r
    erand48 erand48_r erf erfc erfcf erfcinv erfcinvf erfcl erfcx erfcxf erff erfinv erfinvf erfl
    exec exit exp exp10 exp10f exp10l exp2 exp2f exp2l expf expl explicit_bzero expm1 expm1f expm1l
    fabs fabsf fabsl fadd faddl fclose fcloseall fcntl fcvt fcvt_r fdim fdimf fdiml fdiv fdividef
    fdivl fdopen feof feof_unlocked ferror ferror_unlocked fflush fflush_unlocked ffma ffmal ffs
    ffsl ffsll fgetc fgetc_unlocked fgetpos fgetpos64 fgets fgets_unlocked fileno fileno_unlocked
    finite finitef finitel float_as_int flockfile floor floorf floorl fma fmaf fmal fmax fmaxf
    fmaximum fmaximum_mag fmaximum_mag_num fmaximum_mag_numf fmaximum_mag_numl fmaximum_magf
    fmaximum_magl fmaximum_num fmaximum_numf fmaximum_numl fmaximumf fmaximuml fmaxl fmaxmag
    fmaxmagf fmaxmagl fmemopen fmin fminf fminimum fminimum_mag fminimum_mag_num fminimum_mag_numf
    fminimum_mag_numl fminimum_magf fminimum_magl fminimum_num fminimum_numf fminimum_numl fminimumf
    fminimuml fminl fminmag fminmagf fminmagl fmod fmodf fmodl fmul fmull fopen fopen64 fopencookie
    fork fprintf fputc fputc_unlocked fputs fputs_unlocked fread fread_unlocked free freopen
    freopen64 frexp frexpf frexpl fromfp fromfpf fromfpl fromfpx fromfpxf fromfpxl fscanf fseek
    fseeko fseeko64 fsetpos fsetpos64 fsqrt fsqrtl fsub fsubl ftell ftello ftello64 ftrylockfile
    funlockfile fwrite fwrite_unlocked gamma gammaf gammal gcvt getc getc_unlocked getchar
    getchar_unlocked getdate getdate_r getdelim getenv gethostname getline getloadavg getpayload
    getpayloadf getpayloadl getpid getpt getsubopt gettimeofday getw gmtime gmtime_r grantpt hypot
    hypotf hypotl ilogb ilogbf ilogbl index initstate initstate_r int_as_float ioctl isalnum isalpha
    isblank iscntrl isctype isdigit isgraph isinf isinff isinfl islower isnan isnanf isnanl isprint
    ispunct isspace isupper isxdigit j0 j0f j0l j1 j1f j1l jn jnf jnl jrand48 jrand48_r kill l64a
    labs lcong48 lcong48_r ldexp ldexpf ldexpl ldiv lgamma lgamma_r lgammaf lgammaf32_r lgammaf32x_r
    lgammaf64_r lgammaf64x_r lgammaf_r lgammal lgammal_r link listen llabs lldiv llmax llmin llogb
    llogbf llogbl llrint llrintf llrintl llround llroundf llroundl localtime localtime_r log log10
    log10f log10l log1p log1pf log1pl log2 log2f log2l logb logbf logbl logf logl lrand48 lrand48_r
    lrint lrintf lrintl lround lroundf lroundl main malloc mblen mbstowcs mbtowc memccpy memchr
    memcmp memcpy memfrob memmem memmove mempcpy memrchr memset mkdtemp mkostemp mkostemp64
    mkostemps mkostemps64 mkstemp mkstemp64 mkstemps mkstemps64 mktemp mktime mmap modf modff modfl
    mount mrand48 mrand48_r mul24 mul64hi mulhi munmap nan nanf nanl nanosleep nearbyint nearbyintf
    nearbyintl nextafter nextafterf nextafterl nextdown nextdownf nextdownl nexttoward nexttowardf
    nexttowardl nextup nextupf nextupl norm norm3d norm3df norm4d norm4df normcdf normcdff
    normcdfinv normcdfinvf normf nrand48 nrand48_r obstack_printf obstack_vprintf on_exit open
    open_memstream pause pclose perror pipe poll popen posix_memalign posix_openpt pow powf powl
    printf pselect ptsname ptsname_r putc putc_unlocked putchar putchar_unlocked putenv puts putw
    qecvt qecvt_r qfcvt qfcvt_r qgcvt qsort qsort_r quick_exit raise rand rand_r random random_r
    rawmemchr rcbrt rcbrtf read realloc reallocarray realpath recv remainder remainderf remainderl
    remove remquo remquof remquol rename renameat renameat2 rewind rhypot rhypotf rindex rint rintf
    rintl rnorm rnorm3d rnorm3df rnorm4d rnorm4df rnormf round roundeven roundevenf roundevenl
    roundf roundl rpmatch rsqrtf saturate scalb scalbf scalbl scalbln scalblnf scalblnl scalbn
    scalbnf scalbnl scanf sched_yield secure_getenv seed48 seed48_r select send setbuf setbuffer
    setenv setlinebuf setpayload setpayloadf setpayloadl setpayloadsig setpayloadsigf setpayloadsigl
    setstate setstate_r setvbuf shutdown sigabbrev_np sigdescr_np signal significand significandf
    significandl sin sincos sincosf sincosl sincospi sincospif sinf sinh sinhf sinhl sinl sinpi
    sinpif sleep snprintf socket sprintf sqrt sqrtf sqrtl srand srand48 srand48_r srandom srandom_r
    sscanf stat stpcpy stpncpy strcasecmp strcasecmp_l strcasestr strcat strchr strchrnul strcmp
    strcoll strcoll_l strcpy strcspn strdup strerror strerror_l strerror_r strerrordesc_np
    strerrorname_np strfromd strfromf strfroml strfry strftime strftime_l strlen strncasecmp
    strncasecmp_l strncat strncmp strncpy strndup strnlen strpbrk strptime strptime_l strrchr strsep
    strsignal strspn strstr strtod strtod_l strtof strtof32_l strtof32x_l strtof64_l strtof64x_l
    strtof_l strtok strtok_r strtol strtol_l strtold strtold_l strtoll strtoll_l strtoq strtoul
    strtoul_l strtoull strtoull_l strtouq strverscmp strxfrm strxfrm_l sync syncthreads system tan
    tanf tanh tanhf tanhl tanl tempnam tgamma tgammaf tgammal time timegm timelocal timer_create
    timer_delete timer_getoverrun timer_gettime timer_settime timespec_get timespec_getres tmpfile
    tmpfile64 tmpnam tmpnam_r tolower tolower_l totalorder totalorderf totalorderl totalordermag
    totalordermagf totalordermagl toupper toupper_l trap trunc truncf truncl tzset ufromfp ufromfpf
    ufromfpl ufromfpx ufromfpxf ufromfpxl uint ullmax ullmin ulong umax umin umul24 umul64hi umulhi
    uname ungetc unlink unlockpt unsetenv ushort usleep va_list valloc vasprintf vdprintf vfprintf
    vfscanf vprintf vscanf vsnprintf vsprintf vsscanf wait wcstombs wctomb write y0 y0f y0l y1 y1f
    y1l yn ynf ynl
)";

}  // namespace tkc::cuda
