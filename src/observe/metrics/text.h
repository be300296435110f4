/* SPDX-License-Identifier: MIT */
/* All metrics as OpenMetrics text. Context: any. */
#ifndef UV_OBSERVE_METRICS_TEXT_H_
#define UV_OBSERVE_METRICS_TEXT_H_

#include "observe/symbols.h"
#include "util/string-builder.h"

void uv__metrics_text(struct uv__strbuf* text, struct uv__symbols* symbols);

#endif /* UV_OBSERVE_METRICS_TEXT_H_ */
