// SPDX-License-Identifier: Apache-2.0
// Buffers that are packed, and what is freed with the file that they are of.
#ifndef LUA_BIND_FRAME_ARROW_ARROW_UNPACK_H
#define LUA_BIND_FRAME_ARROW_ARROW_UNPACK_H

#include "lua/bind/frame/arrow/arrow.h"

enum arrow_codec { ARROW_LZ4, ARROW_ZSTD, ARROW_PLAIN };

#define ARROW_MOST                                                             \
  ((int64_t)1 << 40) // rows, or bytes of a buffer: more is no file

// What is freed when the file is closed.
struct arrow_owned {
  void **list;
  size_t count, room;
};
void arrow_own(struct arrow_owned *o, void *p);
void arrow_disown(struct arrow_owned *o);

// A compressed buffer becomes what it is when unpacked.
enum err arrow_unpack(enum arrow_codec codec, struct arrow_bytes *b,
                      struct arrow_owned *owned, struct err_info *e);

#endif
