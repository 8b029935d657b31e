// SPDX-License-Identifier: Apache-2.0
// Which GPUs there are, without a library: device nodes and the driver's text files.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpu/nvml/nvml.h"

int nvml_count_nodes(void) {
  int count = 0;
  char path[32];
  while (count < 64) {
    snprintf(path, sizeof path, "/dev/nvidia%d", count);
    if (access(path, F_OK) != 0)
      break;
    count++;
  }
  return count;
}

int nvml_count_visible(void) {
  int nodes = 0;
  DIR *dev = opendir("/dev");
  for (struct dirent *de; dev && (de = readdir(dev));) {
    unsigned minor;
    char rest;
    nodes += sscanf(de->d_name, "nvidia%u%c", &minor, &rest) == 1;
  }
  if (dev)
    closedir(dev);
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  if (!visible || nodes == 0)
    return nodes;
  if (visible[0] == 0 || visible[0] == '-')
    return 0;
  int named = 1;
  for (const char *c = visible; *c; c++)
    named += *c == ',';
  return named < nodes ? named : nodes;
}

bool nvml_read_name(int ordinal, char *out, size_t bytes) {
  DIR *folder = opendir("/proc/driver/nvidia/gpus");
  int at = 0;
  bool found = false;
  for (struct dirent *de; folder && !found && (de = readdir(folder));) {
    char path[400], line[200];
    if (de->d_name[0] == '.' || at++ != ordinal)
      continue;
    snprintf(path, sizeof path, "/proc/driver/nvidia/gpus/%s/information",
             de->d_name);
    FILE *f = fopen(path, "re");
    while (f && !found && fgets(line, sizeof line, f)) {
      char name[128];
      if (sscanf(line, "Model: %127[^\n]", name) == 1) {
        snprintf(out, bytes, "%s", name);
        found = true;
      }
    }
    if (f)
      fclose(f);
  }
  if (folder)
    closedir(folder);
  return found;
}
