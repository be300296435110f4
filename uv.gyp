# SPDX-License-Identifier: MIT
# For builds with gyp, Node's above all: this tree as Node's deps/uv. The lists
# of files are those of src/sources.mk. See test/clients/README.md.
{
  'variables': {
    'python%': 'python3',
    'uv_library%': 'static_library',
    'uv_observe%': 1,  # 0: without traces, metrics, dumps and the watchdog
    'uv_list': '<(python) scripts/list-sources',
    # Node sets it; without it the flags of a processor are left out.
    'target_arch%': '',
    'clang%': 0,
  },

  'targets': [
    {
      'target_name': 'libuv',
      'toolsets': ['host', 'target'],
      'type': '<(uv_library)',
      # Not include_dirs src/unix: its signal.h is not the system's.
      'include_dirs': ['include', 'src'],
      'sources': [
        'include/uv.h',
        '<!@(<(uv_list) uv_common_sources)',
      ],
      'direct_dependent_settings': {
        'include_dirs': ['include'],
        'conditions': [
          ['OS == "linux"', {
            'defines': ['_GNU_SOURCE', '_FILE_OFFSET_BITS=64'],
          }],
        ],
      },

      # Assertions that cost O(1) stay on in release builds.
      'defines!': ['NDEBUG'],
      'xcode_settings': {
        'GCC_C_LANGUAGE_STANDARD': 'gnu11',
        'GCC_SYMBOLS_PRIVATE_EXTERN': 'YES',  # -fvisibility=hidden
        'OTHER_CFLAGS': ['-fno-strict-aliasing'],
      },
      'cflags': [
        '-std=gnu11',
        '-fvisibility=hidden',
        '-fno-semantic-interposition',
        '-fno-strict-aliasing',
        '-Wall',
        '-Wextra',
      ],

      'conditions': [
        ['uv_observe == 1', {
          'sources': ['<!@(<(uv_list) uv_observe_sources)'],
        }, {
          'defines': ['UV__OBSERVE=0'],
          'sources': ['<!@(<(uv_list) uv_observe_off_sources)'],
        }],
        ['uv_library == "shared_library"', {
          'defines': ['BUILDING_UV_SHARED=1'],
          'direct_dependent_settings': {'defines': ['USING_UV_SHARED=1']},
        }],
        # (Fortify depends on the optimisation, which is the project's.)
        ['OS == "linux"', {
          'cflags': ['-fstack-protector-strong'],
        }],
        # Not clang 14, which puts "sub rsp" between a comparison and the second
        # of two jumps that depend on it.
        ['OS == "linux" and clang == 0', {
          'cflags': ['-fstack-clash-protection'],
        }],
        ['OS == "linux" and target_arch in "x64 ia32"', {
          'cflags': ['-fcf-protection=full'],
        }],
        ['OS == "linux" and target_arch == "arm64"', {
          'cflags': ['-mbranch-protection=standard'],
        }],
        ['OS == "linux"', {
          'defines': ['_GNU_SOURCE', '_FILE_OFFSET_BITS=64'],
          'sources': [
            '<!@(<(uv_list) uv_unix_sources uv_linux_sources '
              'uv_argv_sources uv_inotify_sources uv_uring_sources)',
          ],
          'link_settings': {'libraries': ['-lpthread', '-ldl', '-lrt']},
        }],
        ['OS in "freebsd netbsd openbsd mac"', {
          'sources': [
            '<!@(<(uv_list) uv_unix_sources uv_kqueue_sources '
              'uv_bsd_sources)',
          ],
          'link_settings': {'libraries': ['-lpthread']},
        }],
        ['OS == "freebsd"', {
          'sources': [
            '<!@(<(uv_list) uv_freebsd_sources uv_setproctitle_sources)',
          ],
        }],
        ['OS == "netbsd"', {
          'defines': ['_NETBSD_SOURCE'],
          'sources': [
            '<!@(<(uv_list) uv_netbsd_sources uv_setproctitle_sources)',
          ],
        }],
        ['OS == "openbsd"', {
          'sources': [
            '<!@(<(uv_list) uv_openbsd_sources uv_setproctitle_sources)',
          ],
        }],
        ['OS == "mac"', {
          'defines': ['_DARWIN_C_SOURCE'],
          'sources': ['<!@(<(uv_list) uv_darwin_sources uv_argv_sources)'],
        }],
        ['OS == "win"', {
          'defines': ['_WIN32_WINNT=0x0A00'],
          'sources': ['<!@(<(uv_list) uv_win_sources)'],
          'link_settings': {
            'libraries': [
              '-lpsapi', '-luser32', '-ladvapi32', '-liphlpapi', '-luserenv',
              '-lws2_32', '-ldbghelp', '-lole32', '-lshell32',
            ],
          },
        }],
      ],
    },
  ],
}
