// SPDX-License-Identifier: Apache-2.0
// Puts together what is known of each kernel: the PTX lists kernels and the
// sizes of their parameters, the mangled name gives the types, the source the
// names, the cubin registers and memory. Where two of them disagree, nothing
// is claimed.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/nvrtc/image/nvrtc_cubin.h"
#include "gpu/nvrtc/image/nvrtc_kernels.h"
#include "gpu/nvrtc/image/signature.h"
#include "gpu/nvrtc/words/nvrtc_log.h"

enum { MAX_PARAMS = 1024 };

struct entry {
  char *mangled;
  int param_count;
  uint32_t bytes[MAX_PARAMS];
  bool is_float[MAX_PARAMS], is_pointer[MAX_PARAMS]; // where it says so
};

// ---- PTX ----

// ".u64 name" or ".align 8 .b8 name[16]": bytes of one .param.
static uint32_t param_bytes(const char *p, const char *end) {
  uint32_t bytes = 0, count = 1;
  for (; p < end; p++) {
    bool is_type = *p == '.' && p + 1 < end && strchr("usbf", p[1]) &&
                   isdigit((unsigned char)p[2]);
    if (is_type)
      bytes = (uint32_t)atoi(p + 2) / 8;
    else if (*p == '[')
      count = (uint32_t)atoi(p + 1);
  }
  return bytes * count;
}

// `p` is behind ".entry"; fills `out` and returns where the list ends.
static const char *read_entry(const char *p, struct entry *out) {
  p += strspn(p, " \t\n");
  size_t n = strcspn(p, "( \t\n");
  out->mangled = xstrndup(p, n);
  out->param_count = 0;
  p += n;
  p += strspn(p, " \t\n");
  const char *end = *p == '(' ? strchr(p, ')') : NULL;
  if (!end)
    return p;
  while ((p = strstr(p, ".param")) && p < end &&
         out->param_count < MAX_PARAMS) {
    const char *stop = p + strcspn(p, ",)");
    int i = out->param_count++;
    out->bytes[i] = param_bytes(p + 6, stop);
    out->is_float[i] = memmem(p, (size_t)(stop - p), " .f", 3);
    out->is_pointer[i] = memmem(p, (size_t)(stop - p), " .ptr", 5);
    p = stop;
  }
  return end;
}

// ---- One parameter ----

static void copy_type(struct nvrtc_param *to, const struct nvrtc_param *from) {
  to->is_pointer = from->is_pointer;
  to->is_const = from->is_const;
  to->type = from->type;
  to->vector_lanes = from->vector_lanes;
  to->pointer_levels = from->pointer_levels;
}

static bool is_same_type(const struct nvrtc_param *a,
                         const struct nvrtc_param *b) {
  return a->is_pointer == b->is_pointer && a->is_const == b->is_const &&
         a->type == b->type && a->vector_lanes == b->vector_lanes &&
         a->pointer_levels == b->pointer_levels;
}

// Types that are written by a name of the program's own fit any.
static bool may_be_same(const struct nvrtc_param *source,
                        const struct nvrtc_param *known) {
  return source->type == NVRTC_OPAQUE || known->type == NVRTC_OPAQUE ||
         is_same_type(source, known);
}

static void make_opaque(struct nvrtc_param *p) {
  p->type = NVRTC_OPAQUE;
  p->is_pointer = p->is_const = false;
  p->vector_lanes = 1;
  p->pointer_levels = 0;
}

// Of a kernel without a source, whose name tells no types.
static void take_ptx(struct nvrtc_param *p, const struct entry *entry, int i) {
  if (p->type != NVRTC_OPAQUE || p->is_pointer)
    return;
  if (entry->is_pointer[i]) {
    p->is_pointer = true;
    p->type = NVRTC_VOID;
    p->pointer_levels = 1;
    p->declared = xstrdup("void *");
  } else if (entry->is_float[i]) {
    p->type = entry->bytes[i] == 8 ? NVRTC_F64 : NVRTC_F32;
    p->declared = xstrdup(entry->bytes[i] == 8 ? "double" : "float");
  }
}

// The size that the PTX states has the last word.
static void check_size(struct nvrtc_param *p, uint32_t bytes) {
  uint32_t wanted =
      p->is_pointer ? 8 : signature_type_bytes(p->type) * p->vector_lanes;
  p->bytes = bytes;
  if (wanted && wanted != bytes)
    make_opaque(p);
}

// ---- One kernel ----

struct source_view {
  const struct signatures *all;
  const struct entry *entry;
  const char *name;                  // plain
  const struct nvrtc_param *mangled; // or NULL
};

static bool fits(const struct source_view *v, const struct signature *s) {
  if (strcmp(s->name, v->name) || s->param_count != v->entry->param_count)
    return false;
  for (int i = 0; v->mangled && i < s->param_count; i++)
    if (!may_be_same(&s->params[i], &v->mangled[i]))
      return false;
  return true;
}

// Takes over what the source says of parameter `i`; a second declaration that
// fits as well (an overload, a branch of #if) takes back what differs.
static void take_source(struct nvrtc_param *p, const struct nvrtc_param *s,
                        bool is_first, bool has_mangled) {
  if (is_first) {
    p->name = s->name ? xstrdup(s->name) : NULL;
    if (!has_mangled)
      copy_type(p, s);
    if (s->declared && (s->type != NVRTC_OPAQUE || p->type == NVRTC_OPAQUE)) {
      free(p->declared);
      p->declared = xstrdup(s->declared);
    }
    return;
  }
  if (p->name && (!s->name || strcmp(p->name, s->name))) {
    free(p->name);
    p->name = NULL;
  }
  if (!has_mangled && !is_same_type(p, s))
    make_opaque(p);
}

static void fill_params(struct nvrtc_kernel *k, const struct source_view *v) {
  k->param_count = v->entry->param_count;
  k->params = xcalloc((size_t)k->param_count + 1, sizeof *k->params);
  for (int i = 0; i < k->param_count; i++) {
    struct nvrtc_param *p = &k->params[i];
    make_opaque(p);
    if (v->mangled) {
      copy_type(p, &v->mangled[i]);
      p->declared = xstrdup(v->mangled[i].declared);
    }
  }
  bool is_first = true;
  for (int s = 0; s < v->all->count; s++) {
    if (!fits(v, &v->all->list[s]))
      continue;
    for (int i = 0; i < k->param_count; i++)
      take_source(&k->params[i], &v->all->list[s].params[i], is_first,
                  v->mangled != NULL);
    is_first = false;
  }
  for (int i = 0; i < k->param_count; i++) {
    if (is_first && !v->mangled)
      take_ptx(&k->params[i], v->entry, i);
    check_size(&k->params[i], v->entry->bytes[i]);
  }
}

// "ns::mm<16>" gives "mm".
static char *plain_name(const char *name) {
  size_t n = strcspn(name, "<");
  const char *from = name;
  for (const char *p = name; p + 1 < name + n; p++)
    if (p[0] == ':' && p[1] == ':')
      from = p + 2;
  return xstrndup(from, (size_t)(name + n - from));
}

static char *shown_name(const struct nvrtc_request *r,
                        const char *const *lowered, const char *mangled,
                        const char *demangled) {
  for (int i = 0; i < r->instantiate_count; i++)
    if (!strcmp(lowered[i], mangled))
      return xstrdup(r->instantiate[i]);
  return xstrdup(demangled ? demangled : mangled);
}

static void fill_kernel(struct nvrtc_kernel *k, const struct nvrtc_request *r,
                        const char *const *lowered, const struct entry *entry,
                        const struct signatures *all) {
  struct nvrtc_param *params = NULL;
  char *demangled = NULL;
  int count = signature_demangle(entry->mangled, &params, &demangled);
  char *plain = plain_name(demangled ? demangled : entry->mangled);
  struct source_view v = {all, entry, plain,
                          count == entry->param_count ? params : NULL};
  k->mangled = xstrdup(entry->mangled);
  k->name = shown_name(r, lowered, entry->mangled, demangled);
  fill_params(k, &v);
  signature_params_free(params, count);
  free(demangled);
  free(plain);
}

static void fill_resources(struct nvrtc_kernel *k, const void *cubin,
                           size_t bytes) {
  struct cubin_kernel c;
  cubin_find(cubin, bytes, k->mangled, &c);
  k->registers = c.registers;
  k->local_bytes = c.local_bytes;
  k->shared_bytes = c.shared_bytes;
}

// ---- All kernels ----

// Place of a kernel's declaration in the source; behind all when unknown.
static int rank(const struct nvrtc_kernel *k, const struct signatures *all) {
  char *plain = plain_name(k->name);
  int i = 0;
  while (i < all->count && strcmp(all->list[i].name, plain))
    i++;
  free(plain);
  return i;
}

static void sort_kernels(struct nvrtc_program *p,
                         const struct signatures *all) {
  for (int i = 1; i < p->kernel_count; i++) {
    struct nvrtc_kernel k = p->kernels[i];
    int j = i, r = rank(&k, all);
    for (; j > 0 && rank(&p->kernels[j - 1], all) > r; j--)
      p->kernels[j] = p->kernels[j - 1];
    p->kernels[j] = k;
  }
}

void nvrtc_fill_kernels(struct nvrtc_program *p,
                        const struct nvrtc_request *request,
                        const char *const *lowered, const char *ptx,
                        const void *cubin, size_t cubin_bytes) {
  struct signatures all;
  struct entry *entry = xmalloc(sizeof *entry);
  signatures_scan(request->source, &all);
  while ((ptx = strstr(ptx, ".entry"))) {
    ptx = read_entry(ptx + 6, entry);
    p->kernels = xrealloc(p->kernels,
                          (size_t)(p->kernel_count + 1) * sizeof *p->kernels);
    struct nvrtc_kernel *k = &p->kernels[p->kernel_count++];
    *k = (struct nvrtc_kernel){0};
    fill_kernel(k, request, lowered, entry, &all);
    fill_resources(k, cubin, cubin_bytes);
    free(entry->mangled);
  }
  sort_kernels(p, &all);
  signatures_free(&all);
  free(entry);
}

static void free_kernels(struct nvrtc_kernel *k, int count) {
  for (int i = 0; i < count; i++) {
    free(k[i].name);
    free(k[i].mangled);
    signature_params_free(k[i].params, k[i].param_count);
  }
  free(k);
}

void nvrtc_program_free(struct nvrtc_program *p) {
  if (!p)
    return;
  free(p->code);
  free_kernels(p->kernels, p->kernel_count);
  nvrtc_diagnostics_free(p->diagnostics, p->diagnostic_count);
  free(p);
}
