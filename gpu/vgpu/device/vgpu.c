// SPDX-License-Identifier: Apache-2.0
// The virtual GPU as a back end of gpu/gpu.h: handles, the queue of work, and
// how failures reach the host.
//
// Theory of operation. One thread of the device takes work from one queue, in
// order; streams are names for places in it, so work of different streams never
// overlaps. The caller's thread checks every request before it is queued and
// never waits for it. Work whose end is near (copies of little, launches of
// few instructions without a loop) it does itself where the queue is empty: to
// wake the device's thread, and to be woken, takes several times as long.
// Memory that is given back stays until the work queued before has been done.
#include "gpu/vgpu/device/device.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "gpu/capability.h"
#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/count/count.h"
#include "gpu/vgpu/device/vgpu_array.h"
#include "gpu/vgpu/device/vgpu_graph.h"
#include "gpu/vgpu/device/vgpu_memory.h"
#include "gpu/vgpu/device/vgpu_module.h"
#include "gpu/vgpu/device/vgpu_stream.h"
#include "gpu/vgpu/grid/grid.h"
#include "gpu/vgpu/machine/machine.h"
#include "gpu/vgpu/slice/slice.h"
#include "gpu/vgpu/tier/tier.h"

static const uint64_t DEFAULT_MEMORY = UINT64_C(4) << 30;

// ---- The device's thread ----

static uint8_t *bytes_at(struct vg_device *d, gpu_ptr p, struct vg_alloc **a,
                         uint64_t *offset) {
  *a = vg_slot(&d->memory, p >> VG_SLOT_BITS);
  *offset = p & (VG_WINDOW(1) - 1);
  return (*a)->data + *offset;
}

static void do_copy_in(struct vg_device *d, const struct work *k) {
  struct vg_alloc *a;
  uint64_t at;
  uint8_t *to = bytes_at(d, k->to, &a, &at);
  memcpy(to, k->host_from, k->bytes);
  vg_define_whole(a, at, k->bytes);
}

static void do_copy_on(struct vg_device *d, const struct work *k) {
  struct vg_alloc *from, *to;
  uint64_t from_at, to_at;
  const uint8_t *f = bytes_at(d, k->from, &from, &from_at);
  uint8_t *t = bytes_at(d, k->to, &to, &to_at);
  memmove(t, f, k->bytes);
  vg_copy_defined(to, to_at, from, from_at, k->bytes);
  vg_on_host_copy(&d->memory, to, to_at, from, from_at, k->bytes);
}

static void do_set(struct vg_device *d, const struct work *k) {
  struct vg_alloc *a;
  uint64_t at;
  uint8_t *p = bytes_at(d, k->to, &a, &at);
  uint16_t half = (uint16_t)k->value;
  if (k->width == 1)
    memset(p, (int)(k->value & 0xFF), k->bytes);
  else
    for (size_t n = 0; n < k->bytes; n++)
      if (k->width == 2)
        memcpy(p + n * 2, &half, 2);
      else
        memcpy(p + n * 4, &k->value, 4);
  vg_define_whole(a, at, k->bytes * k->width);
}

static void keep_failure(struct vg_device *d, enum err err, const char *text) {
  if (d->has_failed)
    return;
  d->has_failed = true;
  d->failure = err;
  snprintf(d->failure_text, sizeof d->failure_text, "%s", text);
}

static const char *access_word(int32_t access) {
  return access == GPU_READ    ? "read"
         : access == GPU_WRITE ? "write"
                               : "atomic access";
}

// One sentence for poll's error: the finding itself says all.
static void describe(const struct gpu_finding *f, char *out, size_t size) {
  char place[200] = "", what[160], name[80] = "";
  if (f->at.line)
    snprintf(place, sizeof place, "%s:%d: ", f->file, f->at.line);
  if (f->at.access)
    snprintf(what, sizeof what, "%s: %s", err_kind((enum err)f->kind),
             access_word(f->at.access));
  else
    snprintf(what, sizeof what, "%s", err_kind((enum err)f->kind));
  if (f->variable[0])
    snprintf(name, sizeof name, " of %s", f->variable);
  snprintf(out, size, "%s%s%s, block (%u,%u,%u) thread (%u,%u,%u)%s%s", place,
           what, name, f->at.block[0], f->at.block[1], f->at.block[2],
           f->at.thread[0], f->at.thread[1], f->at.thread[2],
           f->text[0] ? ": " : "", f->text);
}

static void keep_findings(struct vg_device *d) {
  if (!vg_findings_count(d->findings)) // nothing runs any more
    return;
  struct gpu_finding *new = xcalloc(MAX_FINDINGS, sizeof *new);
  int count = vg_findings_take(d->findings, new, MAX_FINDINGS);
  pthread_mutex_lock(&d->lock);
  if (count && new[0].severity == GPU_ERROR) {
    char text[512];
    describe(&new[0], text, sizeof text);
    keep_failure(d, (enum err) new[0].kind, text);
  }
  for (int i = 0; i < count && d->kept_count < MAX_FINDINGS; i++)
    d->kept[d->kept_count++] = new[i];
  pthread_mutex_unlock(&d->lock);
  free(new);
}

// The copy of a large array comes in pieces: one finding is enough.
static void keep_finding(struct vg_device *d, const struct gpu_finding *f) {
  char text[512];
  pthread_mutex_lock(&d->lock);
  int n = 0;
  while (n < d->kept_count &&
         (d->kept[n].kind != f->kind || d->kept[n].base != f->base ||
          d->kept[n].severity != f->severity ||
          d->kept[n].at.line != f->at.line))
    n++;
  if (n == d->kept_count && n < MAX_FINDINGS)
    d->kept[d->kept_count++] = *f;
  if (f->severity == GPU_ERROR) {
    describe(f, text, sizeof text);
    keep_failure(d, (enum err)f->kind, text);
  }
  pthread_mutex_unlock(&d->lock);
}

static void do_copy_out(struct vg_device *d, const struct work *k) {
  struct vg_alloc *a;
  struct gpu_finding f;
  uint64_t at;
  memcpy(k->host_to, bytes_at(d, k->from, &a, &at), k->bytes);
  if (vg_on_host_read(&d->memory, k->from, k->bytes, k->host_to, &f))
    keep_finding(d, &f);
}

void vg_grid_free(struct vg_grid *g) {
  vg_counts_free(g->counts);
  vg_record_free(g->record);
  vg_slice_free(g->slice);
  vg_placement_free(g->placement);
  free(g);
}

static void keep_counts(struct vg_device *d, const struct vg_grid *g) {
  bool is_cut = atomic_load(&g->is_abandoned) || atomic_load(&d->is_cancelled);
  pthread_mutex_lock(&d->lock);
  vg_count_book_add(&d->book, g, is_cut);
  pthread_mutex_unlock(&d->lock);
}

// The device keeps that of its last launch.
static void keep_placement(struct vg_device *d, struct vg_grid *g) {
  pthread_mutex_lock(&d->lock);
  struct vg_placement *before = d->placement;
  d->placement = g->placement;
  g->placement = before;
  pthread_mutex_unlock(&d->lock);
}

// The block's variables, by which addresses in shared memory have names.
static void name_shared(const struct vg_grid *g, struct gpu_requests *out) {
  uint32_t at = 0, base, bytes;
  while (at < g->total_shared && out->shared_count < GPU_REQUEST_SHARED) {
    const char *name = vg_shared_name(g, at, &base, &bytes);
    if (name && bytes && base >= at) {
      uint32_t n = out->shared_count++;
      snprintf(out->shared[n].name, sizeof out->shared[n].name, "%s", name);
      out->shared[n].base = VG_WINDOW(VG_SLOT_SHARED) + base;
      out->shared[n].bytes = bytes;
    }
    at = name && bytes && base + bytes > at ? base + bytes : at + 4;
  }
}

// The device keeps that of the last launch that was recorded.
static void keep_record(struct vg_device *d, struct vg_grid *g) {
  struct gpu_requests *what = &g->record->what;
  what->launch = g->number;
  memcpy(what->grid, g->launch.grid, sizeof what->grid);
  memcpy(what->block, g->launch.block, sizeof what->block);
  name_shared(g, what);
  pthread_mutex_lock(&d->lock);
  struct vg_record *before = d->record;
  d->record = g->record;
  g->record = before;
  pthread_mutex_unlock(&d->lock);
}

static void keep_work(struct vg_device *d, struct vg_grid *g) {
  pthread_mutex_lock(&d->lock);
  d->work.all += atomic_load(&g->executed);
  d->work.prints += atomic_load(&g->prints);
  d->work.mistakes += atomic_load(&g->mistakes);
  d->work.cells += atomic_load(&g->cells);
  pthread_mutex_unlock(&d->lock);
}

static void set_running(struct vg_device *d, struct vg_grid *g) {
  pthread_mutex_lock(&d->lock);
  d->running = g;
  pthread_mutex_unlock(&d->lock);
}

// Blocks that have begun, of how many; 0 of 0: nothing runs.
static void progress(struct gpu_device *gpu, uint64_t blocks[2]) {
  struct vg_device *d = vg_own(gpu);
  pthread_mutex_lock(&d->lock);
  const struct vg_grid *g = d->running;
  blocks[1] = g ? g->block_count : 0;
  blocks[0] = g ? atomic_load(&g->next_block) : 0;
  if (blocks[0] > blocks[1]) // who found no more has counted, too
    blocks[0] = blocks[1];
  pthread_mutex_unlock(&d->lock);
}

static void do_launch(struct vg_device *d, struct work *k) {
  set_running(d, k->grid);
  vg_grid_run(k->grid);
  set_running(d, NULL);
  keep_work(d, k->grid);
  vg_output_end(&d->output);
  keep_findings(d);
  if (k->grid->counts)
    keep_counts(d, k->grid);
  if (k->grid->record)
    keep_record(d, k->grid);
  keep_placement(d, k->grid);
  if (atomic_load(&d->is_cancelled)) {
    pthread_mutex_lock(&d->lock);
    keep_failure(d, ERR_CANCELLED, "the kernel was stopped while it ran");
    pthread_mutex_unlock(&d->lock);
  }
  vg_grid_free(k->grid);
}

static void do_event(struct vg_device *d, const struct work *k) {
  pthread_mutex_lock(&d->lock);
  k->event->done = k->stamp;
  k->event->ms = clock_s() * 1e3;
  pthread_mutex_unlock(&d->lock);
}

static void do_work(struct vg_device *d, struct work *k) {
  switch (k->kind) {
  case WORK_COPY_IN: do_copy_in(d, k); break;
  case WORK_COPY_OUT: do_copy_out(d, k); break;
  case WORK_COPY_ON: do_copy_on(d, k); break;
  case WORK_SET: do_set(d, k); break;
  case WORK_FREE:
    vg_alloc_free(&d->memory, vg_slot(&d->memory, k->to >> VG_SLOT_BITS), 0);
    break;
  case WORK_UNLOAD:
    vg_debug_leave(d, k->module);
    vg_module_rest(d, k->module);
    break;
  case WORK_LAUNCH: do_launch(d, k); break;
  case WORK_EVENT: do_event(d, k); break;
  case WORK_OBJECT_END: atomic_store(&k->object->is_live, false); break;
  case WORK_DEBUG_BEGIN:
  case WORK_DEBUG_COMMAND:
  case WORK_DEBUG_END: vg_debug_work(d, k); break;
  }
}

// What a cancelled piece of work still has to do: give back what it holds.
static void drop_work(struct vg_device *d, struct work *k) {
  if (k->kind == WORK_LAUNCH)
    vg_grid_free(k->grid);
  else if (k->kind == WORK_FREE || k->kind == WORK_UNLOAD ||
           k->kind == WORK_EVENT || k->kind == WORK_OBJECT_END)
    do_work(d, k);
  else if (k->kind >= WORK_DEBUG_BEGIN && k->kind <= WORK_DEBUG_END)
    vg_debug_drop_work(d, k);
}

static void *run_device(void *arg) {
  struct vg_device *d = arg;
  pthread_mutex_lock(&d->lock);
  for (;;) {
    while (!d->first && !d->is_closing)
      pthread_cond_wait(&d->wake, &d->lock);
    struct work *k = d->first;
    if (!k)
      break;
    d->first = k->next;
    if (!d->first)
      d->last = NULL;
    bool is_dropped = d->is_closing || k->number <= d->cancel_until;
    pthread_mutex_unlock(&d->lock);
    if (is_dropped)
      drop_work(d, k);
    else
      do_work(d, k);
    pthread_mutex_lock(&d->lock);
    d->done = k->number;
    if (d->done >= d->cancel_until)
      atomic_store(&d->is_cancelled, d->is_closing);
    free(k);
  }
  pthread_mutex_unlock(&d->lock);
  return NULL;
}

struct work *vg_work_new(enum work_kind kind) {
  struct work *k = xcalloc(1, sizeof *k);
  k->kind = kind;
  return k;
}

static bool is_short(const struct work *k) {
  enum { FEW_BYTES = 1 << 15 };
  switch (k->kind) {
  case WORK_COPY_IN:
  case WORK_COPY_OUT:
  case WORK_COPY_ON: return k->bytes <= FEW_BYTES;
  case WORK_SET: return k->bytes * k->width <= FEW_BYTES;
  case WORK_LAUNCH: return vg_grid_is_short(k->grid);
  default: return k->kind == WORK_EVENT;
  }
}

// Does it here and now, where all before it is done. Only the caller's thread
// queues work, so the device's thread has nothing to do meanwhile.
static bool do_now(struct vg_device *d, struct work *k) {
  if (!is_short(k))
    return false;
  pthread_mutex_lock(&d->lock);
  bool is_idle = d->done == d->queued && !d->is_closing;
  k->number = d->queued += is_idle;
  pthread_mutex_unlock(&d->lock);
  if (!is_idle)
    return false;
  do_work(d, k);
  pthread_mutex_lock(&d->lock);
  d->done = k->number;
  pthread_mutex_unlock(&d->lock);
  return true;
}

void vg_submit(struct vg_device *d, gpu_handle stream, struct work *k) {
  if (vg_capture_takes(d, k))
    return;
  if (do_now(d, k)) {
    d->stream_last[stream] = k->number;
    free(k);
    return;
  }
  pthread_mutex_lock(&d->lock);
  k->number = ++d->queued;
  if (d->last)
    d->last->next = k;
  else
    d->first = k;
  d->last = k;
  pthread_cond_signal(&d->wake);
  pthread_mutex_unlock(&d->lock);
  d->stream_last[stream] = d->queued;
}

// ---- Open, close, info ----

static int device_count(struct err_info *e) {
  (void)e;
  return gpu_virtual_count();
}

static void device_close(struct gpu_device *base) {
  if (!base)
    return;
  struct vg_device *d = vg_own(base);
  pthread_mutex_lock(&d->lock);
  d->is_closing = true;
  atomic_store(&d->is_cancelled, true);
  pthread_cond_signal(&d->wake);
  pthread_mutex_unlock(&d->lock);
  pthread_join(d->thread, NULL);
  vg_pool_free(d->pool);
  vg_tier_free(d->tier);
  vg_debug_leave(d, NULL);
  str_free(&d->answer.text);
  for (size_t i = 0; i < d->module_count; i++)
    vg_module_free(&d->memory, d->modules[i]);
  for (int i = 0; i < IDLE_MODULES; i++)
    vg_module_free(&d->memory, d->idle[i]);
  for (int i = 0; i < MAX_EVENTS; i++)
    free(d->events[i]);
  free(d->modules);
  free(d->functions);
  free(d->arrays);
  vg_graphs_close(d);
  vg_objects_close(&d->objects);
  vg_placement_free(d->placement);
  vg_record_free(d->record);
  vg_findings_free(d->findings);
  vg_output_close(&d->output);
  vg_memory_close(&d->memory);
  vg_count_book_close(&d->book);
  pthread_mutex_destroy(&d->lock);
  pthread_cond_destroy(&d->wake);
  free(d);
}

static enum err device_info(struct gpu_device *base,
                            struct gpu_device_info *out, struct err_info *e) {
  (void)e;
  struct vg_device *d = vg_own(base);
  memset(out, 0, sizeof *out);
  snprintf(out->name, sizeof out->name, "virtual GPU");
  snprintf(out->id, sizeof out->id, "virtual:%d", d->ordinal);
  snprintf(out->arch, sizeof out->arch, "compute_%u", d->capability->number);
  out->total_bytes = d->memory.limit_bytes;
  out->free_bytes = d->memory.limit_bytes - atomic_load(&d->memory.used_bytes);
  out->is_checked = true;
  const char *shared = getenv("WARPSHOP_SHARED_VIRTUAL"); // for tests
  if (shared && *shared)
    snprintf(out->uuid, sizeof out->uuid, "%s-%d", shared, d->ordinal);
  int64_t *a = out->attributes;
#define VALUE(name, value) a[GPU_ATTR_##name] = (value);
#include "gpu/vgpu/machine/attributes.def"
#undef VALUE
  return ERR_OK;
}

static enum err tell_info(struct gpu_device *base, struct gpu_device_info *out,
                          struct err_info *e) {
  struct str tier = STR_INIT;
  enum err err = device_info(base, out, e);
  vg_tier_tell(vg_own(base)->tier, &tier);
  snprintf(out->tier, sizeof out->tier, "%s", tier.data);
  str_free(&tier);
  return err;
}

static enum err device_open(int ordinal, const struct gpu_options *options,
                            struct gpu_device **out, struct err_info *e) {
  if (ordinal < 0 || ordinal >= device_count(e))
    return err_set(e, ERR_NOT_FOUND,
                   "virtual:%d does not exist: there are %d virtual GPUs, from "
                   "virtual:0 on (WARPSHOP_VIRTUAL_DEVICES sets how many)",
                   ordinal, device_count(e));
  uint32_t number = options ? options->capability : 0;
  const struct gpu_capability *capability = gpu_find_capability(number);
  char list[80];
  gpu_list_capabilities(list, sizeof list);
  if (!capability)
    return err_set(e, ERR_ARGUMENT,
                   "the virtual GPU has no compute capability %u.%u; it can "
                   "have %s",
                   number / 10, number % 10, list);
  struct vg_device *d = xcalloc(1, sizeof *d);
  d->backend = &gpu_virtual_backend;
  d->capability = capability;
  if (options)
    d->options = *options;
  uint64_t memory = d->options.memory_bytes;
  d->multiprocessors = d->options.multiprocessors ? d->options.multiprocessors
                                                  : DEFAULT_MULTIPROCESSORS;
  vg_memory_init(&d->memory, memory ? memory : DEFAULT_MEMORY,
                 (uint32_t)ordinal);
  vg_output_init(&d->output);
  vg_objects_init(&d->objects);
  str_init(&d->answer.text);
  d->findings = vg_findings_new();
  d->pool = vg_pool_new();
  pthread_mutex_init(&d->lock, NULL);
  pthread_cond_init(&d->wake, NULL);
  d->stream_used[0] = true;
  d->ordinal = ordinal;
  struct gpu_device_info info;
  device_info((struct gpu_device *)d, &info, NULL);
  gpu_occupancy_limits(info.attributes, &d->limits);
  d->tier = vg_tier_new();
  int failed = pthread_create(&d->thread, NULL, run_device, d);
  if (failed) {
    vg_pool_free(d->pool);
    vg_tier_free(d->tier);
    vg_findings_free(d->findings);
    vg_output_close(&d->output);
    vg_memory_close(&d->memory);
    vg_objects_close(&d->objects);
    free(d);
    return err_set(e, ERR_INTERNAL, "no thread for the virtual GPU: %s",
                   strerror(failed));
  }
  *out = (struct gpu_device *)d;
  return ERR_OK;
}

// ---- Launches ----

static enum err check_launch(struct vg_device *d, const struct gpu_launch *l,
                             const struct function *f, struct err_info *e) {
  struct gpu_device_info device;
  struct gpu_function_info info;
  device_info((struct gpu_device *)d, &device, NULL);
  vg_function_info(f->code, &info);
  enum err err = gpu_check_launch(&device, &info, l, e);
  if (err)
    return err;
  uint32_t fixed = vg_dynamic_shared_at(f->code);
  if (l->shared_bytes && (uint64_t)fixed + l->shared_bytes > f->max_dynamic)
    return err_set(e, ERR_LAUNCH,
                   "%u bytes of dynamic shared memory beside %u static ones: "
                   "above %d bytes the kernel must ask for them first",
                   l->shared_bytes, fixed, SHARED_STATIC);
  if (l->param_bytes < info.param_bytes)
    return err_set(e, ERR_LAUNCH, "%u bytes of parameters where %s takes %u",
                   l->param_bytes, f->code->func->name, info.param_bytes);
  return ERR_OK;
}

// All blocks of a cooperative launch must be there at once, to wait for each
// other; they count themselves in the workspace (cooperative_groups/details/
// driver_abi.h: its size, the count).
static enum err begin_cooperative(struct vg_device *d, struct vg_grid *g,
                                  struct err_info *e) {
  uint32_t each = vg_blocks_per_multiprocessor(g);
  uint64_t all = (uint64_t)each * g->multiprocessors;
  if (g->block_count > all)
    return err_set(e, ERR_LAUNCH,
                   "a cooperative launch of %" PRIu64 " blocks: all must be on "
                   "the device at once, and this one holds %" PRIu64
                   " of them (%" PRIu32 " multiprocessors, each %" PRIu32
                   "); launch fewer and let each do more",
                   g->block_count, all, g->multiprocessors, each);
  uint32_t bytes = 2 * sizeof(uint32_t);
  if (!d->workspace) {
    enum err err = vg_alloc_new(&d->memory, bytes, VG_ALLOC_VARIABLE, false,
                                &d->workspace, e);
    if (err)
      return err;
    vg_slot(&d->memory, d->workspace >> VG_SLOT_BITS)->name =
        "the workspace of grid.sync()";
  }
  g->workspace = d->workspace;
  return ERR_OK;
}

enum err vg_grid_new(struct vg_device *d, const struct gpu_launch *l,
                     struct vg_grid **out, struct err_info *e) {
  struct function *f = NULL;
  enum err err = vg_check_stream(d, l->stream, e);
  if (err || (err = vg_find_function(d, l->function, &f, e)) ||
      (err = check_launch(d, l, f, e)))
    return err;
  const struct ptx_func *func = f->code->func;
  struct vg_grid *g = xcalloc(1, sizeof *g);
  g->memory = &d->memory;
  g->objects = &d->objects;
  g->findings = d->findings;
  g->pool = d->pool;
  g->tier = d->tier;
  g->output = &d->output;
  g->is_cancelled = &d->is_cancelled;
  g->code = f->code;
  g->launch = *l;
  g->launch.params = g->params;
  if (func->param_bytes)
    memcpy(g->params, l->params, func->param_bytes);
  g->number = d->capture ? 0 : ++d->launches; // a captured one does not run
  g->block_count = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
  g->threads = l->block[0] * l->block[1] * l->block[2];
  g->static_shared = func->shared_bytes;
  g->shared_bytes = l->shared_bytes
                        ? vg_dynamic_shared_at(f->code) + l->shared_bytes
                        : func->shared_bytes;
  g->total_shared = g->shared_bytes;
  if (f->code->module->has_reserved) // behind the kernel's own
    g->shared_bytes = ((g->shared_bytes + 15) & ~15u) + VG_RESERVED_BYTES;
  g->budget = l->budget ? l->budget : VG_DEFAULT_BUDGET;
  g->grid_budget = l->grid_budget ? l->grid_budget : VG_DEFAULT_GRID_BUDGET;
  g->multiprocessors = d->multiprocessors;
  g->seed = d->options.schedule_seed;
  g->limits = d->limits;
  g->is_checked = !(l->flags & GPU_LAUNCH_UNCHECKED);
  if (l->flags & GPU_LAUNCH_COOPERATIVE && (err = begin_cooperative(d, g, e))) {
    free(g);
    return err;
  }
  if (l->flags & (GPU_LAUNCH_TRACE | GPU_LAUNCH_FEEDS))
    g->slice = vg_slice_new(g);
  if (l->flags & GPU_LAUNCH_COUNT)
    g->counts = vg_counts_new(f->code->module);
  if (g->counts && l->flags & GPU_LAUNCH_REQUESTS)
    g->record = vg_record_new();
  *out = g;
  return ERR_OK;
}

static enum err launch(struct gpu_device *base, const struct gpu_launch *l,
                       struct err_info *e) {
  struct vg_device *d = vg_own(base);
  struct vg_grid *g = NULL;
  enum err err = vg_grid_new(d, l, &g, e);
  if (err)
    return err;
  struct work *k = vg_work_new(WORK_LAUNCH);
  k->grid = g;
  g->placement = vg_placement_new(g);
  vg_submit(d, l->stream, k);
  return ERR_OK;
}

// ---- Poll, findings, cancel ----

static void print_output(struct vg_device *d) {
  struct str s = vg_output_take(&d->output);
  if (s.len && d->options.print)
    d->options.print(d->options.context, s.data, s.len);
  str_free(&s);
}

static enum err poll_stream(struct gpu_device *base, gpu_handle stream,
                            struct err_info *e) {
  struct vg_device *d = vg_own(base);
  if (stream != GPU_ALL_STREAMS) {
    enum err err = vg_check_stream(d, stream, e);
    if (err)
      return err;
  }
  print_output(d);
  pthread_mutex_lock(&d->lock);
  // The legacy default stream waits for all others.
  uint64_t until = stream == GPU_ALL_STREAMS || stream == 0
                       ? d->queued
                       : d->stream_last[stream];
  enum err err = d->done < until ? ERR_NOT_READY : ERR_OK;
  if (!err && d->has_failed) {
    err = d->failure;
    err_set(e, err, "%s", d->failure_text);
    d->has_failed = false;
  }
  pthread_mutex_unlock(&d->lock);
  if (err != ERR_NOT_READY)
    print_output(d); // what came before the last piece of work ended
  return err;
}

static int compare_severity(const void *x, const void *y) {
  const struct gpu_finding *a = x, *b = y;
  if (a->severity != b->severity)
    return a->severity < b->severity ? -1 : 1;
  return a->launch < b->launch ? -1 : a->launch > b->launch;
}

static int take_findings(struct gpu_device *base, struct gpu_finding *out,
                         int max) {
  struct vg_device *d = vg_own(base);
  pthread_mutex_lock(&d->lock);
  int n = 0;
  for (; n < d->kept_count && n < max; n++)
    out[n] = d->kept[n];
  // Each launch's are in order already; launches come one after the other.
  bool is_mixed = n && out[0].launch != out[n - 1].launch;
  d->kept_count = 0;
  pthread_mutex_unlock(&d->lock);
  if (is_mixed)
    qsort(out, (size_t)n, sizeof *out, compare_severity);
  return n;
}

static enum err take_counts(struct gpu_device *base, struct gpu_counts *out,
                            struct gpu_line_counts **lines,
                            struct err_info *e) {
  struct vg_device *d = vg_own(base);
  pthread_mutex_lock(&d->lock);
  *lines = NULL;
  bool is_there = vg_count_book_take(&d->book, out, lines);
  pthread_mutex_unlock(&d->lock);
  return is_there ? ERR_OK : err_set(e, ERR_NOT_FOUND, "no launch was counted");
}

static enum err take_work(struct gpu_device *base, struct gpu_work *out,
                          struct err_info *e) {
  struct vg_device *d = vg_own(base);
  (void)e;
  pthread_mutex_lock(&d->lock);
  *out = d->work;
  d->work = (struct gpu_work){0};
  pthread_mutex_unlock(&d->lock);
  return ERR_OK;
}

static enum err take_placement(struct gpu_device *base,
                               struct gpu_placement *out,
                               struct gpu_block_place **places,
                               struct err_info *e) {
  struct vg_device *d = vg_own(base);
  pthread_mutex_lock(&d->lock);
  struct vg_placement *p = d->placement;
  *places = p ? vg_placement_take(p, out) : NULL;
  pthread_mutex_unlock(&d->lock);
  return p ? ERR_OK
           : err_set(e, ERR_NOT_FOUND,
                     d->launches ? "the last launch had too many blocks for "
                                   "their places to be kept"
                                 : "nothing was launched yet");
}

static enum err take_requests(struct gpu_device *base, struct gpu_requests *out,
                              uint8_t **packed, struct err_info *e) {
  struct vg_device *d = vg_own(base);
  pthread_mutex_lock(&d->lock);
  struct vg_record *r = d->record;
  d->record = NULL;
  pthread_mutex_unlock(&d->lock);
  *packed = NULL;
  if (!r)
    return err_set(e, ERR_NOT_FOUND, "no launch was recorded");
  *out = r->what;
  *packed = r->packed;
  r->packed = NULL;
  vg_record_free(r);
  return ERR_OK;
}

static enum err cancel(struct gpu_device *base, struct err_info *e) {
  (void)e;
  struct vg_device *d = vg_own(base);
  pthread_mutex_lock(&d->lock);
  if (d->done < d->queued) {
    d->cancel_until = d->queued;
    atomic_store(&d->is_cancelled, true);
  }
  pthread_mutex_unlock(&d->lock);
  return ERR_OK;
}

const struct gpu_backend gpu_virtual_backend = {
    .name = "virtual",
    .count = device_count,
    .open = device_open,
    .close = device_close,
    .info = tell_info,
    .mem_alloc = vg_back_mem_alloc,
    .host_map = vg_back_host_map,
    .mem_free = vg_back_mem_free,
    .copy_in = vg_back_copy_in,
    .copy_out = vg_back_copy_out,
    .copy_on = vg_back_copy_on,
    .mem_set = vg_back_mem_set,
    .array_create = vg_array_create,
    .array_destroy = vg_array_destroy,
    .array_copy = vg_array_copy,
    .texture_create = vg_texture_create,
    .texture_destroy = vg_texture_destroy,
    .surface_create = vg_surface_create,
    .surface_destroy = vg_surface_destroy,
    .module_load = vg_back_module_load,
    .module_unload = vg_back_module_unload,
    .function_get = vg_back_function_get,
    .variable_get = vg_back_variable_get,
    .function_set_max_shared = vg_back_function_set_max_shared,
    .launch = launch,
    .stream_create = vg_back_stream_create,
    .stream_destroy = vg_back_stream_destroy,
    .event_create = vg_back_event_create,
    .event_destroy = vg_back_event_destroy,
    .event_record = vg_back_event_record,
    .event_poll = vg_back_event_poll,
    .event_elapsed = vg_back_event_elapsed,
    .stream_wait = vg_back_stream_wait,
    .graphs = &vg_graphs,
    .poll = poll_stream,
    .findings = take_findings,
    .counts = take_counts,
    .work = take_work,
    .placement = take_placement,
    .requests = take_requests,
    .cancel = cancel,
    .progress = progress,
    .debug_begin = vg_back_debug_begin,
    .debug_command = vg_back_debug_command,
    .debug_answer = vg_back_debug_answer,
    .debug_end = vg_back_debug_end,
};
