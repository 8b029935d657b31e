// SPDX-License-Identifier: Apache-2.0
// What Python's process shares with a device server: its memory, mapped in the primary
// context where Python's libraries work, theirs in the server, and whose work comes first.
#ifndef PYTHON_LINK_H
#define PYTHON_LINK_H

#include "python/borrow.h"
#include "python/driver.h"
#include "python/python.h"

struct mapping;
#define LINK_DEFAULT_STREAM 1 // CU_STREAM_LEGACY

// Maps the allocation of a device array, or counts its mapping once more. NULL: only a
// copy of the array can leave, and no error is set. The shop is entered.
struct mapping *link_map(lua_State *L, const struct array *a);
// From any thread: unmaps it where that was the last use. NULL is fine.
void link_unmap(struct mapping *m);
// Somebody else has it, until it is taken back: then all work of the process's on the GPU
// is waited for. Counts it once more. NULL is fine for the latter, which any thread may do.
struct mapping *link_lend(struct mapping *m);
void link_take_back(struct mapping *m);
// Is it of the array's memory? Not any more where its server was started anew.
bool link_is_of(const struct mapping *m, const struct array *a);
// Where the array lies here, and on which device.
void *link_address(const struct mapping *m, const struct array *a);
int link_ordinal(const struct mapping *m);

// Waits until what Lua has queued for the array is done, on whatever stream of theirs
// they go on. False: a Python error is set.
bool link_await(lua_State *L, const struct array *a);

// Storage over another library's memory on a GPU, in the server of that device; work
// that they have put on `stream` so far is done before ours, and what an event of theirs
// was recorded behind, if there is one. NULL: only a copy can come. It holds `loan` then.
// In shop_protect.
struct device_storage *link_adopt(lua_State *L, int ordinal,
                                  const struct view *v, void *stream,
                                  void *event, struct storage *loan);

// While anything is lent or borrowed, their default stream and our devices work as one: what
// they have put on it is done before what Lua queues from now on, and link_settle (in a
// protected call) waits for what Lua has queued.
void link_begin(void);
bool link_is_shared(void);
int link_settle(lua_State *L);

#endif
