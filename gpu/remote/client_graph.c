// SPDX-License-Identifier: Apache-2.0
// Stream capture and graphs over the ring. Begin and what is captured are
// queued; the end is answered.
#include "gpu/remote/client.h"

static enum err capture_begin(struct gpu_device *d, gpu_handle stream,
                              struct err_info *e) {
  return remote_queue(REMOTE(d), REMOTE_OP_CAPTURE_BEGIN, ARGS(stream), e);
}

static enum err capture_end(struct gpu_device *d, gpu_handle stream,
                            gpu_handle *graph, struct err_info *e) {
  return remote_make(d, REMOTE_OP_CAPTURE_END, ARGS(stream), NO_TAIL, graph, e);
}

static enum err graph_launch(struct gpu_device *d, gpu_handle graph,
                             gpu_handle stream, struct err_info *e) {
  return remote_queue(REMOTE(d), REMOTE_OP_GRAPH_LAUNCH, ARGS(graph, stream),
                      e);
}

static enum err graph_upload(struct gpu_device *d, gpu_handle graph,
                             gpu_handle stream, struct err_info *e) {
  return remote_queue(REMOTE(d), REMOTE_OP_GRAPH_UPLOAD, ARGS(graph, stream),
                      e);
}

static enum err graph_update(struct gpu_device *d, gpu_handle graph,
                             const struct gpu_launch *l, struct err_info *e) {
  return remote_send_launch(REMOTE(d), REMOTE_OP_GRAPH_UPDATE, l, graph, e);
}

static enum err graph_destroy(struct gpu_device *d, gpu_handle graph,
                              struct err_info *e) {
  return remote_queue(REMOTE(d), REMOTE_OP_GRAPH_DESTROY, ARGS(graph), e);
}

const struct gpu_graphs remote_graphs = {
    .capture_begin = capture_begin,
    .capture_end = capture_end,
    .launch = graph_launch,
    .upload = graph_upload,
    .update = graph_update,
    .destroy = graph_destroy,
};
