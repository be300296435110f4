/* SPDX-License-Identifier: MIT */
/* Functions that are looked up at run time, because import libraries lack them
 * or because not every version of Windows (or Wine) has them; and the types of
 * the NT layer that they use, under our own names to avoid clashes with SDK
 * headers.
 *
 * Self-contained: libuv's own tests include this file after uv.h.
 */
#ifndef UV_WIN_WINAPI_H_
#define UV_WIN_WINAPI_H_

#include "uv.h"

#ifndef STATUS_SUCCESS
# define STATUS_SUCCESS ((NTSTATUS) 0)
#endif

#ifndef ERROR_ELEVATION_REQUIRED
# define ERROR_ELEVATION_REQUIRED 740
#endif

/* NTSTATUS values used by the sources; see [MS-ERREF]. */
enum uv__status {
  UV__STATUS_PENDING = 0x00000103,
  UV__STATUS_BUFFER_OVERFLOW = (int) 0x80000005u,
  UV__STATUS_NO_MORE_FILES = (int) 0x80000006u,
  UV__STATUS_NOT_IMPLEMENTED = (int) 0xC0000002u,
  UV__STATUS_INVALID_INFO_CLASS = (int) 0xC0000003u,
  UV__STATUS_INVALID_PARAMETER = (int) 0xC000000Du,
  UV__STATUS_ACCESS_DENIED = (int) 0xC0000022u,
  UV__STATUS_BUFFER_TOO_SMALL = (int) 0xC0000023u,
  UV__STATUS_SHARING_VIOLATION = (int) 0xC0000043u,
  UV__STATUS_NOT_SUPPORTED = (int) 0xC00000BBu,
  UV__STATUS_CANCELLED = (int) 0xC0000120u,
  UV__STATUS_NOT_FOUND = (int) 0xC0000225u
};

struct uv__io_status {
  union {
    LONG status;
    PVOID pointer;
  } u;
  ULONG_PTR information;
};

struct uv__unicode_string {
  USHORT length;     /* bytes */
  USHORT max_length; /* bytes */
  WCHAR* buffer;
};

/* FILE_INFORMATION_CLASS of NtQueryInformationFile and NtSetInformationFile. */
enum uv__file_info_class {
  UV__FILE_DIRECTORY_INFORMATION = 1,
  UV__FILE_BASIC_INFORMATION = 4,
  UV__FILE_STANDARD_INFORMATION = 5,
  UV__FILE_RENAME_INFORMATION = 10,
  UV__FILE_LINK_INFORMATION = 11,
  UV__FILE_DISPOSITION_INFORMATION = 13,
  UV__FILE_MODE_INFORMATION = 16,
  UV__FILE_ALL_INFORMATION = 18,
  UV__FILE_PIPE_INFORMATION = 23,
  UV__FILE_PIPE_LOCAL_INFORMATION = 24,
  UV__FILE_COMPLETION_INFORMATION = 30,
  UV__FILE_REPLACE_COMPLETION_INFORMATION = 61, /* Windows 8.1 */
  UV__FILE_DISPOSITION_INFORMATION_EX = 64,
  UV__FILE_RENAME_INFORMATION_EX = 65,
  UV__FILE_STAT_INFORMATION = 68
};

enum uv__volume_info_class {
  UV__VOLUME_INFORMATION = 1,
  UV__VOLUME_DEVICE_INFORMATION = 4,
  UV__VOLUME_FULL_SIZE_INFORMATION = 7
};

struct uv__file_basic_info {
  LARGE_INTEGER creation_time;
  LARGE_INTEGER last_access_time;
  LARGE_INTEGER last_write_time;
  LARGE_INTEGER change_time;
  DWORD attributes;
};

struct uv__file_standard_info {
  LARGE_INTEGER allocation_size;
  LARGE_INTEGER end_of_file;
  ULONG number_of_links;
  BOOLEAN delete_pending;
  BOOLEAN directory;
};

struct uv__file_all_info {
  struct uv__file_basic_info basic;
  struct uv__file_standard_info standard;
  LARGE_INTEGER index_number;
  ULONG ea_size;
  ACCESS_MASK access_flags;
  LARGE_INTEGER current_byte_offset;
  ULONG mode;
  ULONG alignment_requirement;
  ULONG name_length;
  WCHAR name[1];
};

struct uv__file_mode_info {
  ULONG mode;
};

/* UV__FILE_REPLACE_COMPLETION_INFORMATION: NULL detaches. */
struct uv__file_completion_info {
  HANDLE port;
  PVOID key;
};

#define UV__FILE_SYNCHRONOUS_IO_ALERT 0x10
#define UV__FILE_SYNCHRONOUS_IO_NONALERT 0x20
#define UV__FILE_PIPE_BYTE_STREAM_TYPE 0

struct uv__file_pipe_info {
  ULONG read_mode;
  ULONG completion_mode;
};

struct uv__file_pipe_local_info {
  ULONG named_pipe_type;
  ULONG named_pipe_configuration;
  ULONG maximum_instances;
  ULONG current_instances;
  ULONG inbound_quota;
  ULONG read_data_available;
  ULONG outbound_quota;
  ULONG write_quota_available;
  ULONG named_pipe_state;
  ULONG named_pipe_end;
};

struct uv__file_directory_info {
  ULONG next_entry_offset;
  ULONG file_index;
  LARGE_INTEGER creation_time;
  LARGE_INTEGER last_access_time;
  LARGE_INTEGER last_write_time;
  LARGE_INTEGER change_time;
  LARGE_INTEGER end_of_file;
  LARGE_INTEGER allocation_size;
  ULONG attributes;
  ULONG name_length; /* bytes */
  WCHAR name[1];
};

struct uv__file_disposition_info {
  BOOLEAN delete_file;
};

struct uv__file_disposition_info_ex {
  DWORD flags;
};

#define UV__FILE_DISPOSITION_DELETE 0x1
#define UV__FILE_DISPOSITION_POSIX_SEMANTICS 0x2
#define UV__FILE_DISPOSITION_IGNORE_READONLY 0x10

struct uv__volume_info {
  LARGE_INTEGER creation_time;
  ULONG serial_number;
  ULONG label_length;
  BOOLEAN supports_objects;
  WCHAR label[1];
};

struct uv__volume_device_info {
  DWORD device_type;
  ULONG characteristics;
};

struct uv__volume_full_size_info {
  LARGE_INTEGER total_units;
  LARGE_INTEGER caller_available_units;
  LARGE_INTEGER actual_available_units;
  ULONG sectors_per_unit;
  ULONG bytes_per_sector;
};

/* GetFileInformationByName(): FileStatBasicByNameInfo. */
struct uv__file_stat_basic {
  LARGE_INTEGER file_id;
  LARGE_INTEGER creation_time;
  LARGE_INTEGER last_access_time;
  LARGE_INTEGER last_write_time;
  LARGE_INTEGER change_time;
  LARGE_INTEGER allocation_size;
  LARGE_INTEGER end_of_file;
  ULONG attributes;
  ULONG reparse_tag;
  ULONG number_of_links;
  ULONG device_type;
  ULONG device_characteristics;
  ULONG reserved;
  LARGE_INTEGER volume_serial_number;
  UCHAR file_id_128[16];
};

/* NtQuerySystemInformation(): SystemProcessorPerformanceInformation. */
struct uv__processor_times {
  LARGE_INTEGER idle;
  LARGE_INTEGER kernel; /* includes idle */
  LARGE_INTEGER user;
  LARGE_INTEGER dpc;
  LARGE_INTEGER interrupt;
  ULONG interrupt_count;
};

#define UV__SYSTEM_PROCESSOR_PERFORMANCE 8
#define UV__PROCESS_BASIC_INFORMATION 0
#define UV__PROCESS_CONSOLE_HOST 49

/* NtQueryInformationProcess(): ProcessBasicInformation. */
struct uv__process_basic_info {
  LONG exit_status;
  PVOID peb;
  ULONG_PTR affinity_mask;
  LONG base_priority;
  ULONG_PTR pid;
  ULONG_PTR parent_pid;
};

/* DEVICE_NOTIFY_SUBSCRIBE_PARAMETERS. */
struct uv__power_subscription {
  ULONG(CALLBACK* callback)(void* context, ULONG type, void* setting);
  void* context;
};

/* The functions. The required ones exist on every supported system; the others
 * may be NULL. */
struct uv__winapi {
  /* ntdll */
  LONG(NTAPI* NtDeviceIoControlFile)
  (HANDLE file,
   HANDLE event,
   PVOID apc,
   PVOID apc_context,
   struct uv__io_status* status,
   ULONG code,
   PVOID in,
   ULONG in_size,
   PVOID out,
   ULONG out_size);
  LONG(NTAPI* NtQueryInformationFile)
  (HANDLE file,
   struct uv__io_status* status,
   PVOID info,
   ULONG size,
   int info_class);
  LONG(NTAPI* NtSetInformationFile)
  (HANDLE file,
   struct uv__io_status* status,
   PVOID info,
   ULONG size,
   int info_class);
  LONG(NTAPI* NtQueryVolumeInformationFile)
  (HANDLE file,
   struct uv__io_status* status,
   PVOID info,
   ULONG size,
   int info_class);
  LONG(NTAPI* NtQueryDirectoryFile)
  (HANDLE file,
   HANDLE event,
   PVOID apc,
   PVOID apc_context,
   struct uv__io_status* status,
   PVOID info,
   ULONG size,
   int info_class,
   BOOLEAN single_entry,
   struct uv__unicode_string* pattern,
   BOOLEAN restart);
  LONG(NTAPI* NtQuerySystemInformation)
  (int info_class, PVOID info, ULONG size, PULONG used);
  LONG(NTAPI* NtQueryInformationProcess)
  (HANDLE process, int info_class, PVOID info, ULONG size, PULONG used);
  ULONG(NTAPI* RtlNtStatusToDosError)(LONG status);
  LONG(NTAPI* RtlGetVersion)(OSVERSIONINFOW* info);

  /* bcrypt, advapi32: at least one of the two. */
  LONG(WINAPI* BCryptGenRandom)
  (PVOID algorithm, PUCHAR buffer, ULONG size, ULONG flags);
  BOOLEAN(NTAPI* RtlGenRandom)(PVOID buffer, ULONG size);

  /* kernel32 and api sets; each may be NULL. */
  HRESULT(WINAPI* SetThreadDescription)(HANDLE thread, PCWSTR text);
  HRESULT(WINAPI* GetThreadDescription)(HANDLE thread, PWSTR* text);
  BOOL(WINAPI* GetFileInformationByName)
  (PCWSTR path, int info_class, PVOID info, ULONG size);
  HRESULT(WINAPI* GetPackageFamilyName)
  (HANDLE process, UINT32* length, PWSTR name);
  BOOL(WINAPI* IsWow64Process2)(HANDLE process, USHORT* own, USHORT* native);
  int(WINAPI* GetHostNameW)(PWSTR name, int size);

  /* user32; NULL without a desktop. */
  HWINEVENTHOOK(WINAPI* SetWinEventHook)
  (DWORD min,
   DWORD max,
   HMODULE module,
   WINEVENTPROC proc,
   DWORD pid,
   DWORD tid,
   DWORD flags);

  /* powrprof; each may be NULL. */
  DWORD(WINAPI* PowerRegisterSuspendResumeNotification)
  (DWORD flags, HANDLE recipient, void** registration);
  DWORD(WINAPI* PowerUnregisterSuspendResumeNotification)(void* registration);
};

/* The table, filled on first use. Context: any. */
const struct uv__winapi* uv__winapi(void);

#endif /* UV_WIN_WINAPI_H_ */
