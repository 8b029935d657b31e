// SPDX-License-Identifier: Apache-2.0
// The compiler as the program uses it. A request is checked, turned into a
// key, looked for in the cache, and else sent to the worker; what comes back
// is made into data: diagnostics from the log, kernels from the code.
#include "gpu/nvrtc/nvrtc.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "base/progress.h"
#include "gpu/nvrtc/cache/cache.h"
#include "gpu/nvrtc/image/nvrtc_kernels.h"
#include "gpu/nvrtc/toolkit/nvrtc_places.h"
#include "gpu/nvrtc/words/nvrtc_log.h"
#include "gpu/nvrtc/worker/worker.h"

enum { MAX_SOURCE_BYTES = 4 << 20, MAX_INSTANTIATIONS = 512 };
static const double start_deadline_s = 60, default_deadline_s = 10;
// A worker that gets no processor time at all for so long does not work.
static const double default_standstill_s = 120;

struct nvrtc {
  pthread_mutex_t lock; // one compile at a time
  char *program;        // warpshop-device, or NULL
  char *headers;        // folder of our own headers, or NULL
  double deadline_s, standstill_s;
  bool without_landlock;
  bool has_places;
  struct nvrtc_places places;
  int place;      // index of the one in use
  char *identity; // of the compiler and its headers, for keys; or NULL
  struct nvrtc_process process;
  struct nvrtc_cache *cache;
};

// ---- Opening ----

enum err nvrtc_open(const struct nvrtc_options *options, struct nvrtc **out,
                    struct err_info *e) {
  static const struct nvrtc_options none;
  const struct nvrtc_options *o = options ? options : &none;
  struct nvrtc *n = xcalloc(1, sizeof *n);
  n->program = o->program ? xstrdup(o->program) : file_device_program();
  if (!n->program) {
    free(n);
    return err_set(e, ERR_NOT_FOUND,
                   "warpshop-device is not beside this program: build or "
                   "install it again");
  }
  pthread_mutex_init(&n->lock, NULL);
  n->headers = file_own("gpu/nvrtc/include");
  n->deadline_s = o->deadline_s > 0 ? o->deadline_s : default_deadline_s;
  n->standstill_s =
      o->standstill_s > 0 ? o->standstill_s : default_standstill_s;
  n->without_landlock = o->without_landlock;
  n->process = (struct nvrtc_process){.fd = -1, .words = -1};
  n->cache = nvrtc_cache_open(o->cache_folder);
  *out = n;
  return ERR_OK;
}

void nvrtc_close(struct nvrtc *n) {
  if (!n)
    return;
  nvrtc_process_stop(&n->process);
  nvrtc_cache_close(n->cache);
  if (n->has_places)
    nvrtc_places_free(&n->places);
  pthread_mutex_destroy(&n->lock);
  free(n->identity);
  free(n->headers);
  free(n->program);
  free(n);
}

char *nvrtc_way(void) {
  char *how = file_beside_program("NVRTC.txt");
  char *way = how ? xasprintf("%s says how to get it", how)
                  : xstrdup("`make learn` fetches it");
  free(how);
  return way;
}

static char *no_nvrtc(void) {
  char *way = nvrtc_way();
  char *text = xasprintf("NVRTC, CUDA's compiler, is not on this machine: %s, "
                         "or set CUDA_HOME",
                         way);
  free(way);
  return text;
}

static enum err not_found(const struct nvrtc *n, const char *why,
                          struct err_info *e) {
  if (n->places.count)
    return err_set(e, ERR_NOT_FOUND, "NVRTC (%s) cannot be used: %s",
                   n->places.places[n->places.count - 1].library, why);
  char *none = no_nvrtc();
  enum err err = err_set(
      e, ERR_NOT_FOUND,
      "%s; `warpshop doctor` lists where it was looked for. np does without "
      "it, "
      "and so does jax after jax.config.update(\"jax_platforms\", \"cpu\")",
      none);
  free(none);
  return err;
}

static enum err find_places(struct nvrtc *n, struct err_info *e) {
  if (!n->has_places)
    nvrtc_places_find(&n->places);
  n->has_places = true;
  return n->places.count ? ERR_OK : not_found(n, "", e);
}

// ---- The worker ----

// Bounds one wait: by the worker's processor time, and by the user. How long it
// takes on a crowded machine is nobody's limit.
struct patience {
  struct nvrtc *n;
  const struct nvrtc_request *request; // NULL: nobody can cancel
  double deadline_s;
  double start_cpu_s; // the worker's processor time when the wait began
  double last_cpu_s;  // and when it was last seen to move: `moved_s`
  double moved_s;
};

static double worker_cpu_s(const struct nvrtc *n) {
  return (double)process_cpu_ns(n->process.pid) * 1e-9;
}

static struct patience new_patience(struct nvrtc *n,
                                    const struct nvrtc_request *r,
                                    double deadline_s) {
  double cpu = worker_cpu_s(n);
  return (struct patience){n, r, deadline_s, cpu, cpu, clock_s()};
}

// ERR_TIMEOUT: it had its processor time; ERR_NOT_READY: it stands still.
static enum err go_on_waiting(void *context) {
  struct patience *p = context;
  const struct nvrtc_request *r = p->request;
  progress_look();
  if (r && r->is_cancelled && r->is_cancelled(r->context))
    return ERR_CANCELLED;
  double cpu = worker_cpu_s(p->n), now = clock_s();
  if (cpu - p->start_cpu_s >= p->deadline_s)
    return ERR_TIMEOUT;
  if (cpu != p->last_cpu_s)
    p->moved_s = now;
  p->last_cpu_s = cpu;
  return now - p->moved_s < p->n->standstill_s ? ERR_OK : ERR_NOT_READY;
}

static enum err start_worker(struct nvrtc *n, struct err_info *e) {
  enum err err = find_places(n, e);
  if (err)
    return err;
  const struct nvrtc_place *place = &n->places.places[n->place];
  struct hello_head head = {n->without_landlock};
  struct wire_part parts[HELLO_FOLDERS + 1 + NVRTC_MAX_INCLUDES] = {
      [HELLO_HEAD] = {&head, sizeof head},
      [HELLO_LIBRARY] = wire_text(place->library),
  };
  uint32_t count = HELLO_FOLDERS;
  if (n->headers) // in front: the host's <stdio.h> is not for kernels
    parts[count++] = wire_text(n->headers);
  for (int i = 0; i < place->include_count; i++)
    parts[count++] = wire_text(place->includes[i]);
  return nvrtc_process_start(&n->process, n->program, parts, count, e);
}

static enum err say_standstill(struct nvrtc *n, struct err_info *e) {
  nvrtc_process_stop(&n->process);
  return err_set(e, ERR_IO,
                 "the compiler got no processor time on this machine for %g s "
                 "and was stopped",
                 n->standstill_s);
}

// A running worker that has said READY; goes on to the next place when a
// library cannot be used.
static enum err get_worker(struct nvrtc *n, const struct nvrtc_request *r,
                           struct err_info *e) {
  for (;;) {
    nvrtc_process_check(&n->process);
    enum err err = n->process.pid ? ERR_OK : start_worker(n, e);
    if (err)
      return err;
    struct patience p = new_patience(n, r, start_deadline_s);
    err = nvrtc_process_ready(&n->process, go_on_waiting, &p, e);
    if (err == ERR_IO)
      err = nvrtc_process_autopsy(&n->process, e);
    else if (err == ERR_NOT_READY || err == ERR_TIMEOUT)
      err = say_standstill(n, e);
    if (err == ERR_NOT_FOUND) {
      nvrtc_process_stop(&n->process);
      if (n->place + 1 == n->places.count &&
          !nvrtc_places_find_more(&n->places)) {
        char *why = xstrdup(e ? e->text : "");
        not_found(n, why, e);
        free(why);
        return err;
      }
      n->place++;
      free(n->identity); // another compiler, other keys
      n->identity = NULL;
      continue;
    }
    if (err != ERR_NOT_READY) // which left, idle, just now
      return err;
  }
}

// Are there more threads that want to run than the machine can serve soon?
static bool is_crowded(void) {
  int running = 0;
  FILE *f = fopen("/proc/loadavg", "re");
  if (!f)
    return false;
  if (fscanf(f, "%*f %*f %*f %d", &running) != 1)
    running = 0;
  fclose(f);
  return running > 4 * sysconf(_SC_NPROCESSORS_ONLN);
}

// On a crowded machine (a class that starts its prompts at once) a worker that
// may not be needed, since the cache may have all, is in the others' way.
void nvrtc_warm_up(struct nvrtc *n) {
  if (is_crowded() || pthread_mutex_trylock(&n->lock))
    return; // or it is being used, so it is warm
  nvrtc_process_check(&n->process);
  if (!n->process.pid)
    start_worker(n, NULL);
  pthread_mutex_unlock(&n->lock);
}

void nvrtc_reap(struct nvrtc *n) {
  if (pthread_mutex_trylock(&n->lock))
    return; // whoever uses it looks, too
  nvrtc_process_check(&n->process);
  pthread_mutex_unlock(&n->lock);
}

static enum err send_request(struct nvrtc *n, const struct nvrtc_request *r,
                             const struct compile_head *head) {
  struct wire_part *parts = xcalloc(
      (size_t)(COMPILE_OPTIONS + r->option_count + r->instantiate_count),
      sizeof *parts);
  uint32_t count = COMPILE_OPTIONS;
  parts[COMPILE_HEAD] = (struct wire_part){head, sizeof *head};
  parts[COMPILE_SOURCE] = wire_text(r->source);
  parts[COMPILE_FILE] = wire_text(r->file);
  for (int i = 0; i < r->option_count; i++)
    parts[count++] = wire_text(r->options[i]);
  for (int i = 0; i < r->instantiate_count; i++)
    parts[count++] = wire_text(r->instantiate[i]);
  enum err err = wire_send(n->process.fd, WIRE_COMPILE, parts, count);
  free(parts);
  return err;
}

static bool is_result(const struct wire_frame *f,
                      const struct nvrtc_request *r) {
  if (f->kind != WIRE_RESULT || f->count < RESULT_NAMES ||
      f->parts[RESULT_HEAD].bytes != sizeof(struct result_head))
    return false;
  const struct result_head *h = f->parts[RESULT_HEAD].data;
  bool is_ok = h->err == ERR_OK;
  return h->err >= 0 && h->err < ERR_COUNT &&
         (!is_ok || f->count == RESULT_NAMES + (uint32_t)r->instantiate_count);
}

static bool has_no_memory(const struct wire_frame *f) {
  const struct result_head *h = f->parts[RESULT_HEAD].data;
  return h->err == ERR_NOMEM;
}

// One exchange with a worker that is there. ERR_NOT_READY: it left before it
// took the request, so another may be asked; ERR_INTERNAL: it died; ERR_IO: it
// stood still; ERR_NOMEM: it had no memory left, and is gone either way.
static enum err exchange(struct nvrtc *n, const struct nvrtc_request *r,
                         const struct compile_head *head,
                         struct wire_frame *out, struct err_info *e) {
  struct patience p = new_patience(n, r, n->deadline_s);
  struct progress progress;
  progress_begin(&progress, "compiling", 0);
  enum err err = send_request(n, r, head);
  if (!err)
    err = wire_receive(n->process.fd, out, go_on_waiting, &p);
  progress_end(&progress);
  if (!err && !is_result(out, r)) {
    wire_free(out);
    err = ERR_PROTOCOL;
  }
  if (!err && !has_no_memory(out))
    return ERR_OK;
  if (!err) {
    wire_free(out);
    nvrtc_process_stop(&n->process);
    return nvrtc_process_no_memory(e);
  }
  if (err == ERR_IO)
    return nvrtc_process_autopsy(&n->process, e);
  if (err == ERR_NOT_READY)
    return say_standstill(n, e);
  nvrtc_process_stop(&n->process);
  if (err == ERR_TIMEOUT)
    return err_set(e, err,
                   "the compiler took more than %g s of processor time for "
                   "this source and was stopped",
                   n->deadline_s);
  if (err == ERR_CANCELLED)
    return err_set(e, err, "the compile was stopped");
  return err_set(e, ERR_INTERNAL, "the compiler's answer makes no sense");
}

// A worker that died may have been killed from outside, as by a machine short
// of memory: the same work is done again, once, by a fresh one. So it is where
// the worker's memory was used up, which other sources had it before. The limit of
// its processor time counts each compile alone, and is no such death.
static enum err ask_worker(struct nvrtc *n, const struct nvrtc_request *r,
                           const struct compile_head *head,
                           struct wire_frame *out, struct err_info *e) {
  bool has_failed = false;
  for (int attempt = 0; attempt < 4; attempt++) {
    enum err err = get_worker(n, r, e);
    if (!err)
      err = exchange(n, r, head, out, e);
    if (err == ERR_CANCELLED)
      err_set(e, err, "the compile was stopped");
    bool is_failure = err == ERR_INTERNAL || err == ERR_IO || err == ERR_NOMEM;
    if (err != ERR_NOT_READY && (!is_failure || has_failed))
      return err;
    has_failed |= is_failure;
  }
  return err_set(e, ERR_INTERNAL, "the compiler keeps leaving");
}

// ---- Requests ----

static bool read_arch(const char *text, struct compile_head *head) {
  const char *digits = text ? strchr(text, '_') : NULL;
  if (!digits || (!str_starts(text, "sm_") && !str_starts(text, "compute_")))
    return false;
  char *end;
  long number = strtol(digits + 1, &end, 10);
  if (number < 10 || number > 999)
    return false;
  head->arch = (int32_t)number;
  head->suffix = *end == 'a' || *end == 'f' ? *end++ : 0;
  return !*end;
}

static enum err check_request(const struct nvrtc_request *r,
                              struct compile_head *head, struct err_info *e) {
  *head = (struct compile_head){.want_ptx = r->want_ptx,
                                .no_ptxas = r->want_ptx && r->no_ptxas,
                                .option_count = r->option_count,
                                .name_count = r->instantiate_count};
  if (strlen(r->source) > MAX_SOURCE_BYTES)
    return err_set(e, ERR_ARGUMENT, "the source has %zu bytes; at most %d MiB",
                   strlen(r->source), MAX_SOURCE_BYTES >> 20);
  if (!read_arch(r->arch, head))
    return err_set(e, ERR_ARGUMENT,
                   "\"%s\" is no architecture; one looks like sm_90",
                   r->arch ? r->arch : "");
  if (r->instantiate_count < 0 || r->instantiate_count > MAX_INSTANTIATIONS)
    return err_set(e, ERR_ARGUMENT, "%d instantiations; at most %d are made",
                   r->instantiate_count, MAX_INSTANTIATIONS);
  return nvrtc_check_options(r->options, r->option_count, e);
}

// ---- Results ----

static enum err say_first(const struct nvrtc_program *p, const char *file,
                          struct err_info *e) {
  for (int i = 0; i < p->diagnostic_count; i++) {
    const struct nvrtc_diagnostic *d = &p->diagnostics[i];
    if (d->severity == NVRTC_ERROR)
      return err_set_at(e, ERR_COMPILE, d->file, d->line, d->column, "%s%s%s",
                        d->text, d->hint ? "; " : "", d->hint ? d->hint : "");
  }
  return err_set_at(e, ERR_COMPILE, file, 0, 0,
                    "the compiler refused the source and did not say why");
}

static void set_arch(struct nvrtc_program *p, const struct result_head *h) {
  char suffix[2] = {h->suffix, 0};
  snprintf(p->arch, sizeof p->arch, "sm_%d%s", (int)h->arch % 1000, suffix);
}

static bool take_code(struct nvrtc_program *p, const struct wire_frame *f,
                      bool want_ptx) {
  const struct wire_part *ptx = &f->parts[RESULT_PTX];
  const struct wire_part *cubin = &f->parts[RESULT_CUBIN];
  p->is_ptx = want_ptx || !cubin->bytes;
  const struct wire_part *code = p->is_ptx ? ptx : cubin;
  size_t bytes = p->is_ptx ? strlen(code->data) : code->bytes;
  p->code = bytes ? try_malloc(bytes + 1) : NULL;
  if (!p->code)
    return false;
  memcpy(p->code, code->data, bytes);
  ((char *)p->code)[bytes] = 0;
  p->code_bytes = bytes;
  return true;
}

static enum err make_program(struct nvrtc *n, const struct nvrtc_request *r,
                             const struct wire_frame *f,
                             struct nvrtc_program *p, struct err_info *e) {
  const struct result_head *h = f->parts[RESULT_HEAD].data;
  const char *text = f->parts[RESULT_TEXT].data;
  const char *lowered[MAX_INSTANTIATIONS + 1];
  snprintf(p->version, sizeof p->version, "%d.%d", n->process.ready.major,
           n->process.ready.minor);
  p->diagnostic_count =
      nvrtc_log_parse(f->parts[RESULT_LOG].data, f->parts[RESULT_LOG].bytes,
                      r->file, r->source, &p->diagnostics);
  set_arch(p, h);
  if (h->err == ERR_COMPILE)
    return say_first(p, r->file, e);
  if (h->err)
    return err_set(e, (enum err)h->err, "%s", text);
  if (!take_code(p, f, r->want_ptx))
    return err_set(e, ERR_NOMEM, "no memory for the compiled code");
  for (int i = 0; i < r->instantiate_count; i++)
    lowered[i] = f->parts[RESULT_NAMES + i].data;
  nvrtc_fill_kernels(p, r, lowered, f->parts[RESULT_PTX].data,
                     f->parts[RESULT_CUBIN].data, f->parts[RESULT_CUBIN].bytes);
  return ERR_OK;
}

// Keeps what `*out` may hold for this outcome: code, or diagnostics.
static enum err compile_anew(struct nvrtc *n, const struct nvrtc_request *r,
                             const struct compile_head *head, const char *key,
                             struct nvrtc_program **out, struct err_info *e) {
  struct wire_frame f;
  enum err err = ask_worker(n, r, head, &f, e);
  if (err)
    return err;
  struct nvrtc_program *p = xcalloc(1, sizeof *p);
  err = make_program(n, r, &f, p, e);
  wire_free(&f);
  snprintf(p->key, sizeof p->key, "%s", key);
  if (err && err != ERR_COMPILE) {
    nvrtc_program_free(p);
    return err;
  }
  *out = p;
  return err;
}

static enum err compile_locked(struct nvrtc *n, const struct nvrtc_request *r,
                               const struct compile_head *head,
                               struct nvrtc_program **out, struct err_info *e) {
  char key[NVRTC_KEY_BYTES];
  enum err err = find_places(n, e);
  if (err)
    return err;
  if (!n->identity)
    n->identity = nvrtc_identity(&n->places.places[n->place], n->headers);
  nvrtc_make_key(n->identity, r, key);
  if (!r->no_cache)
    *out = nvrtc_cache_find(n->cache, key);
  if (*out) {
    (*out)->is_cached = true;
    return ERR_OK;
  }
  char *identity = xstrdup(n->identity);
  err = compile_anew(n, r, head, key, out, e);
  // A place that turned out to be unusable changed the identity on the way.
  bool is_same = n->identity && !strcmp(identity, n->identity);
  free(identity);
  if (!err && !r->no_cache && is_same)
    nvrtc_cache_keep(n->cache, *out);
  return err;
}

// A name that is safe to show and to hand to the compiler.
static char *shown_name(const char *file) {
  struct str s = STR_INIT;
  nvrtc_add_printable(&s, file, strnlen(file, 200));
  return str_take(&s);
}

enum err nvrtc_compile(struct nvrtc *n, const struct nvrtc_request *request,
                       struct nvrtc_program **out, struct err_info *e) {
  struct nvrtc_request r = *request;
  struct compile_head head;
  double start = clock_s();
  *out = NULL;
  char *file = shown_name(r.file && *r.file ? r.file : "kernel.cu");
  r.file = file;
  enum err err = check_request(&r, &head, e);
  if (!err) {
    pthread_mutex_lock(&n->lock);
    err = compile_locked(n, &r, &head, out, e);
    pthread_mutex_unlock(&n->lock);
  }
  free(file);
  if (*out)
    (*out)->compile_ms = (clock_s() - start) * 1e3;
  return err;
}

// For who asks about NVRTC alone: the list, not how to do without.
static enum err say_searched(const struct nvrtc *n, struct err_info *e) {
  char *list = xstrdup(n->places.searched.data);
  for (char *p = list; *p; p++)
    if (*p == '\n')
      *p = p[1] ? ' ' : 0;
  char *none = no_nvrtc();
  err_set(e, ERR_NOT_FOUND, "%s. Searched: %.700s", none, list);
  free(none);
  free(list);
  return ERR_NOT_FOUND;
}

enum err nvrtc_find(struct nvrtc *n, struct nvrtc_found *out,
                    struct err_info *e) {
  *out = (struct nvrtc_found){0};
  pthread_mutex_lock(&n->lock);
  enum err err = get_worker(n, NULL, e);
  if (!err) {
    const struct nvrtc_place *place = &n->places.places[n->place];
    snprintf(out->library, sizeof out->library, "%s", place->library);
    snprintf(out->include, sizeof out->include, "%s",
             place->include_count ? place->includes[0] : "");
    out->major = n->process.ready.major;
    out->minor = n->process.ready.minor;
    out->has_landlock = n->process.ready.has_landlock;
  } else if (!n->places.count) {
    err = say_searched(n, e);
  }
  pthread_mutex_unlock(&n->lock);
  return err;
}
