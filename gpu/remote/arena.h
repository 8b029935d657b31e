// SPDX-License-Identifier: Apache-2.0
// The shared arena: the memory that every host array lives in. One memfd,
// mapped in the program and in every device server, so that a copy to a device
// needs no second buffer. Its size is fixed and sealed; pages are reserved with
// fallocate before they are used, so that a full machine is an ERR_NOMEM here
// and never a SIGBUS later.
#ifndef GPU_REMOTE_ARENA_H
#define GPU_REMOTE_ARENA_H

#include "gpu/remote/remote.h"

// An arena of so many bytes of address space, of which nothing is handed out:
// whoever mirrors another arena claims what it uses, and forgets it again.
enum err arena_new_mirror(uint64_t bytes, struct arena **out,
                          struct err_info *e);
char *arena_base(const struct arena *a);
enum err arena_claim(struct arena *a, uint64_t offset, uint64_t bytes,
                     struct err_info *e);
void arena_forget(struct arena *a, uint64_t offset, uint64_t bytes);

// Pages that a device has pinned must stay where they are: as long as the
// pieces (of ARENA_PIECE bytes) that overlap [offset, offset + bytes) are
// pinned, releasing memory in them gives no pages back. Pins are counted;
// arena_pin reserves the pieces whole and may answer ERR_NOMEM.
#define ARENA_PIECE ((uint64_t)64 << 20)
enum err arena_pin(struct arena *a, uint64_t offset, uint64_t bytes,
                   struct err_info *e);
void arena_unpin(struct arena *a, uint64_t offset, uint64_t bytes);

// Is all of [p, p + bytes) inside the arena? Then `*offset` is its place.
bool arena_holds(const struct arena *a, const void *p, size_t bytes,
                 uint64_t *offset);
int arena_fd(const struct arena *a);
uint64_t arena_size(const struct arena *a);     // bytes of address space
uint64_t arena_used(const struct arena *a);     // bytes handed out
uint64_t arena_reserved(const struct arena *a); // bytes of memory behind it

#endif
