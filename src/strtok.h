/* SPDX-License-Identifier: MIT */
#ifndef UV_STRTOK_H_
#define UV_STRTOK_H_

/* The next token of a string, between characters of `sep`; runs of separators
 * count as one. `str` on the first call, NULL afterwards; `*itr` keeps the
 * place. Writes NULs into the string. NULL when there is no further token.
 * Context: any. */
char* uv__strtok(char* str, const char* sep, char** itr);

#endif /* UV_STRTOK_H_ */
