# SPDX-License-Identifier: Apache-2.0
# warpshop's build: plain GNU make. `make help` lists
# what it can do.
VERSION := 0.1
BUILD ?= build
PREFIX ?= /usr/local
SAN ?=
CC ?= cc
PKG_CONFIG ?= pkg-config
PYTHON ?= python3

# What is linked: tools/setup.sh knows the names that distributions give them.
LUA := $(shell tools/setup.sh lua)
SHOP_PKGS := $(or $(LUA),lua5.4) libcmark jansson libsodium sqlite3 \
  fftw3 lapack blas zlib
DEVICE_PKGS := libseccomp libsodium
link = $(shell CC='$(CC)' PKG_CONFIG='$(PKG_CONFIG)' tools/link-flags.sh $(1))

# Where a library is missing, say so before the compiler does.
NEED_NONE := learn test dist test-dist test-deb clean help layers readmes format fuzz mutate mutate-sampled test-aarch64 test-tier-aarch64 %/find-nvrtc
ifneq ($(filter-out $(NEED_NONE),$(or $(MAKECMDGOALS),all)),)
ifneq ($(shell $(PKG_CONFIG) --exists $(SHOP_PKGS) $(DEVICE_PKGS) && echo yes),yes)
$(error A library that warpshop needs is not here: `tools/setup.sh packages` installs it)
endif
endif

CFLAGS ?= -O2 -g
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-missing-field-initializers
ALL_CFLAGS = -std=gnu11 $(WARN) -I. -D_GNU_SOURCE -DWARPSHOP_VERSION='"$(VERSION)"' \
  -fno-strict-aliasing -ffp-contract=off -pthread $(CFLAGS) $(SAN_FLAGS)
ifneq ($(SAN),)
BUILD := build-san
SAN_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
endif
PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(SHOP_PKGS) $(DEVICE_PKGS) 2>/dev/null)

# base and gpu make the device library; the rest is the shop.
GPU_SRC := $(filter-out gpu/remote/device_main.c,$(shell find base gpu -name '*.c'))
SHOP_SRC := $(filter-out repl/main.c grade/learner/learner_main.c lua/bind/np/np_fft_none.c,$(shell find cluster display kernels lua grade class repl -name '*.c'))
UNIT_SRC := $(wildcard tests/unit/*.c)
BENCH_SRC := $(wildcard bench/*.c)
objects = $(1:%.c=$(BUILD)/%.o)
GPU_LIB := $(BUILD)/libgpu.a
SHOP_LIB := $(BUILD)/libshop.a

.PHONY: all
all: $(BUILD)/warpshop $(BUILD)/warpshop-device $(BUILD)/warpshop-learner $(BUILD)/ptx-covered

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(PKG_CFLAGS) $(FILE_CFLAGS) -MMD -MP -c $< -o $@

# Lanes: -O3 and no trapping math, or the masked float loops stay scalar.
$(BUILD)/gpu/vgpu/%.o: FILE_CFLAGS := -O3 -fno-trapping-math -fno-math-errno
$(BUILD)/kernels/%.o: FILE_CFLAGS := -O3 -fno-trapping-math -fno-math-errno
# Loops over each byte of a file, and over each row.
$(BUILD)/lua/bind/frame/%.o $(BUILD)/lua/bind/ml/%.o: FILE_CFLAGS := -O3

# On x86-64 the hot files again for wider vectors; handlers.c chooses at run time.
ifeq ($(shell $(CC) -dumpmachine | cut -d- -f1),x86_64)
WIDE := $(foreach f,ops_alu ops_float ops_cvt ops_memory access,gpu/vgpu/ops/$(f))
WIDE_OBJECTS := $(WIDE:%=$(BUILD)/%.v3.o) $(WIDE:%=$(BUILD)/%.v4.o)
$(BUILD)/gpu/vgpu/code/handlers.o: FILE_CFLAGS += -DVG_HAS_WIDE
WIDE_LOOPS := $(foreach f,elementwise_float elementwise_integer cast choose inner range reduce,$(BUILD)/kernels/$(f))
WIDE_KERNELS := $(WIDE_LOOPS:%=%.v3.o) $(WIDE_LOOPS:%=%.v4.o)
$(WIDE_LOOPS:%=%.v3.o): FILE_CFLAGS := -O3 -fno-trapping-math -fno-math-errno -DKERNEL_WIDTH=_v3
$(WIDE_LOOPS:%=%.v4.o): FILE_CFLAGS := -O3 -fno-trapping-math -fno-math-errno -DKERNEL_WIDTH=_v4
$(BUILD)/kernels/width.o: FILE_CFLAGS += -DKERNELS_HAVE_WIDE
endif
$(BUILD)/%.v3.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(FILE_CFLAGS) -march=x86-64-v3 -DVG_ISA=_v3 -MMD -MP -c $< -o $@
$(BUILD)/%.v4.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(FILE_CFLAGS) -march=x86-64-v4 -mprefer-vector-width=512 -DVG_ISA=_v4 -MMD -MP -c $< -o $@

$(GPU_LIB): $(call objects,$(GPU_SRC)) $(WIDE_OBJECTS)
	@rm -f $@
	ar rcs $@ $^
$(SHOP_LIB): $(call objects,$(SHOP_SRC)) $(WIDE_KERNELS)
	@rm -f $@
	ar rcs $@ $^

# ---- Python's module ----

# What it links besides its own files fits into a shared library as well. The mark has
# objects of before that made again.
MODULE_SRC := $(filter-out gpu/vgpu/% gpu/cuda/% gpu/cupti/% gpu/nccl/%,$(GPU_SRC)) $(filter kernels/% lua/%,$(SHOP_SRC))
MODULE_OBJECTS := $(call objects,$(MODULE_SRC) lua/bind/np/np_fft_none.c) $(WIDE_KERNELS)
$(MODULE_OBJECTS): private ALL_CFLAGS += -fPIC -fvisibility=hidden
$(MODULE_OBJECTS): $(BUILD)/position-independent
$(BUILD)/position-independent:
	@mkdir -p $(@D) && touch $@
PYTHON_INCLUDE = $(shell $(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("include"))' 2>/dev/null)
PYTHON_SRC := $(wildcard python/*.c) lua/bind/np/np_fft_none.c
$(BUILD)/python/%.o: private FILE_CFLAGS = -fPIC -fvisibility=hidden -I$(PYTHON_INCLUDE)
PYTHON_MODULE := $(BUILD)/python/warpshop/_warpshop.abi3.so
PYTHON_FILES := $(patsubst python/%,$(BUILD)/python/%,$(wildcard python/warpshop/*.py))
# Neither FFTW nor anything of repl/: NVIDIA's libraries may share Python's process.
MODULE_PKGS := $(filter-out fftw3 libcmark jansson sqlite3,$(SHOP_PKGS))
$(PYTHON_MODULE): $(call objects,$(PYTHON_SRC)) $(SHOP_LIB) $(GPU_LIB)
	@mkdir -p $(@D)
	$(CC) -shared -o $@ $^ -Wl,--exclude-libs,ALL \
	  $(call link,--shared $(MODULE_PKGS)) -lm -ldl -pthread
$(BUILD)/python/warpshop/%.py: python/warpshop/%.py
	@mkdir -p $(@D) && cp $< $@
.PHONY: python
python: $(PYTHON_MODULE) $(PYTHON_FILES) $(BUILD)/warpshop-device
# For the tests: where Python has headers.
.PHONY: module
ifneq ($(filter module,$(MAKECMDGOALS)),)
module: $(if $(SAN),,$(if $(wildcard $(PYTHON_INCLUDE)/Python.h),python))
endif

# What pip installs, with what is found beside it.
PYTHON_SHARED = $(filter lua/% kernels/% language/% gpu/%,$(SHARED))
.PHONY: python-files
python-files: python
	@cd $(BUILD)/python/warpshop && for f in _warpshop.abi3.so *.py; do \
	  install -D -m 644 $$f $(PYTHON_TREE)/$$f || exit 1; done
	@install -D -m 755 $(BUILD)/warpshop-device $(PYTHON_TREE)/libexec/warpshop/warpshop-device
	@for f in $(PYTHON_SHARED); do install -D -m 644 $$f $(PYTHON_TREE)/share/warpshop/$$f || exit 1; done

# Readline's archive would need its terminal library named as well.
SHOP_LIBS = $(call link,$(SHOP_PKGS)) $(call link,--shared readline) -lm -ldl -pthread
DEVICE_LIBS = $(call link,$(DEVICE_PKGS)) -lm -ldl -pthread

$(BUILD)/warpshop: $(call objects,repl/main.c) $(SHOP_LIB) $(GPU_LIB)
	$(CC) $(SAN_FLAGS) -o $@ $(call objects,repl/main.c) $(SHOP_LIB) $(GPU_LIB) $(SHOP_LIBS)
$(BUILD)/warpshop-device: $(call objects,gpu/remote/device_main.c) $(GPU_LIB)
	$(CC) $(SAN_FLAGS) -o $@ $^ $(DEVICE_LIBS)

$(BUILD)/warpshop-learner: $(call objects,grade/learner/learner_main.c) $(SHOP_LIB) $(GPU_LIB)
	$(CC) $(SAN_FLAGS) -o $@ $(filter %.o,$^) $(SHOP_LIB) $(GPU_LIB) $(SHOP_LIBS) $(DEVICE_LIBS)

$(BUILD)/tests/unit/fuzz_corpus: $(call objects,$(filter-out %/targets.c,$(wildcard tests/fuzz/*.c)))
$(BUILD)/tests/unit/frame_csv: $(call objects,tests/fuzz/frame/fuzz_csv.c)
$(BUILD)/tests/unit/frame_arrow: $(call objects,tests/fuzz/frame/fuzz_arrow.c)
$(BUILD)/tests/unit/nvml: $(BUILD)/tests/unit/fake_nvml.so
$(BUILD)/tests/unit/nvml_survey: $(BUILD)/tests/unit/fake_nvml_top.so
$(BUILD)/tests/unit/grade_judge_rank: $(BUILD)/tests/unit/fake_nvml_beside.so
$(BUILD)/tests/unit/grade_judge_rank: private SAN_FLAGS += -Wl,--wrap=runner_run
$(BUILD)/tests/unit/grade_wrong: private SAN_FLAGS += -Wl,--wrap=runner_run
$(BUILD)/tests/unit/cuda_share: $(BUILD)/tests/unit/fake_libcuda.so
# A driver, by the name that libraries of Python's load it.
$(BUILD)/tests/unit/fake_libcuda.so: private CFLAGS += -Wl,-soname,libcuda.so.1
# A GPU that is none, and a CUPTI, for tests/cli/hardware.
$(BUILD)/tests/unit/cupti: $(BUILD)/tests/unit/fake_cupti.so $(BUILD)/tests/unit/fake_cupti_old.so $(BUILD)/tests/unit/fake_gpu
# GPUs that are none, as ranks of a group, and an NCCL, for tests/cli/comm.
$(BUILD)/tests/unit/nccl: $(BUILD)/tests/unit/fake_nccl.so $(BUILD)/tests/unit/fake_libcuda.so $(BUILD)/tests/unit/fake_nvml.so $(BUILD)/tests/unit/fake_ranks
$(BUILD)/tests/unit/fake_gpu $(BUILD)/tests/unit/fake_ranks: $(BUILD)/tests/unit/fake_%: $(BUILD)/tests/fixtures/fake_%.o $(GPU_LIB)
	$(CC) $(SAN_FLAGS) -o $@ $^ $(DEVICE_LIBS)
$(BUILD)/tests/unit/fake_%.so: tests/fixtures/fake_%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -shared -fPIC -o $@ $<
$(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(SHOP_LIB) $(GPU_LIB)
	$(CC) $(SAN_FLAGS) -o $@ $(filter %.o,$^) $(SHOP_LIB) $(GPU_LIB) $(SHOP_LIBS) $(DEVICE_LIBS) $(call link,--shared cmocka)
$(BUILD)/bench/%: $(BUILD)/bench/%.o $(SHOP_LIB) $(GPU_LIB)
	$(CC) $(SAN_FLAGS) -o $@ $< $(SHOP_LIB) $(GPU_LIB) $(SHOP_LIBS) $(DEVICE_LIBS)
# Counters beside Nsight Compute's: the PTX that the virtual GPU runs, and what
# ptxas makes of that very PTX.
COUNTERS := $(BUILD)/tests/gpu/counters
NVCC ?= $(firstword $(shell command -v nvcc) /usr/local/cuda/bin/nvcc)
$(COUNTERS)/driver: $(COUNTERS)/driver.o $(GPU_LIB)
	$(CC) $(SAN_FLAGS) -o $@ $^ $(DEVICE_LIBS)
$(COUNTERS)/kernels.ptx: tests/gpu/counters/kernels.cu
	@mkdir -p $(@D)
	$(NVCC) -ptx -lineinfo -arch=compute_80 -o $@ $<
$(COUNTERS)/kernels.cubin: $(COUNTERS)/kernels.ptx
	$(dir $(NVCC))ptxas -arch=$(or $(COUNTERS_ARCH),sm_90) -o $@ $<
.PHONY: counters
counters: $(COUNTERS)/driver $(COUNTERS)/kernels.ptx $(COUNTERS)/kernels.cubin
# For tools/setup.sh, which asks before any library is there.
$(BUILD)/find-nvrtc: $(call objects,tools/find_nvrtc.c gpu/nvrtc/toolkit/nvrtc_places.c $(wildcard base/*.c))
	$(CC) $(SAN_FLAGS) -o $@ $^
.PRECIOUS: $(BUILD)/%.o

# Every form of PTX that the virtual GPU runs has a test.
$(BUILD)/ptx-coverage: $(call objects,tools/ptx_coverage.c) $(GPU_LIB)
	$(CC) $(SAN_FLAGS) -o $@ $^ $(DEVICE_LIBS)
$(BUILD)/ptx-covered: $(BUILD)/ptx-coverage $(wildcard tests/ptx/*.ptx tests/ptx/made/*.ptx tests/fixtures/ptx-*.txt)
	@$(BUILD)/ptx-coverage --quiet && touch $@
.PHONY: ptx-coverage
ptx-coverage: $(BUILD)/ptx-coverage
	@$(BUILD)/ptx-coverage

$(BUILD)/tests/gpu/%: $(BUILD)/tests/gpu/%.o $(GPU_LIB)
	$(CC) $(SAN_FLAGS) -o $@ $^ $(DEVICE_LIBS)

.PHONY: units
units: $(UNIT_SRC:%.c=$(BUILD)/%) $(BUILD)/tests/unit/fake_libcuda.so $(BUILD)/tests/gpu/ptx_agree $(BUILD)/tools/site/site

# ---- The two commands ----

# What is missing is installed first, so the build proper is a second make. It
# says how long it took, unless there was nothing to do.
JOBS := $(shell nproc 2>/dev/null || echo 2)
# Programs that wait for a terminal or a server leave a processor to two more.
TEST_JOBS := $(shell expr $(JOBS) + 2)
second_make = $(MAKE) --no-print-directory -s $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS))
define build
+@$(second_make) -q $(1) 2>/dev/null || { from=$$(date +%s) && $(second_make) $(1) && \
  printf '  %-66s ... %d s\n' build $$(($$(date +%s) - from)) >&2; }
endef

.PHONY: learn test test-san check
learn:
	@tools/setup.sh packages
	$(call build,all)
	@tools/setup.sh nvrtc
	@$(BUILD)/warpshop learn
test:
	@tools/setup.sh packages tests
	$(call build,all units module)
	@tools/setup.sh nvrtc
	@BUILD=$(BUILD) JOBS=$(TEST_JOBS) tests/run
# What the change can have broken, in about a minute.
check:
	@BUILD=$(BUILD) tests/check
# Do the exercises judge rightly? All edits of their solutions, or PROVE_SAMPLE of
# each; NAMES of exercises, or all.
.PHONY: prove
prove: all
	@$(BUILD)/warpshop exercise prove $(NAMES) --jobs $(JOBS) $(if $(PROVE_SAMPLE),--sample $(PROVE_SAMPLE)) $(if $(PROVE_SEED),--seed $(PROVE_SEED))
# Are our own rules proven? Plants a mistake for each; AREA: those of one table.
.PHONY: mutate
mutate:
	@tests/mutate/run $(AREA)
# Mutants drawn from the syntax trees: COUNT by SEED, of AREA or all; AGAIN=1 tries only
# those that survived, WITH="PROGRAM..." with these programs. tests/mutate/sample/README.md.
.PHONY: mutate-sampled
mutate-sampled:
	@python3 tests/mutate/sample/main.py --jobs $(JOBS) $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT)) \
	  $(if $(AREA),--area $(AREA)) $(if $(AGAIN),--again) $(if $(WITH),--with $(WITH))
# The same tests under AddressSanitizer and UBSan.
test-san:
	@$(MAKE) --no-print-directory SAN=1 test

# The engine's tests as static programs, which an emulator can run; CMOCKA_LIBS
# is then an archive. tests/aarch64/run builds that and calls this.
ENGINE_TESTS := $(filter vgpu_% ptx_%,$(UNIT_SRC:tests/unit/%.c=%)) fuzz_corpus arena file finding_text finding_unset gpu
$(BUILD)/engine/fuzz_corpus: $(call objects,$(filter-out %/targets.c,$(wildcard tests/fuzz/*.c)))
$(BUILD)/engine/%: $(BUILD)/tests/unit/%.o $(GPU_LIB)
	@mkdir -p $(@D)
	$(CC) $(SAN_FLAGS) -static -o $@ $(filter %.o,$^) $(GPU_LIB) $(DEVICE_LIBS) $(or $(CMOCKA_LIBS),-lcmocka)
.PHONY: engine-tests test-aarch64
engine-tests: $(ENGINE_TESTS:%=$(BUILD)/engine/%)
test-aarch64:
	@tests/aarch64/run

# Compiled code beside the interpreter: all of tests/ptx, where there is a libLLVM; and
# what is said of each planted mistake.
.PHONY: test-tier
test-tier: all $(BUILD)/tests/unit/vgpu_tier
	@TIER_ALL=1 $(BUILD)/tests/unit/vgpu_tier
	@WARPSHOP_TIER=0 MISTAKES_TELL=1 $(BUILD)/warpshop run tests/mistakes/run.lua >$(BUILD)/mistakes-0.txt
	@for after in 0 1 2 7; do \
	  WARPSHOP_TIER=always WARPSHOP_TIER_AFTER=$$after MISTAKES_TELL=1 \
	    $(BUILD)/warpshop run tests/mistakes/run.lua >$(BUILD)/mistakes-always.txt && \
	    cmp $(BUILD)/mistakes-0.txt $(BUILD)/mistakes-always.txt || exit 1; done
	@echo "Every planted mistake is told of word for word"

# The same on an emulated AArch64: some files, all with TIER_ALL=1, the first of six parts
# with TIER_ALL=0/6; as it is, and for a processor that has SVE as well, with pages of 64 KiB.
.PHONY: test-tier-aarch64
test-tier-aarch64:
	@tests/aarch64/run vgpu_tier_object vgpu_tier_plan vgpu_tier_worker vgpu_tier_checked vgpu_tier
	@TIER_CPU=neoverse-v1 QEMU='qemu-aarch64-static -p 65536' tests/aarch64/run vgpu_tier

# np and jax beside NumPy's and JAX's own values.
.PHONY: test-jax
test-jax: all
	@BUILD=$(BUILD) tests/run jax

# Other random programs each time, on the host and the device in use.
.PHONY: fuzz-jax
fuzz-jax: SECONDS ?= 600
fuzz-jax: all
	@tests/jax/fuzz $(BUILD)/warpshop $(SECONDS)
# Random programs over eight virtual GPUs beside the same on one.
.PHONY: fuzz-shard
fuzz-shard: COUNT ?= 500
fuzz-shard: SEED ?= 1
fuzz-shard: all
	@WARPSHOP_DEVICE=virtual:0 WARPSHOP_VIRTUAL_DEVICES=8 $(BUILD)/warpshop run \
	  tests/jax/shard_programs.lua --count $(COUNT) --seed $(SEED)

# Random programs beside NumPy and JAX, which PYTHON has.
.PHONY: fuzz-numpy
fuzz-numpy: COUNT ?= 1000
fuzz-numpy: all
	@tests/jax/fuzz-numpy $(BUILD)/warpshop $(COUNT) $(SEED)

# Random programs of frame beside pandas, which PYTHON has.
.PHONY: fuzz-frame
fuzz-frame: COUNT ?= 2000
fuzz-frame: all
	@tests/frame/fuzz $(BUILD)/warpshop $(COUNT) $(SEED)

# Two hundred prompts at once: too long for every run of the tests.
.PHONY: test-sessions
test-sessions: all
	@tests/sessions/run 200

# Every hostile submission: what `make test` has of them, and more.
.PHONY: test-cheats
test-cheats: all
	@tests/grade/cheats.py $(JOBS)

# Verdicts on a busy machine, and beside helpers that are killed: many minutes.
.PHONY: test-load
test-load: all
	@tests/load/verdicts.sh 40
	@tests/load/kill.sh 100
	@tests/load/batch_kill.sh 300
	@$(BUILD)/warpshop run tests/load/scale_kill.lua 100
	@tests/load/killed.py 200
# Terminals, judge and walls five times, beside four busy processes a core.
.PHONY: test-crowded
test-crowded: all units
	@tests/load/repeat.sh 5 pty sessions grade unit/nvrtc_hostile unit/confine
# Terminals whose programs stand still at random moments; needs root, for a cgroup.
.PHONY: test-late
test-late: all units
	@HANG_S=1200 tests/load/late.py env JOBS=4 tests/run pty
# A gradebook's writer killed, its power cut, its disk full: at 1,000 writes each.
.PHONY: test-book
test-book: $(BUILD)/tests/unit/book_crash
	@BOOK_CRASH_POINTS=1000 $<

# Needs clang, and AFL++ for the second half; tests/fuzz/README.md says more.
.PHONY: fuzz
FUZZ_SECONDS ?= 600
fuzz:
	tests/fuzz/run build
	tests/fuzz/run libfuzzer ptx $(FUZZ_SECONDS)
	tests/fuzz/run libfuzzer vgpu $(FUZZ_SECONDS)
	tests/fuzz/run libfuzzer tier $(FUZZ_SECONDS)
	tests/fuzz/run csv $(FUZZ_SECONDS)
	tests/fuzz/run arrow $(FUZZ_SECONDS)

# ---- Checks that run nothing ----

C_FILES = $(filter-out gpu/nvrtc/include/%,$(shell \
  find base cluster display gpu kernels lua grade class repl python tests bench tools -name '*.[ch]'))
# Scripts by their first line, and what they source.
SHELL_FILES = $(sort $(shell grep -rlI '^\#!/.*sh$$' .ci tools tests bench) \
  $(wildcard tests/*.sh tests/*/*.sh))

.PHONY: layers readmes lint tidy format
layers:
	@tools/layers.sh
	@tools/headers.sh
	@tools/doors.sh
	@tools/globals.sh
readmes:
	@tools/readmes.sh
lint: layers readmes
	@clang-format --dry-run -Werror $(C_FILES)
	@cppcheck --quiet --error-exitcode=1 --inline-suppr --enable=warning,portability \
	  --suppressions-list=tools/cppcheck.txt --include=tools/cppcheck.h -I. $(filter %.c,$(C_FILES))
	@luacheck --quiet --no-color lua exercises tests/lua tests/jax bench
	@shellcheck $(SHELL_FILES)
	+@$(second_make) tidy
	@echo 'lint: nothing found'
# clang 14 knows _Float16 on x86-64 with this alone, which gcc does not need.
ifeq ($(shell $(CC) -dumpmachine | cut -d- -f1),x86_64)
$(BUILD)/bench/vgpu/plain_untuned.tidy: TIDY_CFLAGS := -mavx512fp16
endif
# Slow, so only for what has changed: an object is newer than its headers.
tidy: $(patsubst %.c,$(BUILD)/%.tidy,$(filter %.c,$(C_FILES)))
$(BUILD)/python/%.tidy: private TIDY_CFLAGS = -I$(PYTHON_INCLUDE)
$(BUILD)/%.tidy: %.c $(BUILD)/%.o .clang-tidy
	@clang-tidy --quiet $< -- $(ALL_CFLAGS) $(PKG_CFLAGS) $(TIDY_CFLAGS) >$@.log 2>&1 || { cat $@.log; exit 1; }
	@mv $@.log $@
format:
	clang-format -i $(C_FILES)

# ---- Installing ----

# The program's data, and NVIDIA's wheels where there is no other NVRTC.
SHARED = course $(wildcard language/*.po lessons/index lessons/*.md lessons/*/*.md exercises/index exercises/*/* lua/*.lua lua/*/*.lua lua/*/*.py \
  lua/*/*/*.lua kernels/*.cu kernels/gamma.h \
  kernels/incomplete.h) \
  $(shell find skeleton gpu/nvrtc/include -type f 2>/dev/null)
# The page of man and the completions say what help says: it is asked.
MANUAL := $(BUILD)/manual
MANUAL_FILES := $(MANUAL)/warpshop.1 $(MANUAL)/warpshop.bash $(MANUAL)/_warpshop $(MANUAL)/warpshop.fish
MANUAL_DATE = $(shell date -u -d "@$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null || date +%s)}" '+%B %e, %Y' | tr -s ' ')
write_manual = @mkdir -p $(@D) && WARPSHOP_HOME=$(CURDIR) $(BUILD)/warpshop run tools/manual/make.lua \
  $(1) $(BUILD)/warpshop '$(MANUAL_DATE)' >$@.new && mv $@.new $@
.PHONY: manual
manual: $(MANUAL_FILES)
$(MANUAL_FILES): $(BUILD)/warpshop $(wildcard tools/manual/*.lua tools/manual/shells/*) repl/command/command.def docs/prompt.md
$(MANUAL)/warpshop.1:
	$(call write_manual,page)
$(MANUAL)/warpshop.bash:
	$(call write_manual,bash)
$(MANUAL)/_warpshop:
	$(call write_manual,zsh)
$(MANUAL)/warpshop.fish:
	$(call write_manual,fish)

# The manual, the lessons and the program's own tables as pages for a browser.
$(BUILD)/tools/site/site: $(BUILD)/tools/site/site.o $(SHOP_LIB) $(GPU_LIB)
	$(CC) $(SAN_FLAGS) -o $@ $< $(SHOP_LIB) $(GPU_LIB) $(SHOP_LIBS)
# Played in a terminal, drawn by rich, which is installed into the build for that alone.
.PHONY: pictures
pictures: all $(BUILD)/tests/unit/fake_nvml_top.so
	@python3 -m venv $(BUILD)/pictures/venv
	@$(BUILD)/pictures/venv/bin/pip install -q rich==15.0.0
	@tools/pictures/play $(BUILD)/pictures/played
	@mkdir -p docs/pictures
	@$(BUILD)/pictures/venv/bin/python tools/pictures/render.py docs/pictures $(BUILD)/pictures/played/*.ansi
	@tools/pictures/gallery $(BUILD)/pictures/played >docs/screens.md

SITE ?= $(BUILD)/site
.PHONY: site
site: all $(BUILD)/tools/site/site
	@rm -rf $(SITE) $(SITE).pages && mkdir -p $(SITE) $(SITE).pages
	@WARPSHOP_HOME=$(CURDIR) $(BUILD)/warpshop run tools/site/make.lua $(BUILD)/warpshop $(SITE).pages
	@$(BUILD)/tools/site/site $(SITE).pages/list $(SITE)
	@cp tools/site/style.css $(SITE)/
	@mkdir -p $(SITE)/docs/pictures && cp docs/pictures/*.svg $(SITE)/docs/pictures/
	@rm -rf $(SITE).pages
	@echo 'made $(SITE)/index.html'

# Where zsh looks: Debian keeps vendor-completions for its packages.
ZSH_COMPLETIONS ?= share/zsh/site-functions
.PHONY: install
install: all manual
	install -D -m 644 $(MANUAL)/warpshop.1 $(DESTDIR)$(PREFIX)/share/man/man1/warpshop.1
	install -D -m 644 $(MANUAL)/warpshop.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/warpshop
	install -D -m 644 $(MANUAL)/_warpshop $(DESTDIR)$(PREFIX)/$(ZSH_COMPLETIONS)/_warpshop
	install -D -m 644 $(MANUAL)/warpshop.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/warpshop.fish
	install -D -m 755 $(BUILD)/warpshop $(DESTDIR)$(PREFIX)/bin/warpshop
	install -D -m 755 $(BUILD)/warpshop-device $(DESTDIR)$(PREFIX)/libexec/warpshop/warpshop-device
	install -D -m 755 $(BUILD)/warpshop-learner $(DESTDIR)$(PREFIX)/libexec/warpshop/warpshop-learner
	for f in $(SHARED); do install -D -m 644 $$f $(DESTDIR)$(PREFIX)/share/warpshop/$$f || exit 1; done
	tools/setup.sh how >$(DESTDIR)$(PREFIX)/share/warpshop/NVRTC.txt
	chmod 644 $(DESTDIR)$(PREFIX)/share/warpshop/NVRTC.txt
	if [ -d .deps ]; then cp -R .deps $(DESTDIR)$(PREFIX)/share/warpshop/ && \
	  chmod -R a+rX $(DESTDIR)$(PREFIX)/share/warpshop/.deps; fi

# One file for any Linux with glibc 2.31, and that file in a bare Debian 11.
.PHONY: dist test-dist
DIST ?= warpshop-$(VERSION)-$(shell uname -m).run
dist:
	@tools/dist/make-dist $(DIST)
test-dist:
	@tests/dist/run $(DIST)
# A package of this machine's Debian, and that package in a bare Debian of its kind.
.PHONY: deb test-deb link-line
DEB ?= warpshop_$(VERSION)_$(shell dpkg --print-architecture 2>/dev/null).deb
deb: all
	@BUILD=$(BUILD) tools/dist/make-deb $(DEB)
test-deb:
	@tests/dist/deb $(DEB)
link-line:
	@echo $(SHOP_LIBS) $(DEVICE_LIBS)

# ---- Measuring ----

.PHONY: bench bench-programs
bench-programs: $(BENCH_SRC:%.c=$(BUILD)/%)
bench: all bench-programs
	@BUILD=$(BUILD) bench/run
# Keystrokes of editing tasks, beside IPython.
.PHONY: bench-editing
bench-editing: all
	@BUILD=$(BUILD) bench/editing/run

# The virtual GPU beside OpenCL and plain C on this CPU.
.PHONY: bench-vgpu
BENCH_VGPU := $(call objects,$(wildcard bench/vgpu/*.c))
$(BUILD)/bench/vgpu/plain.o $(BUILD)/bench/vgpu/plain_untuned.o: FILE_CFLAGS := -O3 -march=native
$(BUILD)/bench/vgpu/machine.o: FILE_CFLAGS := -O3 -march=native -fno-trapping-math -fno-math-errno
$(BUILD)/bench-vgpu: $(BENCH_VGPU) $(GPU_LIB)
	$(CC) $(SAN_FLAGS) -o $@ $^ $(DEVICE_LIBS)
bench-vgpu: $(BUILD)/bench-vgpu $(BUILD)/warpshop-device
	@NVRTC=$$($(BUILD)/warpshop-device --find-nvrtc | head -n 1) $(BUILD)/bench-vgpu

.PHONY: clean help
clean:
	rm -rf build build-san build-aarch64 build-mutate build-mutate-sampled*
help:
	@echo 'make learn     set everything up and open the first lesson'
	@echo 'make test      set everything up and run all tests'
	@echo 'make check     the tests that your change can have broken'
	@echo 'make           build $(BUILD)/warpshop and $(BUILD)/warpshop-device'
	@echo 'make python    the module for Python: PYTHONPATH=$(BUILD)/python, or pip install ./python'
	@echo 'make prove     are mutants of all solutions rejected? PROVE_SAMPLE of each'
	@echo 'make mutate    mistakes planted in our own sources: do the tests notice? AREA'
	@echo 'make mutate-sampled  the same with mistakes that a seed draws: COUNT, SEED, AREA'
	@echo 'make test-san  the tests under AddressSanitizer and UBSan'
	@echo 'make test-tier the virtual GPU compiled, beside its interpreter'
	@echo 'make test-tier-aarch64  the same under qemu, some files: TIER_ALL=1 has all'
	@echo 'make test-jax  np and jax beside the values of NumPy and JAX'
	@echo 'make test-sessions   200 sessions at once on this machine'
	@echo 'make test-load verdicts on a busy machine, and of killed helpers'
	@echo 'make test-crowded the suites of terminals and judge on a busy machine'
	@echo 'make test-late terminals whose programs stand still at random moments'
	@echo 'make test-book a gradebook on a disk that fails, at 1,000 of its writes'
	@echo 'make test-cheats      200 hostile submissions, their cost and their reports'
	@echo 'make test-aarch64    the virtual GPU cross-built, under qemu'
	@echo 'make fuzz-jax  random array programs, SECONDS long'
	@echo 'make fuzz-shard  COUNT random programs over eight virtual GPUs'
	@echo 'make fuzz-numpy  COUNT random programs beside NumPy and JAX'
	@echo 'make fuzz-frame  COUNT random programs of frame beside pandas'
	@echo 'make fuzz      the PTX parser and the virtual GPU, FUZZ_SECONDS each'
	@echo 'make ptx-coverage    every PTX instruction and its tests'
	@echo 'make lint      format, clang-tidy, cppcheck, luacheck, shellcheck, layers,'
	@echo '               readmes'
	@echo 'make layers    does every include and every use() point up its table? are'
	@echo '               functions declared where one looks?'
	@echo 'make bench     measure, beside bare driver programs'
	@echo 'make manual    the page of man, completions for bash, zsh and fish'
	@echo 'make site      the manual, lessons, functions ... as pages: build/site/index.html'
	@echo 'make pictures  docs/pictures and docs/screens.md anew, from a terminal (tmux, Python)'
	@echo 'make install   PREFIX=/usr/local DESTDIR='
	@echo 'make dist      one file for any Linux with glibc 2.31 (debootstrap, root)'
	@echo 'make test-dist that file in a bare Debian 11'
	@echo 'make deb       a package of this machine'"'"'s Debian; make test-deb installs it in one'
	@echo 'make clean     remove what was built'

# Of what was built: build-dist/root is a Debian, with folders like rc2.d.
-include $(shell find $(BUILD) -path $(BUILD)/root -prune -o -type f -name '*.d' -print 2>/dev/null)
