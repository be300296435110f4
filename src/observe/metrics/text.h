/* SPDX-License-Identifier: MIT */
/* All metrics as OpenMetrics text. Context: any. */
#ifndef UV_OBSERVE_METRICS_TEXT_H_
#define UV_OBSERVE_METRICS_TEXT_H_

#include "observe/symbols.h"
#include "util/string-builder.h"

/* What the text begins with: by this, a file of an earlier run is known. */
#define UV__METRICS_FIRST "# TYPE uv_library info\n"

/* Of a poll that has not ended, what has passed counts if it began after
 * `since_ns`: metrics were on then. */
void uv__metrics_text(struct uv__strbuf* text,
                      struct uv__symbols* symbols,
                      uint64_t since_ns);

#endif /* UV_OBSERVE_METRICS_TEXT_H_ */
