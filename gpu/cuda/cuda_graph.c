// SPDX-License-Identifier: Apache-2.0
// Graphs of a real GPU, by stream capture (CUDA driver API, "Graph Management";
// CUDA programming guide, "Creating a Graph Using Stream Capture").
//
// The mode of the capture is "relaxed": this thread alone uses the driver, and
// all that comes between begin and end was asked for by the program. Stricter
// modes forbid calls which might wait for a capture of another thread; the one
// such call that does come in between, pinning host memory for a captured copy,
// waits for nothing.
#include "gpu/cuda/cuda_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/cuda/cuda_destroy.h"

struct cuda_graph {
  void *graph, *exec; // CUgraph, CUgraphExec; NULL while it is captured
  struct kernel_node {
    uint32_t number; // gpu_launch.node
    void *node;      // CUgraphNode
  } * kernels;
  uint32_t count, capacity;
  // Addresses of guarded arrays that its kernels reach: their canaries are
  // looked at after each launch.
  gpu_ptr *reached;
  uint32_t reached_count;
};

static void free_own(struct cuda_graph *g) {
  if (!g)
    return;
  free(g->kernels);
  free(g->reached);
  free(g);
}

int cuda_graph_free(struct cuda_device *c, struct cuda_graph *g) {
  int status = g->exec ? c->cu->graph_exec_destroy(g->exec) : CUDA_OK;
  int second = g->graph ? c->cu->graph_destroy(g->graph) : CUDA_OK;
  free_own(g);
  return status ? status : second;
}

void cuda_graphs_close(struct cuda_device *c) {
  free_own(c->capture);
  for (uint32_t i = 1; i < c->object_count; i++)
    if (c->objects[i].kind == OBJECT_GRAPH)
      free_own(c->objects[i].driver);
  for (uint32_t i = 0; i < c->freed_count; i++)
    if (c->freed[i].kind == OBJECT_GRAPH)
      free_own(c->freed[i].driver);
}

// ---- Capture ----

static enum err capture_begin(struct gpu_device *d, gpu_handle stream,
                              struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  void *s;
  enum err err = cuda_get_stream(c, stream, &s, e);
  if (err)
    return err;
  if (!s)
    return err_set(e, ERR_ARGUMENT, "the default stream cannot be captured");
  if (c->capture)
    return err_set(e, ERR_ARGUMENT, "a stream is being captured already");
  err = cuda_device_fail(c, c->cu->capture_begin(s, CUDA_CAPTURE_RELAXED),
                         "capturing", e);
  if (!err)
    c->capture = xcalloc(1, sizeof *c->capture);
  return err;
}

static void note_reached(struct cuda_device *c, struct cuda_graph *g,
                         const struct gpu_launch *l) {
  for (size_t at = 0; at + sizeof(gpu_ptr) <= l->param_bytes;
       at += sizeof(gpu_ptr)) {
    gpu_ptr p;
    uint32_t i = 0;
    memcpy(&p, (const char *)l->params + at, sizeof p);
    while (i < g->reached_count && g->reached[i] != p)
      i++;
    if (i < g->reached_count || !cuda_memory_has_canary(&c->memory, p))
      continue;
    g->reached = xrealloc(g->reached, (i + 1) * sizeof *g->reached);
    g->reached[g->reached_count++] = p;
  }
}

// What was captured last on a stream is what its next node will depend on.
int cuda_graph_note(struct cuda_device *c, const struct gpu_launch *l,
                    void *stream) {
  struct cuda_graph *g = c->capture;
  int is_capturing;
  uint64_t id;
  void *graph, *const *last;
  size_t count = 0;
  note_reached(c, g, l);
  if (!c->cu->capture_info)
    return CUDA_OK; // an old driver: its graphs are not updated
  int status =
      c->cu->capture_info(stream, &is_capturing, &id, &graph, &last, &count);
  if (status || count != 1)
    return status;
  if (g->count == g->capacity) {
    g->capacity = g->capacity ? 2 * g->capacity : 16;
    g->kernels = xrealloc(g->kernels, g->capacity * sizeof *g->kernels);
  }
  g->kernels[g->count++] = (struct kernel_node){l->node, last[0]};
  return CUDA_OK;
}

static enum err capture_end(struct gpu_device *d, gpu_handle stream,
                            gpu_handle *graph, struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  struct cuda_graph *g = c->capture;
  void *s;
  if (!g)
    return err_set(e, ERR_ARGUMENT, "no stream is being captured");
  enum err err = cuda_get_stream(c, stream, &s, e);
  if (err)
    return err;
  c->capture = NULL;
  int status = c->cu->capture_end(s, &g->graph);
  if (!status)
    status = c->cu->graph_instantiate(&g->exec, g->graph, 0);
  if (status) {
    cuda_graph_free(c, g);
    return cuda_device_fail(c, status, "making a graph", e);
  }
  *graph = cuda_add_object(c, OBJECT_GRAPH, g);
  return ERR_OK;
}

// ---- Graphs ----

static enum err find(struct cuda_device *c, gpu_handle graph,
                     struct cuda_graph **out, struct err_info *e) {
  struct object *o;
  enum err err = cuda_get_object(c, OBJECT_GRAPH, graph, &o, e);
  if (!err)
    *out = o->driver;
  return err;
}

static enum err graph_launch(struct gpu_device *d, gpu_handle graph,
                             gpu_handle stream, struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  struct cuda_graph *g;
  void *s;
  enum err err = find(c, graph, &g, e);
  if (!err)
    err = cuda_get_stream(c, stream, &s, e);
  if (err)
    return err;
  cuda_memory_touch(&c->memory, g->reached,
                    g->reached_count * sizeof *g->reached);
  c->is_busy = true;
  return cuda_device_fail(c, c->cu->graph_launch(g->exec, s),
                          "launching a graph", e);
}

static enum err graph_upload(struct gpu_device *d, gpu_handle graph,
                             gpu_handle stream, struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  struct cuda_graph *g;
  void *s;
  enum err err = find(c, graph, &g, e);
  if (!err)
    err = cuda_get_stream(c, stream, &s, e);
  if (err)
    return err;
  c->is_busy = true;
  return cuda_device_fail(c, c->cu->graph_upload(g->exec, s),
                          "uploading a graph", e);
}

static enum err graph_update(struct gpu_device *d, gpu_handle graph,
                             const struct gpu_launch *l, struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  struct object *o;
  struct cuda_graph *g;
  void *params[GPU_MAX_PARAMS];
  uint32_t i = 0;
  enum err err = cuda_get_object(c, OBJECT_FUNCTION, l->function, &o, e);
  if (!err)
    err = find(c, graph, &g, e);
  if (err)
    return err;
  while (i < g->count && g->kernels[i].number != l->node)
    i++;
  if (i == g->count || !c->cu->graph_set_kernel)
    return err_set(e, ERR_UNSUPPORTED,
                   "this driver cannot change node %u of the graph: capture "
                   "it again",
                   l->node);
  struct cuda_kernel_node n = {
      .function = o->driver,
      .grid = {l->grid[0], l->grid[1], l->grid[2]},
      .block = {l->block[0], l->block[1], l->block[2]},
      .shared_bytes = l->shared_bytes,
      .params = params,
  };
  for (uint32_t p = 0; p < o->function->param_count; p++)
    params[p] = (char *)l->params + o->function->params[p].offset;
  note_reached(c, g, l);
  return cuda_device_fail(
      c, c->cu->graph_set_kernel(g->exec, g->kernels[i].node, &n),
      "changing a node of a graph", e);
}

static enum err destroy(struct gpu_device *d, gpu_handle graph,
                        struct err_info *e) {
  struct object *o;
  enum err err = cuda_get_object(DEVICE(d), OBJECT_GRAPH, graph, &o, e);
  return err ? err : cuda_destroy(DEVICE(d), o, e);
}

const struct gpu_graphs cuda_graphs = {
    .capture_begin = capture_begin,
    .capture_end = capture_end,
    .launch = graph_launch,
    .upload = graph_upload,
    .update = graph_update,
    .destroy = destroy,
};
