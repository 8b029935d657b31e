// SPDX-License-Identifier: Apache-2.0
// The virtual GPU's memory. Every allocation has a slot of its own in a 64-bit
// address space: address = slot << VG_SLOT_BITS | offset. Slots are never used
// again, so an overrun or a stale pointer is attributed to its allocation for
// ever, and finding the allocation is an index into a table. The bytes live in
// host memory that only this module hands out.
#ifndef GPU_VGPU_MEMORY_MEMORY_H
#define GPU_VGPU_MEMORY_MEMORY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
  VG_SLOT_BITS = 36,
  // Windows of the generic address space; their slots hold no allocation.
  VG_SLOT_SHARED = 1,
  VG_SLOT_LOCAL = 2,
  VG_SLOT_PARAM = 3,
  VG_SLOT_CODE = 4,   // functions, 16 bytes apart
  VG_SLOT_OBJECT = 5, // textures and surfaces, by number
  VG_SLOT_FIRST = 16,
};

#define VG_WINDOW(slot) ((uint64_t)(slot) << VG_SLOT_BITS)
#define VG_MAX_ALLOC    (UINT64_C(1) << (VG_SLOT_BITS - 1))

enum vg_alloc_kind {
  VG_ALLOC_MEMORY,
  VG_ALLOC_HEAP,
  VG_ALLOC_VARIABLE,
  VG_ALLOC_ARRAY // reached through textures and surfaces alone
};

struct vg_alloc {
  uint8_t *data;       // NULL once freed
  uint64_t bytes;      // as asked for; kept after the free
  uint64_t *defined;   // a bit per byte, or NULL: all bytes are defined
  uint8_t *partly;     // of bytes not defined: which bits are not, 0: none is
                       // (taint_bits.c); or NULL
  uint32_t *origins;   // of undefined values that a kernel wrote: of each word,
                       // a number in the memory's list; or NULL
  const char *name;    // a module variable's, or NULL
  const void *made_at; // of a block of the heap: the malloc (struct vg_insn)
  uint64_t made_by;    // that gave it, and its thread: block << 12 | thread
  uint64_t freed_at; // running number of the launch that freed it, 0: the host
  uint8_t kind;      // enum vg_alloc_kind
  bool is_defined;   // all of it, so that the bits need not be looked at
  bool is_read_only; // the constant bank
  bool is_input;     // GPU_ALLOC_INPUT: writes are done, and reported
  struct vg_watched *watched; // by the launch that runs (watch.h), which
  // looks at bytes before they change:
  void (*keep)(struct vg_watched *x, uint64_t offset, uint64_t bytes);
  bool is_taken; // given to the host and not yet given back
  bool is_hosts; // `data` is the host's memory
};

enum { VG_KEPT_SPARE = 8 }; // tables of kept.c, of as many arrays
enum { VG_ZEROS_SPARE = 8 };

struct vg_memory {
  struct vg_alloc **chunks; // VG_CHUNKS pointers, filled on demand
  uint32_t first;           // slots from here ...
  _Atomic uint32_t slots;   // ... up to here exist
  uint64_t limit_bytes;
  _Atomic uint64_t used_bytes;
  _Atomic uint64_t heap_bytes; // of device malloc
  struct gpu_finding *origins; // of undefined values, or NULL
  uint32_t origin_count;
  struct vg_kept *spare[VG_KEPT_SPARE]; // for the next launch
  uint32_t next_spare;
  struct vg_zeros {
    void *p; // or NULL
    uint64_t bytes;
  } zeros[VG_ZEROS_SPARE]; // of pages.c
  uint32_t next_zeros;
  pthread_mutex_t lock; // adding slots and origins
};

// Each virtual GPU has slots of its own, so that one knows another's addresses.
enum {
  VG_DEVICE_SLOTS = 1 << 25,
  VG_CHUNK_SLOTS = 4096,
  VG_CHUNKS = VG_DEVICE_SLOTS / VG_CHUNK_SLOTS
};

uint64_t vg_origin_bytes(const struct vg_alloc *a); // of `origins`
void vg_partly_free(struct vg_alloc *a);
// Has a kernel discarded what is undefined at a generic address?
bool vg_was_discarded(const struct vg_memory *m, uint64_t address);

void vg_memory_init(struct vg_memory *m, uint64_t limit_bytes,
                    uint32_t ordinal);
void vg_memory_close(struct vg_memory *m);

// ERR_NOMEM states what was asked for and what is free. `tracked` keeps a
// definedness bit per byte, all clear.
enum err vg_alloc_new(struct vg_memory *m, uint64_t bytes,
                      enum vg_alloc_kind kind, bool tracked, uint64_t *address,
                      struct err_info *e);

// May a kernel write there without a closer look?
static inline bool vg_is_writable(const struct vg_alloc *a) {
  return !a->is_read_only && !a->is_input;
}

// An address for memory of the host's, which stays the host's; all is defined.
enum err vg_alloc_map(struct vg_memory *m, void *data, uint64_t bytes,
                      uint64_t *address, struct err_info *e);

// Gives the host memory back; the slot stays known as freed.
void vg_alloc_free(struct vg_memory *m, struct vg_alloc *a, uint64_t launch);

// The slot's allocation, freed ones included; NULL where there never was one.
static inline struct vg_alloc *vg_slot(const struct vg_memory *m,
                                       uint64_t slot) {
  if (slot < m->first ||
      slot >= atomic_load_explicit(&m->slots, memory_order_acquire))
    return NULL;
  uint64_t n = slot % VG_DEVICE_SLOTS;
  return &m->chunks[n / VG_CHUNK_SLOTS][n % VG_CHUNK_SLOTS];
}

// The allocation nearest to an address: the slot's own, or the next slot's for
// an address just below its start. `offset` may be negative.
struct vg_alloc *vg_alloc_near(const struct vg_memory *m, uint64_t address,
                               uint64_t *base, int64_t *offset);

// Definedness of a range that lies inside the allocation.
void vg_define(struct vg_alloc *a, uint64_t offset, uint64_t bytes);
void vg_undefine(struct vg_alloc *a, uint64_t offset, uint64_t bytes);
// Also all of `a` at once, by a copy or a set of its whole.
void vg_define_whole(struct vg_alloc *a, uint64_t offset, uint64_t bytes);
bool vg_any_defined(const struct vg_alloc *a, uint64_t offset, uint64_t bytes);
bool vg_all_defined(const struct vg_alloc *a, uint64_t offset, uint64_t bytes);
void vg_copy_defined(struct vg_alloc *to, uint64_t to_offset,
                     const struct vg_alloc *from, uint64_t from_offset,
                     uint64_t bytes);

// The space of an address that may be a generic one.
int vg_space_split(int space, uint64_t *address);

// ---- mem_save.c: the device's memory as it was ----

struct vg_saved;
enum err vg_memory_save(struct vg_memory *m, struct vg_saved **out,
                        struct err_info *e);
void vg_memory_restore(struct vg_memory *m, struct vg_saved *s);
void vg_saved_free(struct vg_saved *s);

// ---- kept.c ----

// An array while a launch that may write it is looked at quickly: how it was,
// and which units the blocks that have ended used. The tables are as long as
// the array and mostly not touched; they are cleaned, where a launch touched
// them, for the next array of that size. So what a launch pays depends on what
// it uses, not on how large its arrays are.

enum { VG_KEPT_PAGES = 64, VG_KEPT_ROWS = 2048 };

struct vg_sum {
  uint32_t wrote, read, atom; // units of a row, by blocks that have ended
};

struct vg_kept {
  uint64_t bytes, rows; // of the array
  bool is_full;         // much of the tables was touched once: one such stays
  uint8_t *was;
  uint64_t *was_defined;  // or NULL: it has no such bits
  _Atomic uint8_t *pages; // how far each is kept
  struct vg_sum *sums;    // of each row
  // Which of them are touched, as long as they are few.
  _Atomic uint32_t page_count, row_count;
  uint32_t touched_pages[VG_KEPT_PAGES], touched_rows[VG_KEPT_ROWS];
};

// NULL when there is no memory.
struct vg_kept *vg_kept_new(struct vg_memory *m, const struct vg_alloc *a,
                            uint64_t rows);
void vg_kept_free(struct vg_memory *m, struct vg_kept *k); // NULL is fine
void vg_kept_close(struct vg_memory *m);

// Keeps a page before it is written, once; says whether it was the first time.
bool vg_kept_page(struct vg_kept *k, const struct vg_alloc *a, uint64_t page);
// All that was kept is as it was.
void vg_kept_put_back(struct vg_kept *k, struct vg_alloc *a);

// The row's sum, which was zero until now, is about to change.
static inline void vg_kept_touch_row(struct vg_kept *k, uint64_t row) {
  if (atomic_load_explicit(&k->row_count, memory_order_relaxed) > VG_KEPT_ROWS)
    return;
  uint32_t n = atomic_fetch_add(&k->row_count, 1);
  if (n < VG_KEPT_ROWS)
    k->touched_rows[n] = (uint32_t)row;
}

// ---- pages.c ----

// Zeroed memory of any size for allocations and what is known of them. Large
// pieces are pages straight from the kernel: what is never touched costs
// nothing, and all goes back at once. Small ones come from the heap, since to
// map and unmap a page takes longer than to launch a small kernel.

// NULL when there is no memory. Aligned to 64 bytes.
void *vg_pages_new(uint64_t bytes);
// `bytes` as it was asked for; NULL is fine.
void vg_pages_free(void *p, uint64_t bytes);
// All of it will be touched: large pages, so that few of them have to be made. With the
// kernel's small ones a byte that is read first and written then costs two faults.
void vg_pages_are_dense(void *p, uint64_t bytes);
// Zeros again.
void vg_pages_clear(void *p, uint64_t bytes);

// The same for tables that each launch needs: where somebody gave back one of
// about that size, with zeros in it, its pages are there already.
void *vg_zeros_new(struct vg_memory *m, uint64_t bytes);
// Zeros again, where such a piece stays at all.
void vg_zeros_free(struct vg_memory *m, void *p, uint64_t bytes);
void vg_zeros_close(struct vg_memory *m);
static inline bool vg_zeros_stay(uint64_t bytes) {
  return bytes <= 4 << 20;
}

// Is a piece of that size mapped?
static inline bool vg_pages_are_mapped(uint64_t bytes) {
  return bytes > 1 << 18;
}

#endif
