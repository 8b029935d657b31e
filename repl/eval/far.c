// SPDX-License-Identifier: Apache-2.0
// Devices on nodes of a cluster, for Lua: slurm:gpu=1,time=1:00:00.
#include "cluster/cluster.h"
#include "lua/bind/state/bind.h"
#include "repl/eval/eval.h"

static enum err open_node(const char *name, struct bind_far_device *out,
                          struct err_info *e) {
  struct slurm_node *n;
  enum err err = slurm_node_new(name, &n, e);
  if (!err)
    *out = (struct bind_far_device){slurm_node_device(n), slurm_node_command(n),
                                    n, slurm_node_limit_s(n)};
  return err;
}

static enum err open_tasks(const char *wish, int tasks, bool has_gpus,
                           const char *const *program,
                           struct bind_far_device *out, struct err_info *e) {
  struct slurm_node *n;
  enum err err = slurm_tasks_new(wish, tasks, has_gpus, program, &n, e);
  if (!err)
    *out = (struct bind_far_device){
        .command = slurm_node_command(n),
        .context = n,
        .limit_s = slurm_node_limit_s(n),
    };
  return err;
}

static void close_node(void *context) {
  slurm_node_free(context);
}

static void say_wait(void *context, char *text, size_t bytes) {
  slurm_node_say_wait(context, text, bytes);
}

const struct bind_far eval_far = {
    .is_name = slurm_node_is_name,
    .open = open_node,
    .open_tasks = open_tasks,
    .close = close_node,
    .say_wait = say_wait,
};
