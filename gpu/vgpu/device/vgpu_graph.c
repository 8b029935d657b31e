// SPDX-License-Identifier: Apache-2.0
// The back end's graphs: work that was queued while a stream was captured, kept
// in its order. One queue does the work of all streams, so that order is one
// that the streams allow, and a launch of the graph asks for each piece again:
// what was right when it was captured (memory, sizes, modules) is looked at
// anew.
#include "gpu/vgpu/device/vgpu_graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/vgpu/device/vgpu_memory.h"
#include "gpu/vgpu/grid/grid.h"

struct vg_graph {
  struct work *first, *last;
};

static void free_graph(struct vg_graph *g) {
  for (struct work *k = g ? g->first : NULL, *next; k; k = next) {
    next = k->next;
    if (k->kind == WORK_LAUNCH)
      vg_grid_free(k->grid);
    free(k);
  }
  free(g);
}

void vg_graphs_close(struct vg_device *d) {
  free_graph(d->capture);
  for (size_t i = 0; i < d->graph_count; i++)
    free_graph(d->graphs[i]);
  free(d->graphs);
}

static enum err find_graph(struct vg_device *d, gpu_handle h,
                           struct vg_graph **out, struct err_info *e) {
  if (h < 1 || h > d->graph_count || !d->graphs[h - 1])
    return err_set(e, ERR_ARGUMENT, "graph %" PRIu64 " does not exist", h);
  *out = d->graphs[h - 1];
  return ERR_OK;
}

// ---- Capture ----

static enum err capture_begin(struct gpu_device *base, gpu_handle stream,
                              struct err_info *e) {
  struct vg_device *d = vg_own(base);
  enum err err = vg_check_stream(d, stream, e);
  if (err)
    return err;
  if (!stream)
    return err_set(e, ERR_ARGUMENT, "the default stream cannot be captured");
  if (d->capture)
    return err_set(e, ERR_ARGUMENT, "a stream is being captured already");
  d->capture = xcalloc(1, sizeof *d->capture);
  return ERR_OK;
}

bool vg_capture_takes(struct vg_device *d, struct work *k) {
  struct vg_graph *g = d->capture;
  bool is_taken = g && (k->kind <= WORK_SET || k->kind == WORK_LAUNCH);
  if (!is_taken)
    return false;
  if (g->last)
    g->last->next = k;
  else
    g->first = k;
  g->last = k;
  return true;
}

static enum err capture_end(struct gpu_device *base, gpu_handle stream,
                            gpu_handle *graph, struct err_info *e) {
  struct vg_device *d = vg_own(base);
  (void)stream;
  if (!d->capture)
    return err_set(e, ERR_ARGUMENT, "no stream is being captured");
  d->graphs = xrealloc(d->graphs, (d->graph_count + 1) * sizeof *d->graphs);
  d->graphs[d->graph_count++] = d->capture;
  d->capture = NULL;
  *graph = d->graph_count;
  return ERR_OK;
}

// ---- Graphs ----

static enum err ask_again(struct gpu_device *base, const struct work *k,
                          gpu_handle stream, struct err_info *e) {
  struct gpu_fill fill;
  struct gpu_launch l;
  switch (k->kind) {
  case WORK_COPY_IN:
    return vg_back_copy_in(base, k->to, k->host_from, k->bytes, stream, e);
  case WORK_COPY_OUT:
    return vg_back_copy_out(base, k->host_to, k->from, k->bytes, stream, e);
  case WORK_COPY_ON:
    return vg_back_copy_on(base, k->to, k->from, k->bytes, stream, e);
  case WORK_SET:
    fill = (struct gpu_fill){.to = k->to,
                             .value = k->value,
                             .width = k->width,
                             .count = k->bytes,
                             .stream = stream};
    return vg_back_mem_set(base, &fill, e);
  default:
    l = k->grid->launch;
    l.stream = stream;
    return base->backend->launch(base, &l, e);
  }
}

static enum err graph_launch(struct gpu_device *base, gpu_handle graph,
                             gpu_handle stream, struct err_info *e) {
  struct vg_device *d = vg_own(base);
  struct vg_graph *g = NULL;
  enum err err = find_graph(d, graph, &g, e);
  for (struct work *k = err ? NULL : g->first; k && !err; k = k->next)
    err = ask_again(base, k, stream, e);
  return err;
}

static enum err graph_upload(struct gpu_device *base, gpu_handle graph,
                             gpu_handle stream, struct err_info *e) {
  struct vg_device *d = vg_own(base);
  struct vg_graph *g = NULL;
  enum err err = vg_check_stream(d, stream, e);
  return err ? err : find_graph(d, graph, &g, e); // nothing is far away
}

static enum err graph_update(struct gpu_device *base, gpu_handle graph,
                             const struct gpu_launch *l, struct err_info *e) {
  struct vg_graph *g = NULL;
  enum err err = find_graph(vg_own(base), graph, &g, e);
  if (err)
    return err;
  struct work *k = g->first;
  while (k && (k->kind != WORK_LAUNCH || k->grid->launch.node != l->node))
    k = k->next;
  if (!k || k->grid->launch.param_bytes != l->param_bytes)
    return err_set(e, ERR_ARGUMENT,
                   "node %" PRIu32 " is no kernel of that graph that takes "
                   "%" PRIu32 " bytes of parameters",
                   l->node, l->param_bytes);
  if (l->param_bytes)
    memcpy(k->grid->params, l->params, l->param_bytes);
  return ERR_OK;
}

static enum err destroy(struct gpu_device *base, gpu_handle graph,
                        struct err_info *e) {
  struct vg_device *d = vg_own(base);
  struct vg_graph *g = NULL;
  enum err err = find_graph(d, graph, &g, e);
  if (err)
    return err;
  d->graphs[graph - 1] = NULL;
  free_graph(g);
  return ERR_OK;
}

const struct gpu_graphs vg_graphs = {
    .capture_begin = capture_begin,
    .capture_end = capture_end,
    .launch = graph_launch,
    .upload = graph_upload,
    .update = graph_update,
    .destroy = destroy,
};
