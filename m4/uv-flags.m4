dnl SPDX-License-Identifier: MIT

dnl UV_CC_FLAG(VARIABLE, FLAG)
dnl Appends FLAG to VARIABLE if the compiler takes it without a murmur.
AC_DEFUN([UV_CC_FLAG], [
  AS_VAR_PUSHDEF([uv_var], [uv_cv_cc_flag_$2])
  AC_CACHE_CHECK([whether $CC accepts $2], [uv_var], [
    uv_save_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS -Werror $2"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[]], [[]])],
                      [AS_VAR_SET([uv_var], [yes])],
                      [AS_VAR_SET([uv_var], [no])])
    CFLAGS=$uv_save_CFLAGS
  ])
  AS_VAR_IF([uv_var], [yes], [AS_VAR_APPEND([$1], [" $2"])])
  AS_VAR_POPDEF([uv_var])
])

dnl UV_LD_FLAG(VARIABLE, FLAG)
dnl The same for the linker.
AC_DEFUN([UV_LD_FLAG], [
  AS_VAR_PUSHDEF([uv_var], [uv_cv_ld_flag_$2])
  AC_CACHE_CHECK([whether the linker accepts $2], [uv_var], [
    uv_save_LDFLAGS=$LDFLAGS
    LDFLAGS="$LDFLAGS $2"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[]], [[]])],
                   [AS_VAR_SET([uv_var], [yes])],
                   [AS_VAR_SET([uv_var], [no])])
    LDFLAGS=$uv_save_LDFLAGS
  ])
  AS_VAR_IF([uv_var], [yes], [AS_VAR_APPEND([$1], [" $2"])])
  AS_VAR_POPDEF([uv_var])
])

dnl UV_PREFIX_MAP(VARIABLE, KIND)
dnl Appends options that write the tree's and the build's directories as ".".
AC_DEFUN([UV_PREFIX_MAP], [
  uv_map=
  UV_CC_FLAG([uv_map], [-f$2-prefix-map=/nowhere=.])
  AS_IF([test -n "$uv_map"], [
    AS_VAR_APPEND([$1], [' -f$2-prefix-map=$(srcdir)=.'])
    AS_VAR_APPEND([$1], [' -f$2-prefix-map=$(abs_builddir)=.'])
  ])
])

dnl UV_FORTIFY(VARIABLE)
dnl _FORTIFY_SOURCE needs an optimising compiler, and the packager or the
dnl compiler itself may have set it already.
AC_DEFUN([UV_FORTIFY], [
  AC_CACHE_CHECK([whether to set _FORTIFY_SOURCE], [uv_cv_fortify], [
    AC_PREPROC_IFELSE([AC_LANG_SOURCE([[
      #ifdef _FORTIFY_SOURCE
      # error set already
      #endif
    ]])], [
      AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
        #ifndef __OPTIMIZE__
        # error not optimising
        #endif
        int dummy;
      ]])], [
        dnl An older compiler or C library says that it knows no 3.
        uv_save_CFLAGS=$CFLAGS
        CFLAGS="$CFLAGS -Werror -D_FORTIFY_SOURCE=3"
        AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
          #include <stdio.h>
          #include <string.h>
          int dummy;
        ]])], [uv_cv_fortify=3], [uv_cv_fortify=2])
        CFLAGS=$uv_save_CFLAGS
      ], [uv_cv_fortify=no])
    ], [uv_cv_fortify=no])
  ])
  AS_VAR_IF([uv_cv_fortify], [no], [],
            [AS_VAR_APPEND([$1], [" -D_FORTIFY_SOURCE=$uv_cv_fortify"])])
])
