// SPDX-License-Identifier: Apache-2.0
// Files: whole reads, replacement that a crash cannot tear, XDG folders, and
// where warpshop's own files lie.
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

// Reads a whole regular file of at most `max_bytes`; `*data` gets a zero behind
// its bytes and is freed by the caller. ERR_IO names the path and the reason,
// ERR_ARGUMENT says that there are more bytes.
enum err file_read(const char *path, size_t max_bytes, char **data,
                   size_t *bytes, struct err_info *e);

// The same of a file that is open; `name` is for errors.
enum err file_read_open(int fd, const char *name, size_t max_bytes, char **data,
                        size_t *bytes, struct err_info *e);
// The same of whatever can be read to its end: a pipe, a terminal.
enum err file_read_stream(int fd, const char *name, size_t max_bytes,
                          char **data, size_t *bytes, struct err_info *e);

// What a folder holds, by name in order, without what begins with a dot; none
// where it cannot be read. Freed with file_names_free.
char **file_names(const char *folder, int *count);
void file_names_free(char **names, int count);

// Writes all of it, whatever signals come meanwhile. False: it did not; errno
// has the reason.
bool file_write_all(int fd, const void *data, size_t bytes);

// For files of the program's own: writes through a temporary file in the same
// folder, fsync and rename: the path holds either the old bytes or the new
// ones. Mode 0600. Whatever was at the path is gone, a link or a device, too.
enum err file_replace(const char *path, const void *data, size_t bytes,
                      struct err_info *e);
// The same, for what is of no use after a power cut: nothing waits for the disk.
enum err file_replace_unsynced(const char *path, const void *data, size_t bytes,
                               struct err_info *e);

// For paths that a user names: the same, with `mode`, where there is nothing
// or a regular file; anything else (a device, a FIFO, a link) is written into.
enum err file_write(const char *path, const void *data, size_t bytes,
                    unsigned mode, struct err_info *e);

// Would that fail, as far as one can know before? ERR_IO says why. Nothing is
// written or opened.
enum err file_check_write(const char *path, struct err_info *e);

// Do both paths lead to one file that is there? A device is no file here.
bool file_is_same(const char *a, const char *b);

// mkdir -p with mode 0700.
enum err file_make_folder(const char *path, struct err_info *e);

enum xdg { XDG_CACHE, XDG_STATE, XDG_DATA, XDG_CONFIG, XDG_RUNTIME };

// The folder "<XDG folder>/warpshop" by the XDG Base Directory rules (relative
// values are ignored, defaults under $HOME); XDG_RUNTIME falls back to a 0700
// folder of ours under $TMPDIR. Nothing is made. NULL when there is no home
// folder either. The caller frees it.
char *file_xdg(enum xdg which);

// The file at `path` counts as the running executable from here on: for a library of
// ours in another program, whose executable is that program's. NULL: the executable again.
void file_set_program(const char *path);
// Is that so: is /proc/self/exe another's program?
bool file_is_library(void);
// That path, or the system's of the executable; NULL where it does not say. The caller
// frees it.
char *file_program(void);

// The path of a file that came with the running executable: in the source tree
// that it was built in, else in <prefix>/share/warpshop beside its bin folder.
// NULL when it is in neither. The caller frees it.
char *file_beside_program(const char *relative);

// The path of a file that belongs to the program, such as "lessons/index" or
// "lua/README.md": in $WARPSHOP_HOME alone where that is set, else
// file_beside_program's. NULL when it is not there. The caller frees it.
char *file_own(const char *relative);

// The path of the program warpshop-device: beside the running executable, or
// in <prefix>/libexec/warpshop. NULL when it is in neither.
char *file_device_program(void);
// The same of warpshop-learner.
char *file_learner_program(void);

// The Python that files of ours are run with: of the virtual environment that is
// active, else "python3", for PATH. The caller frees it.
char *file_python(void);

// The name of a file system that other machines share, by statfs's number: "NFS";
// locks there are lost, or kept when they should not be. NULL: it is none of those.
const char *file_network_name(unsigned long type);

#endif
