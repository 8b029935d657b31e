// SPDX-License-Identifier: Apache-2.0
// A compiled program as bytes, for the disk cache. Numbers are the machine's
// own (a cache is not carried between machines); a checksum in front means
// that a torn or foreign file is never believed.
#include "gpu/nvrtc/cache/cache.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char magic[8] = "WSHOPK1";

struct head {
  char magic[8];
  unsigned char digest[crypto_hash_sha256_BYTES]; // of all that follows
};

enum { MAX_COUNT = 1 << 16 };
static const uint32_t no_text = UINT32_MAX;

// ---- Writing ----

static void put_number(struct str *s, int64_t v) {
  str_add_bytes(s, &v, sizeof v);
}

static void put_bytes(struct str *s, const void *data, size_t bytes) {
  uint32_t n = data ? (uint32_t)bytes : no_text;
  str_add_bytes(s, &n, sizeof n);
  if (data)
    str_add_bytes(s, data, bytes);
}

static void put_text(struct str *s, const char *text) {
  put_bytes(s, text, text ? strlen(text) : 0);
}

static void put_kernel(struct str *s, const struct nvrtc_kernel *k) {
  put_text(s, k->name);
  put_text(s, k->mangled);
  put_number(s, k->registers);
  put_number(s, k->local_bytes);
  put_number(s, k->shared_bytes);
  put_number(s, k->param_count);
  for (int i = 0; i < k->param_count; i++) {
    const struct nvrtc_param *p = &k->params[i];
    put_text(s, p->name);
    put_text(s, p->declared);
    put_number(s, p->is_pointer);
    put_number(s, p->is_const);
    put_number(s, p->type);
    put_number(s, p->vector_lanes);
    put_number(s, p->pointer_levels);
    put_number(s, p->bytes);
  }
}

static void put_diagnostic(struct str *s, const struct nvrtc_diagnostic *d) {
  put_number(s, d->severity);
  put_number(s, d->line);
  put_number(s, d->column);
  put_text(s, d->file);
  put_text(s, d->text);
  put_text(s, d->source);
  put_text(s, d->hint);
}

void nvrtc_record_write(const struct nvrtc_program *p, struct str *out) {
  struct head h = {0};
  size_t start = out->len;
  memcpy(h.magic, magic, sizeof magic);
  str_add_bytes(out, &h, sizeof h);
  put_text(out, p->key);
  put_text(out, p->arch);
  put_text(out, p->version);
  put_number(out, p->is_ptx);
  put_bytes(out, p->code, p->code_bytes);
  put_number(out, p->kernel_count);
  for (int i = 0; i < p->kernel_count; i++)
    put_kernel(out, &p->kernels[i]);
  put_number(out, p->diagnostic_count);
  for (int i = 0; i < p->diagnostic_count; i++)
    put_diagnostic(out, &p->diagnostics[i]);
  size_t body = start + sizeof h;
  crypto_hash_sha256((unsigned char *)out->data + start +
                         offsetof(struct head, digest),
                     (const unsigned char *)out->data + body, out->len - body);
}

// ---- Reading ----

struct reader {
  const char *p, *end;
  bool is_bad;
};

static int64_t get_number(struct reader *r) {
  int64_t v = 0;
  if ((size_t)(r->end - r->p) < sizeof v) {
    r->is_bad = true;
    return 0;
  }
  memcpy(&v, r->p, sizeof v);
  r->p += sizeof v;
  return v;
}

static int get_count(struct reader *r) {
  int64_t v = get_number(r);
  r->is_bad |= v < 0 || v > MAX_COUNT;
  return r->is_bad ? 0 : (int)v;
}

static char *get_bytes(struct reader *r, size_t *bytes) {
  uint32_t n = 0;
  *bytes = 0;
  if ((size_t)(r->end - r->p) < sizeof n) {
    r->is_bad = true;
    return NULL;
  }
  memcpy(&n, r->p, sizeof n);
  r->p += sizeof n;
  if (n == no_text)
    return NULL;
  char *data = n <= (size_t)(r->end - r->p) ? try_malloc((size_t)n + 1) : NULL;
  if (!data) {
    r->is_bad = true;
    return NULL;
  }
  memcpy(data, r->p, n);
  data[n] = 0;
  r->p += n;
  *bytes = n;
  return data;
}

static char *get_text(struct reader *r) {
  size_t bytes;
  return get_bytes(r, &bytes);
}

static void get_field(struct reader *r, char *out, size_t room) {
  char *text = get_text(r);
  r->is_bad |= !text || strlen(text) >= room;
  if (!r->is_bad)
    strcpy(out, text);
  free(text);
}

static void get_kernel(struct reader *r, struct nvrtc_kernel *k) {
  k->name = get_text(r);
  k->mangled = get_text(r);
  k->registers = (int)get_number(r);
  k->local_bytes = get_number(r);
  k->shared_bytes = get_number(r);
  k->param_count = get_count(r);
  k->params = xcalloc((size_t)k->param_count + 1, sizeof *k->params);
  for (int i = 0; i < k->param_count && !r->is_bad; i++) {
    struct nvrtc_param *p = &k->params[i];
    p->name = get_text(r);
    p->declared = get_text(r);
    p->is_pointer = get_number(r);
    p->is_const = get_number(r);
    p->type = (enum nvrtc_type)get_number(r);
    p->vector_lanes = (uint8_t)get_number(r);
    p->pointer_levels = (uint8_t)get_number(r);
    p->bytes = (uint32_t)get_number(r);
  }
}

static void get_diagnostic(struct reader *r, struct nvrtc_diagnostic *d) {
  d->severity = (enum nvrtc_severity)get_number(r);
  d->line = (int)get_number(r);
  d->column = (int)get_number(r);
  d->file = get_text(r);
  d->text = get_text(r);
  d->source = get_text(r);
  d->hint = get_text(r);
}

static void get_program(struct reader *r, struct nvrtc_program *p) {
  get_field(r, p->key, sizeof p->key);
  get_field(r, p->arch, sizeof p->arch);
  get_field(r, p->version, sizeof p->version);
  p->is_ptx = get_number(r);
  p->code = get_bytes(r, &p->code_bytes);
  p->kernel_count = get_count(r);
  p->kernels = xcalloc((size_t)p->kernel_count + 1, sizeof *p->kernels);
  for (int i = 0; i < p->kernel_count && !r->is_bad; i++)
    get_kernel(r, &p->kernels[i]);
  p->diagnostic_count = get_count(r);
  p->diagnostics =
      xcalloc((size_t)p->diagnostic_count + 1, sizeof *p->diagnostics);
  for (int i = 0; i < p->diagnostic_count && !r->is_bad; i++)
    get_diagnostic(r, &p->diagnostics[i]);
  r->is_bad |= !p->code || r->p != r->end;
}

bool nvrtc_record_read(const void *data, size_t bytes,
                       struct nvrtc_program **out) {
  const struct head *h = data;
  unsigned char digest[sizeof h->digest];
  *out = NULL;
  if (bytes < sizeof *h || memcmp(h->magic, magic, sizeof magic))
    return false;
  struct reader r = {(const char *)data + sizeof *h, (const char *)data + bytes,
                     false};
  crypto_hash_sha256(digest, (const unsigned char *)r.p, (size_t)(r.end - r.p));
  if (memcmp(digest, h->digest, sizeof digest))
    return false;
  struct nvrtc_program *p = xcalloc(1, sizeof *p);
  get_program(&r, p);
  if (r.is_bad) {
    nvrtc_program_free(p);
    return false;
  }
  *out = p;
  return true;
}
