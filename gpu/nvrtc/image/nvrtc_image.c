// SPDX-License-Identifier: Apache-2.0
// Programs that come compiled: PTX text, a cubin (an ELF file), or a fatbin,
// which holds several of both. The layout of a fatbin is as `fatbinary`
// and nvFatbin write it: a header, then members, each behind a header of its
// own; text is mostly compressed, by Zstandard since CUDA 12.4 and by LZ4
// before.
#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/nvrtc/image/nvrtc_cubin.h"
#include "gpu/nvrtc/image/nvrtc_kernels.h"
#include "gpu/nvrtc/image/signature.h"

enum { FATBIN_MAGIC = 0xBA55ED50, KIND_PTX = 1, KIND_ELF = 2 };
enum { WITH_LZ4 = 0x2000, WITH_ZSTD = 0x8000 };
enum { MAX_MEMBER_BYTES = 256 << 20 };

struct fat_header {
  uint32_t magic;
  uint16_t version, header_bytes;
  uint64_t bytes; // of all members
};

struct member_header {
  uint16_t kind, version;
  uint32_t header_bytes;
  uint64_t bytes;        // to the next member
  uint32_t packed_bytes; // of a compressed one, without what fills it up
  uint32_t options;
  uint16_t minor, major;
  uint32_t arch; // 80
  uint64_t name;
  uint64_t flags;
  uint64_t unused;
  uint64_t whole_bytes; // after decompression
};

struct member {
  struct member_header head;
  const char *data;
};

static enum err refuse(struct err_info *e, const char *what) {
  return err_set(e, ERR_ARGUMENT, "this image cannot be loaded: %s", what);
}

// A copy with a zero behind it.
static char *copy_bytes(const char *data, size_t bytes) {
  char *copy = xmalloc(bytes + 1);
  memcpy(copy, data, bytes);
  copy[bytes] = 0;
  return copy;
}

// ---- Compression ----

typedef size_t (*zstd_function)(void *to, size_t room, const void *from,
                                size_t bytes);
typedef int (*lz4_function)(const char *from, char *to, int bytes, int room);

static void *find_function(const char *library, const char *name,
                           struct err_info *e) {
  void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  void *found = lib ? dlsym(lib, name) : NULL;
  if (!found)
    err_set(e, ERR_NOT_FOUND,
            "the image is compressed, and %s is not on this machine: install "
            "it, or load the PTX itself",
            library);
  return found;
}

// The member's bytes, and a zero behind them; the caller frees them.
static char *unpack(const struct member *m, size_t *bytes, struct err_info *e) {
  const struct member_header *h = &m->head;
  if (!(h->flags & (WITH_LZ4 | WITH_ZSTD))) {
    *bytes = h->bytes;
    return copy_bytes(m->data, *bytes);
  }
  *bytes = h->whole_bytes;
  if (h->packed_bytes > h->bytes || *bytes > MAX_MEMBER_BYTES) {
    refuse(e, "a member states sizes that cannot be");
    return NULL;
  }
  bool is_zstd = h->flags & WITH_ZSTD;
  void *f = is_zstd ? find_function("libzstd.so.1", "ZSTD_decompress", e)
                    : find_function("liblz4.so.1", "LZ4_decompress_safe", e);
  if (!f)
    return NULL;
  char *out = xmalloc(*bytes + 1);
  size_t n = is_zstd ? ((zstd_function)f)(out, *bytes, m->data, h->packed_bytes)
                     : (size_t)((lz4_function)f)(
                           m->data, out, (int)h->packed_bytes, (int)*bytes);
  if (n != *bytes) {
    free(out);
    refuse(e, "a compressed member is damaged");
    return NULL;
  }
  out[n] = 0;
  return out;
}

// ---- Members ----

// The member behind `*at`; false at the end or where nothing can be read.
static bool next_member(const char *data, size_t bytes, size_t *at,
                        struct member *out) {
  if (*at > bytes || bytes - *at < sizeof out->head)
    return false;
  memcpy(&out->head, data + *at, sizeof out->head);
  size_t head = out->head.header_bytes, left = bytes - *at;
  if (head < sizeof out->head || head > left || out->head.bytes > left - head)
    return false;
  out->data = data + *at + head;
  *at += head + out->head.bytes;
  return true;
}

// The newest member of a kind that a device of `arch` can take: PTX of that
// capability or below, machine code of that one (0: of any).
static bool find_member(const char *data, size_t bytes, int kind, unsigned arch,
                        struct member *out) {
  struct fat_header h;
  struct member m;
  memcpy(&h, data, sizeof h);
  size_t at = h.header_bytes, end = h.header_bytes + h.bytes;
  bool found = false;
  if (end < h.bytes || end > bytes)
    end = bytes;
  while (next_member(data, end, &at, &m)) {
    bool fits = m.head.kind == kind && (!arch || m.head.arch <= arch);
    if (!fits || (found && m.head.arch < out->head.arch))
      continue;
    *out = m;
    found = true;
  }
  return found;
}

// Text whose first word behind comments is .version, as PTX demands.
static bool is_ptx(const char *data, size_t bytes) {
  const char *p = data, *end = data + bytes;
  while (p < end) {
    if (isspace((unsigned char)*p)) {
      p++;
      continue;
    }
    bool is_block = end - p > 1 && !memcmp(p, "/*", 2);
    if (!is_block && (end - p < 2 || memcmp(p, "//", 2)))
      break;
    p = is_block ? memmem(p + 2, (size_t)(end - p - 2), "*/", 2)
                 : memchr(p, '\n', (size_t)(end - p));
    if (!p)
      return false;
    p += is_block ? 2 : 1;
  }
  return end - p > 8 && !memcmp(p, ".version", 8) && !memchr(data, 0, bytes);
}

enum nvrtc_image nvrtc_image_kind(const void *data, size_t bytes) {
  uint32_t magic = 0;
  if (bytes >= sizeof(struct fat_header))
    memcpy(&magic, data, sizeof magic);
  if (magic == FATBIN_MAGIC)
    return NVRTC_IMAGE_FATBIN;
  if (bytes >= SELFMAG && !memcmp(data, ELFMAG, SELFMAG))
    return NVRTC_IMAGE_CUBIN;
  return is_ptx(data, bytes) ? NVRTC_IMAGE_PTX : NVRTC_IMAGE_NONE;
}

// PTX out of the image, with a zero behind it; NULL where there is none.
static char *find_ptx(const char *data, size_t bytes, unsigned arch,
                      size_t *ptx_bytes, struct err_info *e) {
  struct member m;
  switch (nvrtc_image_kind(data, bytes)) {
  case NVRTC_IMAGE_PTX: *ptx_bytes = bytes; return copy_bytes(data, bytes);
  case NVRTC_IMAGE_FATBIN:
    if (!find_member(data, bytes, KIND_PTX, arch, &m))
      return NULL;
    char *ptx = unpack(&m, ptx_bytes, e);
    if (ptx) // what fills it up is no text
      *ptx_bytes = strlen(ptx);
    return ptx;
  default: return NULL;
  }
}

static char *find_cubin(const char *data, size_t bytes, size_t *cubin_bytes,
                        struct err_info *e) {
  struct member m;
  if (nvrtc_image_kind(data, bytes) == NVRTC_IMAGE_CUBIN) {
    *cubin_bytes = bytes;
    return copy_bytes(data, bytes);
  }
  if (nvrtc_image_kind(data, bytes) != NVRTC_IMAGE_FATBIN ||
      !find_member(data, bytes, KIND_ELF, 0, &m))
    return NULL;
  return unpack(&m, cubin_bytes, e);
}

// ---- Programs ----

static void add_cubin_kernel(void *context, const char *mangled) {
  struct nvrtc_program *p = context;
  p->kernels =
      xrealloc(p->kernels, (size_t)(p->kernel_count + 1) * sizeof *p->kernels);
  struct nvrtc_kernel *k = &p->kernels[p->kernel_count++];
  char *name = NULL;
  *k = (struct nvrtc_kernel){.mangled = xstrdup(mangled), .registers = -1};
  k->param_count = signature_demangle(mangled, &k->params, &name);
  k->name = name ? name : xstrdup(mangled);
  for (int i = 0; i < k->param_count; i++)
    k->params[i].bytes = k->params[i].is_pointer
                             ? 8
                             : signature_type_bytes(k->params[i].type) *
                                   k->params[i].vector_lanes;
}

static void find_kernels(struct nvrtc_program *p, const char *ptx,
                         const char *cubin, size_t cubin_bytes) {
  struct nvrtc_request no_source = {.source = ""};
  if (ptx)
    nvrtc_fill_kernels(p, &no_source, NULL, ptx, cubin, cubin_bytes);
  else if (cubin)
    cubin_each_kernel(cubin, cubin_bytes, add_cubin_kernel, p);
}

static enum err no_ptx(struct err_info *e, const char *data, size_t bytes) {
  if (e->code)
    return e->code;
  bool is_cubin = nvrtc_image_kind(data, bytes) == NVRTC_IMAGE_CUBIN;
  return err_set(e, ERR_UNSUPPORTED, "%s, and the virtual GPU runs PTX: %s",
                 is_cubin ? "a cubin holds a real GPU's machine code"
                          : "this fatbin has no PTX that it can run",
                 is_cubin ? "load the PTX, or a fatbin that has it as well"
                          : "make it with -gencode arch=compute_NN,"
                            "code=compute_NN (NN at most its capability)");
}

enum err nvrtc_load_image(const void *data, size_t bytes, const char *arch,
                          bool want_ptx, struct nvrtc_program **out,
                          struct err_info *e) {
  *e = (struct err_info){0};
  *out = NULL;
  if (nvrtc_image_kind(data, bytes) == NVRTC_IMAGE_NONE)
    return refuse(e, "it is no PTX, no cubin and no fatbin");
  const char *digits = strpbrk(arch, "0123456789");
  size_t ptx_bytes = 0, cubin_bytes = 0;
  char *ptx =
      find_ptx(data, bytes, digits ? (unsigned)atoi(digits) : 0, &ptx_bytes, e);
  if (want_ptx && !ptx)
    return no_ptx(e, data, bytes);
  char *cubin = find_cubin(data, bytes, &cubin_bytes, e);
  struct nvrtc_program *p = xcalloc(1, sizeof *p);
  find_kernels(p, ptx, cubin, cubin_bytes);
  p->is_ptx = want_ptx;
  snprintf(p->arch, sizeof p->arch, "%s", arch);
  if (want_ptx) {
    p->code = ptx;
    p->code_bytes = ptx_bytes;
    ptx = NULL;
  } else { // the driver chooses among the members
    p->code = copy_bytes(data, bytes);
    p->code_bytes = bytes;
  }
  free(ptx);
  free(cubin);
  *out = p;
  return ERR_OK;
}
