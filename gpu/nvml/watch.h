// SPDX-License-Identifier: Apache-2.0
// Surveys of all GPUs, made by a process of their own (warpshop-device).
#ifndef GPU_NVML_WATCH_H
#define GPU_NVML_WATCH_H

#include "gpu/nvml/survey.h"

struct nvml_watch;

// ERR_NOT_FOUND: warpshop-device is not there. That NVML is missing the surveys say.
enum err nvml_watch_open(struct nvml_watch **out, struct err_info *e);
void nvml_watch_close(struct nvml_watch *w); // NULL is fine
// Can be read when there is something to take; -1: the process is gone.
int nvml_watch_fd(const struct nvml_watch *w);
// Asks for a survey; nothing while one is on its way.
void nvml_watch_ask(struct nvml_watch *w);
// For how long the one that is on its way has been; 0: none is.
double nvml_watch_waits_s(const struct nvml_watch *w);
// Takes the survey that has come; false: it has not yet.
bool nvml_watch_take(struct nvml_watch *w, struct survey *out);
// The same, and waits for it so long.
bool nvml_watch_wait(struct nvml_watch *w, double seconds, struct survey *out);

// What warpshop-device does with its end of the socket; an exit status.
int nvml_serve(int fd);

#endif
