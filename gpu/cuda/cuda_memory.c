// SPDX-License-Identifier: Apache-2.0
// Device memory on a real GPU.
//
// Four bytes past a cuMemAlloc normally do not fault: the driver hands out
// parts of larger pages. A guarded block therefore lies at the very end of a
// mapping of its own, with unmapped addresses on both sides, so that the first
// element past the end faults. Mappings lie in the middle of a reserved range
// of 4 TiB and addresses are not used twice, so that far overruns and stale
// pointers fault as well. Its start must stay aligned
// to 16 bytes for vector loads; where its size is no multiple of 16, up to 15
// bytes of slack remain behind it, filled with a canary that is read after a
// launch. (CUDA driver API, "Virtual Memory Management".)
#include "gpu/cuda/cuda_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/cuda/cuda_export.h"

enum { START_ALIGN = 16, CANARY = 0xC5 };
#define SPACE_BYTES ((size_t)4 << 40)

static size_t round_up(size_t n, size_t to) {
  return (n + to - 1) / to * to;
}

void cuda_memory_add(struct cuda_memory *m, const struct cuda_block *b) {
  if (m->count == m->capacity) {
    m->capacity = m->capacity ? 2 * m->capacity : 64;
    m->blocks = xrealloc(m->blocks, (size_t)m->capacity * sizeof *m->blocks);
  }
  m->blocks[m->count++] = *b;
  m->slack_count += b->slack_bytes > 0;
}

// ---- Guarded blocks ----

static void unmap(const struct cuda_memory *m, const struct cuda_block *b) {
  m->cu->vm_unmap(b->mapped, b->mapped_bytes);
  m->cu->vm_release(b->backing);
}

struct cuda_alloc_prop cuda_memory_properties(const struct cuda_memory *m) {
  return (struct cuda_alloc_prop){
      .type = CUDA_ALLOCATION_PINNED,
      .handle_types = m->is_exportable ? CUDA_HANDLE_FILE : 0,
      .location = {CUDA_LOCATION_DEVICE, m->ordinal},
  };
}

// Addresses for a mapping and a hole behind it. A range that is used up stays
// reserved: its old addresses must fault.
static int take_addresses(struct cuda_memory *m, size_t bytes, gpu_ptr *out) {
  bytes += m->granularity;
  if (m->end - m->next < bytes) {
    size_t space = SPACE_BYTES;
    gpu_ptr start;
    int status;
    while ((status = m->cu->vm_reserve(&start, space, 0, 0, 0)) &&
           space / 4 > bytes)
      space /= 2;
    if (status)
      return status;
    m->next = start + round_up(space / 4, m->granularity);
    m->end = start + space / 4 * 3;
    if (m->end - m->next < bytes)
      return CUDA_OUT_OF_MEMORY;
  }
  *out = m->next;
  m->next += bytes;
  return CUDA_OK;
}

static int map(struct cuda_memory *m, struct cuda_block *b) {
  const struct cuda_driver *cu = m->cu;
  struct cuda_alloc_prop prop = cuda_memory_properties(m);
  struct cuda_access access = {prop.location, CUDA_ACCESS_READ_WRITE};
  int status = take_addresses(m, b->mapped_bytes, &b->mapped);
  if (!status)
    status = cu->vm_create(&b->backing, b->mapped_bytes, &prop, 0);
  if (status)
    return status;
  status = cu->vm_map(b->mapped, b->mapped_bytes, 0, b->backing, 0);
  if (status)
    goto release;
  status = cu->vm_set_access(b->mapped, b->mapped_bytes, &access, 1);
  if (!status)
    return CUDA_OK;
  cu->vm_unmap(b->mapped, b->mapped_bytes);
release:
  cu->vm_release(b->backing);
  return status;
}

int cuda_memory_find_granularity(struct cuda_memory *m) {
  struct cuda_alloc_prop prop = cuda_memory_properties(m);
  return m->granularity ? CUDA_OK
                        : m->cu->vm_granularity(&m->granularity, &prop,
                                                CUDA_GRANULARITY_MINIMUM);
}

static int alloc_guarded(struct cuda_memory *m, size_t bytes,
                         struct cuda_block *b) {
  int status = cuda_memory_find_granularity(m);
  if (status)
    return status;
  size_t whole = round_up(bytes, START_ALIGN);
  b->kind = CUDA_BLOCK_GUARDED;
  b->is_exportable = m->is_exportable;
  b->mapped_bytes = round_up(whole, m->granularity);
  status = map(m, b);
  if (status)
    return status;
  b->address = b->mapped + b->mapped_bytes - whole;
  b->slack_bytes = (unsigned)(whole - bytes);
  if (b->slack_bytes) {
    status = m->cu->set_8(b->address + bytes, CANARY, b->slack_bytes, NULL);
    if (status)
      unmap(m, b);
  }
  return status;
}

static bool can_guard(const struct cuda_driver *cu) {
  return cu->vm_granularity && cu->vm_reserve && cu->vm_create &&
         cu->vm_release && cu->vm_map && cu->vm_unmap && cu->vm_set_access;
}

// ---- Allocation ----

static enum err no_memory(const struct cuda_memory *m, size_t bytes,
                          struct err_info *e) {
  size_t free_bytes = 0, total = 0;
  m->cu->mem_info(&free_bytes, &total);
  return err_set(e, ERR_NOMEM,
                 "the GPU has no room for %zu bytes: %zu of %zu are free",
                 bytes, free_bytes, total);
}

// What a driver refuses it refuses for good: then nothing leaves.
static int alloc_exportable(struct cuda_memory *m, size_t bytes,
                            struct cuda_block *b) {
  int status = cuda_export_alloc(m, bytes, b);
  if (status == CUDA_OK || status == CUDA_OUT_OF_MEMORY)
    return status;
  m->is_exportable = false;
  *b = (struct cuda_block){.bytes = b->bytes};
  return m->cu->mem_alloc(&b->address, bytes);
}

enum err cuda_memory_alloc(struct cuda_memory *m, size_t bytes, unsigned flags,
                           gpu_ptr *out, struct err_info *e) {
  struct cuda_block block = {.bytes = bytes};
  size_t at_least = bytes ? bytes : 1;
  int status;
  if (at_least > SIZE_MAX / 4)
    return no_memory(m, bytes, e);
  if ((flags & GPU_ALLOC_GUARDED) && can_guard(m->cu))
    status = alloc_guarded(m, at_least, &block);
  else if (m->is_exportable)
    status = alloc_exportable(m, at_least, &block);
  else
    status = m->cu->mem_alloc(&block.address, at_least);
  if (status == CUDA_OUT_OF_MEMORY)
    return no_memory(m, bytes, e);
  if (status)
    return cuda_fail(m->cu, status, "allocating device memory", e);
  cuda_memory_add(m, &block);
  *out = block.address;
  return ERR_OK;
}

static struct cuda_block *find_start(const struct cuda_memory *m, gpu_ptr p) {
  for (int i = m->count - 1; i >= 0; i--)
    if (m->blocks[i].address == p)
      return &m->blocks[i];
  return NULL;
}

static enum err free_now(struct cuda_memory *m, gpu_ptr p, struct err_info *e) {
  struct cuda_block *found = find_start(m, p);
  if (!found)
    return err_set(e, ERR_ARGUMENT, "no allocation starts at 0x%llx",
                   (unsigned long long)p);
  struct cuda_block b = *found;
  *found = m->blocks[--m->count];
  m->slack_count -= b.slack_bytes > 0;
  int status = CUDA_OK;
  if (b.kind == CUDA_BLOCK_GUARDED)
    unmap(m, &b);
  else if (b.kind == CUDA_BLOCK_PLAIN)
    status = m->cu->mem_free(p);
  else
    status = cuda_export_free(m, &b);
  return cuda_fail(m->cu, status, "freeing device memory", e);
}

enum err cuda_memory_free(struct cuda_memory *m, gpu_ptr p, bool is_idle,
                          struct err_info *e) {
  if (is_idle || !find_start(m, p))
    return free_now(m, p, e);
  if (m->freed_count == m->freed_capacity) {
    m->freed_capacity = m->freed_capacity ? 2 * m->freed_capacity : 64;
    m->freed = xrealloc(m->freed, (size_t)m->freed_capacity * sizeof *m->freed);
  }
  m->freed[m->freed_count++] = p;
  return ERR_OK;
}

const struct cuda_block *cuda_memory_find(const struct cuda_memory *m,
                                          gpu_ptr p) {
  for (int i = m->count - 1; i >= 0; i--)
    if (p - m->blocks[i].address <
        (m->blocks[i].bytes ? m->blocks[i].bytes : 1))
      return &m->blocks[i];
  return NULL;
}

// ---- Canaries ----

static struct cuda_block *find_canary(const struct cuda_memory *m, gpu_ptr p) {
  for (int i = 0; i < m->count; i++)
    if (m->blocks[i].slack_bytes &&
        p - m->blocks[i].address <= m->blocks[i].bytes)
      return &m->blocks[i];
  return NULL;
}

bool cuda_memory_has_canary(const struct cuda_memory *m, gpu_ptr p) {
  return m->slack_count && find_canary(m, p);
}

void cuda_memory_touch(struct cuda_memory *m, const void *params,
                       size_t param_bytes) {
  if (!m->slack_count)
    return;
  for (size_t at = 0; at + sizeof(gpu_ptr) <= param_bytes;
       at += sizeof(gpu_ptr)) {
    gpu_ptr p;
    memcpy(&p, (const char *)params + at, sizeof p);
    struct cuda_block *b = find_canary(m, p);
    if (b)
      b->is_touched = true;
  }
}

// Reads one canary; when it was overwritten, writes it anew and tells where.
static bool is_overwritten(struct cuda_memory *m, struct cuda_block *b,
                           struct gpu_finding *f) {
  unsigned char now[START_ALIGN], want[START_ALIGN];
  gpu_ptr end = b->address + b->bytes;
  memset(want, CANARY, sizeof want);
  if (m->cu->copy_out_now(now, end, b->slack_bytes))
    return false;
  unsigned first = 0;
  while (first < b->slack_bytes && now[first] == CANARY)
    first++;
  if (first == b->slack_bytes)
    return false;
  // A small copy in only begins before it returns; reading waits for its end.
  m->cu->copy_in_now(end, want, b->slack_bytes);
  m->cu->copy_out_now(want, end, b->slack_bytes);
  *f = (struct gpu_finding){
      .kind = ERR_OUT_OF_BOUNDS,
      .severity = GPU_ERROR,
      .space = GPU_SPACE_GLOBAL,
      .at = {.access = GPU_WRITE},
      .address = end + first,
      .base = b->address,
      .base_bytes = b->bytes,
      .offset = (int64_t)(b->bytes + first),
      .bytes = 1,
      .count = 1,
  };
  return true;
}

bool cuda_memory_idle(struct cuda_memory *m, struct gpu_finding *f) {
  bool found = false;
  for (int i = 0; m->slack_count && i < m->count; i++) {
    struct cuda_block *b = &m->blocks[i];
    struct gpu_finding other;
    if (b->is_touched && is_overwritten(m, b, found ? &other : f))
      found = true;
    b->is_touched = false;
  }
  for (int i = 0; i < m->freed_count; i++)
    free_now(m, m->freed[i], NULL);
  m->freed_count = 0;
  return found;
}

void cuda_memory_close(struct cuda_memory *m) {
  while (m->count)
    free_now(m, m->blocks[m->count - 1].address, NULL);
  cuda_export_close(m);
  free(m->blocks);
  free(m->freed);
}
