# SPDX-License-Identifier: MIT
# sovgpu: one Makefile, objects under $(BUILD), sources found by folder.
#   make deps all demo check check-fast check-long check-oracles bench silicon fuzz install clean
# Variables: BUILD (build), CC (cc), SAN=1 (ASan+UBSan), DEBUG=1 (-O0, verifier after every pass)

BUILD   ?= build
PREFIX  ?= /usr/local
VERSION := 0.1.0
SONAME  := libsov.so.0

CFLAGS_BASE := -std=c11 -D_GNU_SOURCE -I. -g -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -fPIC -fvisibility=hidden -ffp-contract=off -fno-math-errno -pthread -MMD -MP
OPT     := $(if $(DEBUG),-O0 -DSOV_VERIFY,-O2)
ifdef SAN
SANFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -DSOV_VERIFY
endif
ALL_CFLAGS  := $(CFLAGS_BASE) $(OPT) $(SANFLAGS) $(CFLAGS)
ALL_LDFLAGS := $(SANFLAGS) -pthread $(LDFLAGS)
LIBS    := -lm -ldl

lib_src  := $(shell find libsov model -name '*.c' | sort)
tool_src := $(shell find tools -name '*.c' | sort)
test_src := $(shell find tests/userspace -name '*.c' ! -name '_*' | sort)
test_sh  := $(shell find tests/userspace -name '*.sh' ! -name '_*' | sort)
fuzz_src := $(shell find tests/fuzz -name '*.c' ! -name '_*' | sort)

obj      = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
tests   := $(patsubst tests/userspace/%.c,$(BUILD)/tests/%,$(test_src))

.PHONY: all deps demo check check-fast check-long check-oracles bench silicon fuzz install clean tests
.DELETE_ON_ERROR:
.SECONDARY:

all: $(BUILD)/libsov.so $(BUILD)/sov
tests: $(tests)

$(BUILD)/obj/model/exec%.o: OPT += -O3
$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(OPT) -c $< -o $@

# Everything, symbols visible: what tests, tools and fuzzers link with.
$(BUILD)/libsov-all.a: $(call obj,$(lib_src))
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/libsov.so: $(call obj,$(lib_src)) libsov/sov.map
	$(CC) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=libsov/sov.map -Wl,-z,defs \
		$(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(LIBS)
	ln -sf libsov.so $(BUILD)/$(SONAME)

$(BUILD)/sov: $(call obj,$(tool_src)) $(BUILD)/libsov-all.a
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/tests/%: $(BUILD)/obj/tests/userspace/%.o $(BUILD)/libsov-all.a
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

check-fast: all tests
	BUILD=$(BUILD) tests/run $(tests) $(test_sh)

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
