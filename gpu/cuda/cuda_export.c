// SPDX-License-Identifier: Apache-2.0
// Memory that other processes can map: an allocation of its own for a large array,
// and a part of a slab for a small one, since what leaves is a whole allocation, of
// 2 MiB at least. Only memory that was made for it can leave. (CUDA driver API,
// "Virtual Memory Management": CUmemAllocationProp, requestedHandleTypes.)
#include "gpu/cuda/cuda_export.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
  PART_BYTES = 512, // what cuMemAlloc aligns to, too
  PARTS = 16 << 10, // of a slab: 8 MiB
  SMALL_BYTES = 1 << 20,
  FILES_SUPPORTED = 103, // CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_...
};

struct cuda_slab {
  struct cuda_slab *next;
  gpu_ptr address;
  uint64_t backing;
  int used;                     // parts
  unsigned char is_used[PARTS]; // of each part
};

bool cuda_memory_can_export(const struct cuda_driver *cu, int device) {
  int is_supported = 0;
  return cu->vm_export && cu->vm_free && cu->vm_granularity && cu->vm_reserve &&
         cu->vm_create && cu->vm_release && cu->vm_map && cu->vm_unmap &&
         cu->vm_set_access &&
         !cu->device_attribute(&is_supported, FILES_SUPPORTED, device) &&
         is_supported;
}

// ---- Mappings ----

// Gives an allocation addresses.
static int map(struct cuda_memory *m, uint64_t backing, size_t bytes,
               gpu_ptr *out) {
  const struct cuda_driver *cu = m->cu;
  struct cuda_access access = {{CUDA_LOCATION_DEVICE, m->ordinal},
                               CUDA_ACCESS_READ_WRITE};
  int status = cu->vm_reserve(out, bytes, 0, 0, 0);
  if (status)
    return status;
  status = cu->vm_map(*out, bytes, 0, backing, 0);
  if (!status) {
    status = cu->vm_set_access(*out, bytes, &access, 1);
    if (status)
      cu->vm_unmap(*out, bytes);
  }
  if (status)
    cu->vm_free(*out, bytes);
  return status;
}

static int unmap(struct cuda_memory *m, uint64_t backing, gpu_ptr address,
                 size_t bytes) {
  int status = m->cu->vm_unmap(address, bytes);
  m->cu->vm_free(address, bytes);
  int released = m->cu->vm_release(backing);
  return status ? status : released;
}

static int make(struct cuda_memory *m, size_t bytes, uint64_t *backing,
                gpu_ptr *out) {
  struct cuda_alloc_prop prop = cuda_memory_properties(m);
  int status = m->cu->vm_create(backing, bytes, &prop, 0);
  if (status)
    return status;
  status = map(m, *backing, bytes, out);
  if (status)
    m->cu->vm_release(*backing);
  return status;
}

// ---- Slabs ----

static int add_slab(struct cuda_memory *m) {
  struct cuda_slab *s = xcalloc(1, sizeof *s);
  int status = make(m, PARTS * PART_BYTES, &s->backing, &s->address);
  if (status) {
    free(s);
    return status;
  }
  s->next = m->slabs;
  m->slabs = s;
  return CUDA_OK;
}

// The first of so many free parts in a row, or -1.
static int find_parts(const struct cuda_slab *s, int count) {
  if (PARTS - s->used < count)
    return -1;
  for (int i = 0, run = 0; i < PARTS; i++) {
    run = s->is_used[i] ? 0 : run + 1;
    if (run == count)
      return i + 1 - count;
  }
  return -1;
}

static void mark(struct cuda_slab *s, int first, int count, bool is_used) {
  memset(s->is_used + first, is_used, (size_t)count);
  s->used += is_used ? count : -count;
}

static int parts_of(size_t bytes) {
  return (int)((bytes + PART_BYTES - 1) / PART_BYTES);
}

static bool take_part(struct cuda_memory *m, size_t bytes,
                      struct cuda_block *b) {
  int count = parts_of(bytes);
  for (struct cuda_slab *s = m->slabs; s; s = s->next) {
    int first = find_parts(s, count);
    if (first < 0)
      continue;
    mark(s, first, count, true);
    b->address = s->address + (gpu_ptr)first * PART_BYTES;
    b->mapped = s->address;
    b->mapped_bytes = PARTS * PART_BYTES;
    b->backing = s->backing;
    b->slab = s;
    return true;
  }
  return false;
}

// A slab that is empty goes, but for the last one.
static int give_part(struct cuda_memory *m, const struct cuda_block *b) {
  struct cuda_slab **link = &m->slabs, *s = b->slab;
  mark(s, (int)((b->address - s->address) / PART_BYTES),
       parts_of(b->bytes ? b->bytes : 1), false);
  if (s->used || !m->slabs->next)
    return CUDA_OK;
  while (*link != s)
    link = &(*link)->next;
  *link = s->next;
  int status = unmap(m, s->backing, s->address, PARTS * PART_BYTES);
  free(s);
  return status;
}

void cuda_export_close(struct cuda_memory *m) {
  for (struct cuda_slab *s = m->slabs, *next; s; s = next) {
    next = s->next;
    unmap(m, s->backing, s->address, PARTS * PART_BYTES);
    free(s);
  }
  m->slabs = NULL;
}

// ---- Ours ----

int cuda_export_alloc(struct cuda_memory *m, size_t bytes,
                      struct cuda_block *b) {
  int status = cuda_memory_find_granularity(m);
  b->is_exportable = true;
  if (status)
    return status;
  if (bytes < SMALL_BYTES) {
    b->kind = CUDA_BLOCK_PART;
    if (take_part(m, bytes, b))
      return CUDA_OK;
    status = add_slab(m);
    if (!status)
      take_part(m, bytes, b);
    return status;
  }
  b->kind = CUDA_BLOCK_OWN;
  b->mapped_bytes =
      (bytes + m->granularity - 1) / m->granularity * m->granularity;
  status = make(m, b->mapped_bytes, &b->backing, &b->mapped);
  b->address = b->mapped;
  return status;
}

// ---- Theirs ----

enum err cuda_memory_import(struct cuda_memory *m, int fd, uint64_t bytes,
                            gpu_ptr *out, struct err_info *e) {
  struct cuda_block b = {.kind = CUDA_BLOCK_OWN, .bytes = bytes};
  int status =
      m->cu->vm_import(&b.backing, (void *)(intptr_t)fd, CUDA_HANDLE_FILE);
  if (!status) {
    status = map(m, b.backing, bytes, &b.mapped);
    if (status)
      m->cu->vm_release(b.backing);
  }
  if (status)
    return cuda_fail(m->cu, status, "mapping another process's memory", e);
  b.mapped_bytes = bytes;
  *out = b.address = b.mapped;
  cuda_memory_add(m, &b);
  return ERR_OK;
}

static const struct cuda_block *find_opened(const struct cuda_memory *m,
                                            const struct gpu_ipc *handle) {
  for (int i = 0; i < m->count; i++)
    if (m->blocks[i].kind == CUDA_BLOCK_OPENED &&
        !memcmp(&m->blocks[i].handle, handle, sizeof *handle))
      return &m->blocks[i];
  return NULL;
}

// The driver opens an allocation once.
enum err cuda_memory_open(struct cuda_memory *m, const struct gpu_ipc *handle,
                          gpu_ptr *out, struct err_info *e) {
  enum { WITH_PEERS = 1 }; // CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
  const struct cuda_block *opened = find_opened(m, handle);
  struct cuda_block b = {.kind = CUDA_BLOCK_OPENED, .handle = *handle};
  int status = CUDA_OK;
  if (opened)
    b.address = opened->address;
  else
    status = m->cu->ipc_open(&b.address, *handle, WITH_PEERS);
  if (status)
    return cuda_fail(m->cu, status, "opening another process's memory", e);
  *out = b.address;
  cuda_memory_add(m, &b);
  return ERR_OK;
}

int cuda_export_free(struct cuda_memory *m, const struct cuda_block *b) {
  switch (b->kind) {
  case CUDA_BLOCK_PART: return give_part(m, b);
  case CUDA_BLOCK_OPENED:
    return find_opened(m, &b->handle) ? CUDA_OK : m->cu->ipc_close(b->address);
  default: return unmap(m, b->backing, b->mapped, b->mapped_bytes);
  }
}
