// SPDX-License-Identifier: Apache-2.0
// Dates and points in time as texts.
#ifndef LUA_BIND_FRAME_ARROW_ARROW_TIME_H
#define LUA_BIND_FRAME_ARROW_ARROW_TIME_H

#include "lua/bind/frame/arrow/arrow.h"

enum { ARROW_TIME_TEXT = 64 };
// "2024-02-29", "2024-02-29 12:30:00.5", with "+00:00" where it is zoned; its length.
size_t arrow_time_text(const struct arrow_field *f, int64_t v,
                       char out[ARROW_TIME_TEXT]);

#endif
