# SPDX-License-Identifier: Apache-2.0
# warpshop's build: plain GNU make, one include-free file. `make help` lists
# what it can do.
VERSION := 0.1
BUILD ?= build
PREFIX ?= /usr/local
SAN ?=
CC ?= cc
PKG_CONFIG ?= pkg-config

# The first name that pkg-config knows (Debian, Fedora and Arch differ).
pkg = $(shell for n in $(1); do $(PKG_CONFIG) --exists $$n 2>/dev/null && { echo $$n; break; }; done)
# Static where an archive is installed, so that the binary travels.
static = $(shell $(PKG_CONFIG) --libs $(1) 2>/dev/null | tr ' ' '\n' | while read -r f; do \
  case $$f in -l*) a=$$($(CC) -print-file-name=lib$${f\#-l}.a); [ "$$a" != "lib$${f\#-l}.a" ] && echo $$a || echo $$f;; *) echo $$f;; esac; done)

LUA := $(call pkg,lua5.4 lua-5.4 lua54 lua)
SHOP_PKGS := $(LUA) libcmark jansson libsodium
DEVICE_PKGS := libseccomp libsodium

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
GPU_SRC := $(filter-out gpu/device_main.c,$(wildcard base/*.c gpu/*.c gpu/*/*.c))
SHOP_SRC := $(filter-out repl/main.c,$(wildcard kernels/*.c lua/bind/*.c grade/*.c class/*.c repl/*.c repl/tui/*.c))
UNIT_SRC := $(wildcard tests/unit/*.c)
BENCH_SRC := $(wildcard bench/*.c)
objects = $(1:%.c=$(BUILD)/%.o)
GPU_LIB := $(BUILD)/libgpu.a
SHOP_LIB := $(BUILD)/libshop.a

.PHONY: all
all: $(BUILD)/warpshop $(BUILD)/warpshop-device

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(PKG_CFLAGS) $(FILE_CFLAGS) -MMD -MP -c $< -o $@

# Lanes: -O3 and no trapping math, or the masked float loops stay scalar.
$(BUILD)/gpu/vgpu/%.o: FILE_CFLAGS := -O3 -fno-trapping-math -fno-math-errno
$(BUILD)/kernels/%.o: FILE_CFLAGS := -O3 -fno-trapping-math -fno-math-errno

$(GPU_LIB): $(call objects,$(GPU_SRC))
	@rm -f $@
	ar rcs $@ $^
$(SHOP_LIB): $(call objects,$(SHOP_SRC))
	@rm -f $@
	ar rcs $@ $^

SHOP_LIBS = $(call static,$(SHOP_PKGS)) -lreadline -lm -ldl -pthread
DEVICE_LIBS = $(call static,$(DEVICE_PKGS)) -lm -ldl -pthread

$(BUILD)/warpshop: $(call objects,repl/main.c) $(SHOP_LIB) $(GPU_LIB)
	$(CC) $(SAN_FLAGS) -o $@ $(call objects,repl/main.c) $(SHOP_LIB) $(GPU_LIB) $(SHOP_LIBS)
$(BUILD)/warpshop-device: $(call objects,gpu/device_main.c) $(GPU_LIB)
	$(CC) $(SAN_FLAGS) -o $@ $^ $(DEVICE_LIBS)

$(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(SHOP_LIB) $(GPU_LIB)
	$(CC) $(SAN_FLAGS) -o $@ $< $(SHOP_LIB) $(GPU_LIB) $(SHOP_LIBS) $(call static,$(DEVICE_PKGS)) -lcmocka
$(BUILD)/bench/%: $(BUILD)/bench/%.o $(SHOP_LIB) $(GPU_LIB)
	$(CC) $(SAN_FLAGS) -o $@ $< $(SHOP_LIB) $(GPU_LIB) $(SHOP_LIBS) $(call static,$(DEVICE_PKGS))
.PRECIOUS: $(BUILD)/%.o

.PHONY: units
units: $(UNIT_SRC:%.c=$(BUILD)/%)

.PHONY: clean
clean:
	rm -rf build build-san

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
