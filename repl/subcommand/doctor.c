// SPDX-License-Identifier: Apache-2.0
// warpshop doctor: each part of the machine, found or missing, and the way out
// of what is missing. What may hang (a sick driver) is tried in a child that is
// given up after a while.
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/landlock.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "cluster/cluster.h"
#include "gpu/nvrtc/nvrtc.h"
#include "grade/course/course.h"
#include "lua/bind/state/bind.h"
#include "repl/command/command.h"
#include "repl/lesson/lesson.h"
#include "repl/shop.h"
#include "repl/tui/tui.h"

enum { PROBE_S = 20, MIN_FREE_MB = 200, BESIDE = 22 };

enum verdict { FINE, LESS, MISSING };

struct report {
  struct shop *s;
  int missing; // parts without which nothing runs
  bool has_nvrtc;
  int nvrtc_major;
  bool has_device;
};

// ---- Printing ----

static void say(struct report *r, enum verdict v, const char *part,
                const char *fmt, ...) __attribute__((format(printf, 4, 5)));

// Behind the two columns; a terminal's lines are broken at words under them.
static void print_beside(const struct screen *s, char *text) {
  struct str out = STR_INIT;
  for (char *p = text; s->is_terminal && (p = strchr(p, '\n'));)
    *p = MARK_BREAK;
  if (s->is_terminal)
    screen_wrap(s, text, BESIDE, &out);
  else
    str_addf(&out, "%s\n", text);
  fputs(out.data, stdout);
  str_free(&out);
}

static void say(struct report *r, enum verdict v, const char *part,
                const char *fmt, ...) {
  static const char *const marks[] = {MESSAGE("ok     "), MESSAGE("note   "),
                                      MESSAGE("MISSING")};
  static const enum style styles[] = {STYLE_PLAIN, STYLE_TITLE, STYLE_ERROR};
  char text[1500];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  struct str said = STR_INIT;
  message_report(text, &said);
  screen_print(&r->s->screen, styles[v], message(marks[v]));
  printf("  %-12s ", part);
  print_beside(&r->s->screen, said.data);
  str_free(&said);
  fflush(stdout);
  r->missing += v == MISSING;
}

// The first line of a small file, or "".
static void first_line(const char *path, char *out, size_t bytes) {
  FILE *f = fopen(path, "re");
  out[0] = 0;
  if (f && fgets(out, (int)bytes, f))
    out[strcspn(out, "\n")] = 0;
  if (f)
    fclose(f);
}

// ---- The compiler ----

static void check_program(struct report *r) {
  char *path = file_device_program();
  if (path)
    say(r, FINE, "device", "%s", path);
  else
    say(r, MISSING, "device",
        "warpshop-device is not beside this program: run make, or make "
        "install again");
  free(path);
  path = file_learner_program();
  if (!path)
    say(r, LESS, "learner",
        "warpshop-learner is not beside this program, so exercises in Lua "
        "cannot be judged: run make, or make install again");
  free(path);
}

static void check_nvrtc(struct report *r) {
  struct nvrtc *n;
  struct nvrtc_found found;
  struct err_info e = {0};
  if (nvrtc_open(NULL, &n, &e)) {
    say(r, MISSING, "NVRTC", "%s", e.text);
    return;
  }
  char *way = nvrtc_way();
  if (nvrtc_find(n, &found, &e))
    say(r, MISSING, "NVRTC", "%s%s%s", e.text, strstr(e.text, way) ? "" : "; ",
        strstr(e.text, way) ? "" : way);
  else
    say(r, FINE, "NVRTC", "%d.%d, %s, headers in %s", found.major, found.minor,
        found.library, found.include);
  free(way);
  r->has_nvrtc = !e.code;
  r->nvrtc_major = e.code ? 0 : found.major;
  nvrtc_close(n);
}

static void check_landlock(struct report *r) {
  long abi = syscall(SYS_landlock_create_ruleset, NULL, 0,
                     LANDLOCK_CREATE_RULESET_VERSION);
  if (abi > 0)
    say(r, FINE, "Landlock", "version %ld confines the compiler", abi);
  else
    say(r, LESS, "Landlock",
        "not in this kernel (Linux 5.13 and later have it): the compiler is "
        "confined by seccomp alone");
}

// ---- The GPU ----

static void check_driver(struct report *r) {
  char text[200];
  first_line("/proc/driver/nvidia/version", text, sizeof text);
  if (text[0])
    say(r, FINE, "driver", "%s", text);
  else if (!access("/dev/nvidiactl", F_OK))
    say(r, FINE, "driver", "NVIDIA's device files are here");
  else
    say(r, LESS, "driver",
        "no NVIDIA driver: kernels run on the virtual GPU, which needs none");
}

// Where GPUs are on other machines.
static void check_cluster(struct report *r) {
  char *job = login_job(), *line = NULL;
  if (job) {
    say(r, FINE, "Slurm", "this is job %s", job);
  } else if (login_is_here()) {
    line = login_line();
    say(r, LESS, "Slurm",
        line ? "this is a cluster's login node, without a GPU; this gets one: "
               "%s"
             : "this is a cluster's login node, without a GPU, and sinfo names "
               "no partition with GPUs",
        line);
  }
  free(line);
  free(job);
}

static bool can_open(const char *path) {
  int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0)
    close(fd);
  return fd >= 0;
}

static void check_nodes(struct report *r) {
  int found = 0;
  for (int i = 0; i < 64; i++) {
    char path[32];
    snprintf(path, sizeof path, "/dev/nvidia%d", i);
    if (access(path, F_OK))
      continue;
    found++;
    if (!can_open(path))
      say(r, LESS, "GPU",
          "%s cannot be opened (%s): you may not be in the group that may "
          "use it (ls -l %s)",
          path, strerror(errno), path);
  }
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  if (found && visible)
    say(r, FINE, "GPU", "CUDA_VISIBLE_DEVICES=%s chooses among them", visible);
}

static void check_mig(struct report *r) {
  DIR *folder = opendir("/proc/driver/nvidia/capabilities");
  int parts = 0;
  for (int gpu = 0; folder && gpu < 64; gpu++) {
    char path[80];
    snprintf(path, sizeof path, "/proc/driver/nvidia/capabilities/gpu%d/mig",
             gpu);
    DIR *mig = opendir(path);
    for (struct dirent *de; mig && (de = readdir(mig));)
      parts += str_starts(de->d_name, "gi");
    if (mig)
      closedir(mig);
  }
  if (folder)
    closedir(folder);
  if (parts)
    say(r, FINE, "MIG",
        "%d instances; CUDA_VISIBLE_DEVICES=MIG-... chooses one "
        "(nvidia-smi -L)",
        parts);
}

// ---- A kernel on each device ----

static const char probe[] =
    "local id = ...\n"
    "cuda.select(id)\n"
    "local d = cuda.device()\n"
    "local k = cuda.kernel('__global__ void probe(int *a) "
    "{ a[threadIdx.x] = 41 + threadIdx.x; }')\n"
    "local a = np.zeros(2, 'i32')\n"
    "k[{1, 2}](a)\n"
    "assert(a[1] == 42, 'the kernel gave a wrong result')\n"
    "return string.format('%s, %s, %d multiprocessors, %.1f GiB, %.1f free; "
    "a kernel ran', d.name, d.arch, d.attributes.multiprocessor_count, "
    "d.total_memory / 2^30, d.free_memory / 2^30)\n";

// In the child: runs the probe and writes what came of it.
static void run_probe(const char *id, int out) {
  struct err_info e = {0};
  struct bind_options options = {.device = id, .deadline_s = PROBE_S};
  lua_State *L = bind_new(&options, &e);
  const char *text = e.text;
  int code = EXIT_FAILED;
  if (L) {
    luaL_loadbufferx(L, probe, sizeof probe - 1, "=[warpshop] probe", "t");
    lua_pushstring(L, id);
    code = bind_pcall(L, 1, 1) == LUA_OK ? EXIT_PASSED : EXIT_FAILED;
    text = luaL_tolstring(L, -1, NULL);
  }
  if (write(out, text, strcspn(text, "\n")) < 0)
    code = EXIT_FAILED;
  if (L)
    bind_close(L);
  _exit(code);
}

// Reads until the writer ends; false when that took too long.
static bool read_with_limit(int fd, struct str *out, double seconds) {
  double end = clock_s() + seconds;
  for (;;) {
    double left = end - clock_s();
    struct pollfd in = {.fd = fd, .events = POLLIN};
    if (left <= 0 || poll(&in, 1, (int)(left * 1000) + 1) == 0)
      return false;
    char buffer[512];
    ssize_t n = read(fd, buffer, sizeof buffer);
    if (n <= 0)
      return n == 0;
    str_add_bytes(out, buffer, (size_t)n);
  }
}

// A process that hangs in a driver may not die of SIGKILL either, so it is
// waited for only a moment.
static bool reap(pid_t child, bool ended) {
  int status = 0;
  if (!ended) {
    kill(child, SIGKILL);
    for (int i = 0; i < 20 && waitpid(child, &status, WNOHANG) == 0; i++)
      usleep(50000);
    return false;
  }
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_PASSED;
}

static void check_device(struct report *r, const char *id) {
  int ends[2];
  struct str text = STR_INIT;
  if (!r->has_nvrtc) {
    say(r, LESS, id, "no kernel was tried: NVRTC compiles them");
    return;
  }
  fflush(stdout);
  if (pipe2(ends, O_CLOEXEC))
    return;
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    run_probe(id, ends[1]);
  }
  close(ends[1]);
  bool ended = child > 0 && read_with_limit(ends[0], &text, PROBE_S + 10.0);
  bool fine = child > 0 && reap(child, ended);
  close(ends[0]);
  if (fine)
    say(r, FINE, id, "%s", text.data);
  else
    say(r, LESS, id, "%s",
        ended ? text.data
              : "it does not answer: the driver may be stuck (nvidia-smi, "
                "dmesg | grep -i nvrm); --device virtual:0 works without it");
  r->has_device |= fine;
  str_free(&text);
}

static void check_devices(struct report *r) {
  for (int i = 0; i < 16; i++) {
    char path[32], id[16];
    snprintf(path, sizeof path, "/dev/nvidia%d", i);
    snprintf(id, sizeof id, "cuda:%d", i);
    if (!access(path, F_OK))
      check_device(r, id);
  }
  check_device(r, "virtual:0");
}

// ---- The rest ----

static void check_terminal(struct report *r) {
  const char *term = getenv("TERM");
  if (!isatty(STDOUT_FILENO))
    say(r, FINE, "terminal", "none: output is plain text");
  else
    say(r, FINE, "terminal", "%s, %d columns, %s", term ? term : "unknown",
        r->s->screen.columns,
        r->s->screen.has_colour ? "colours" : "plain text");
}

static void check_yama(struct report *r) {
  char text[16];
  first_line("/proc/sys/kernel/yama/ptrace_scope", text, sizeof text);
  if (text[0] && text[0] != '0')
    say(r, FINE, "ptrace",
        "scope %s: processes of yours cannot look into each other", text);
  else
    say(r, LESS, "ptrace",
        "your programs may look into each other's memory; on a shared machine "
        "set kernel.yama.ptrace_scope=1");
}

static void check_folder(struct report *r, enum xdg which, const char *name,
                         const char *what) {
  struct err_info e = {0};
  struct statvfs fs;
  char *path = file_xdg(which);
  if (!path) {
    say(r, LESS, name, "no home folder: %s are not kept", what);
    return;
  }
  if (file_make_folder(path, &e) || access(path, W_OK)) {
    say(r, LESS, name, "%s cannot be written: %s are not kept", path, what);
  } else if (!statvfs(path, &fs)) {
    unsigned long long mb = (unsigned long long)fs.f_bavail * fs.f_frsize >> 20;
    say(r, mb < MIN_FREE_MB ? LESS : FINE, name, "%s, %llu MB free%s", path, mb,
        mb < MIN_FREE_MB ? ": the disk is nearly full" : "");
  }
  free(path);
}

static void check_lessons(struct report *r) {
  struct course *c;
  struct lesson_index index = {0};
  struct err_info e = {0};
  if (course_in_use(&c, &e) || lesson_index_of(c, &index, &e))
    say(r, MISSING, "lessons", "%s", e.text);
  else
    say(r, FINE, "lessons", "%d of the course %s, in %s", index.count, c->name,
        c->folder);
  lesson_index_free(&index);
  course_free(c);
}

int sub_doctor(struct shop *s, int argc, char **argv) {
  struct report r = {.s = s};
  (void)argv;
  if (argc > 1) {
    shop_say("usage: warpshop doctor");
    return EXIT_USAGE;
  }
  check_program(&r);
  check_nvrtc(&r);
  check_landlock(&r);
  check_driver(&r);
  check_cluster(&r);
  check_nodes(&r);
  check_mig(&r);
  check_devices(&r);
  check_lessons(&r);
  check_terminal(&r);
  check_yama(&r);
  check_folder(&r, XDG_CACHE, "cache", "compiled kernels");
  check_folder(&r, XDG_STATE, "history", "lines that you typed");
  check_folder(&r, XDG_DATA, "progress", "lessons and exercises done");
  if (r.has_nvrtc)
    device_families(s, r.nvrtc_major);
  bool works = r.has_device && !r.missing;
  shop_print(s, "%s",
             works ? message("Lessons can run.")
                   : message("Lessons cannot run yet: see above."));
  return works ? EXIT_PASSED : EXIT_MACHINE;
}
