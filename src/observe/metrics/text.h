/* SPDX-License-Identifier: MIT */
/* All metrics as OpenMetrics text. Context: any. */
#ifndef UV_OBSERVE_METRICS_TEXT_H_
#define UV_OBSERVE_METRICS_TEXT_H_

#include "observe/symbols.h"
#include "util/string-builder.h"

/* What the text begins with: by this, a file of an earlier run is known. */
#define UV__METRICS_FIRST "# TYPE uv_library info\n"

void uv__metrics_text(struct uv__strbuf* text, struct uv__symbols* symbols);

#endif /* UV_OBSERVE_METRICS_TEXT_H_ */
