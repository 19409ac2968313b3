# SPDX-License-Identifier: MIT
# The build of sovgpu: finds sources by folder and writes all outputs below $(BUILD).
#
#   make demo            install dependencies, build, compile a kernel, disassemble it, run it
#   make check           the checks of CI: builds, tests, sanitizers, fuzz targets, virtual machines
#   make check-fast      one build and its tests       make check-long     check and the long tests
#   make check-oracles   compare with other tools      make bench          benchmarks
#   make fuzz            libFuzzer, FUZZ_SECONDS each  make silicon        bundle for a real GPU
#   make check-vm        the kernel driver in virtual machines (root; cached under ~/.cache)
#   make deb             Debian packages, below $(BUILD)/deb (docs/packages.md)
#   make deps all tests install uninstall clean dkms-install dkms-uninstall
#
# Variables: BUILD (build), CC (cc), SAN=1 (ASan, UBSan, IR verifier), SAN=thread (TSan),
#            DEBUG=1 (-O0, IR verifier), PREFIX (/usr/local), LIBDIR, DESTDIR, V=1 (show commands)

BUILD   ?= build
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
MANDIR  ?= $(PREFIX)/share/man
FUZZ_SECONDS ?= 60

# sov.h defines the version.
VERSION := $(shell awk '/define SOV_VERSION_(MAJOR|MINOR) / { printf "%s.", $$3 } END { print 0 }' libsov/sov.h)
SONAME  := libsov.so.$(firstword $(subst ., ,$(VERSION)))
Q       := $(if $(V),,@)
say      = $(if $(V),@:,@printf '  %-5s %s\n' $(1) $(2))
comma   := ,

# The kmod winsys (sovgpu.ko) needs libdrm; a build without libdrm leaves that winsys out.
PKG_CONFIG ?= pkg-config
OBJCOPY    ?= objcopy
HAVE_LIBDRM := $(shell $(PKG_CONFIG) --exists libdrm && echo yes)
DRM_CFLAGS  := $(if $(HAVE_LIBDRM),-DSOV_HAVE_KMOD $(shell $(PKG_CONFIG) --cflags libdrm))
DRM_LIBS    := $(if $(HAVE_LIBDRM),$(shell $(PKG_CONFIG) --libs libdrm))

# The Vulkan driver needs Vulkan's headers (libvulkan-dev); a build without them leaves the driver out.
HAVE_VULKAN := $(shell $(PKG_CONFIG) --exists vulkan && echo yes)

SANFLAGS := $(if $(SAN),$(if $(filter thread,$(SAN)),-fsanitize=thread,-fsanitize=address$(comma)undefined \
	-fno-sanitize-recover=all))
ALL_CFLAGS := -std=c11 -D_GNU_SOURCE -I. $(DRM_CFLAGS) -g -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -fPIC -fvisibility=hidden -ffp-contract=off -fno-math-errno -pthread -MMD -MP \
	$(if $(DEBUG),-O0,$(if $(SAN),-O1 -fno-omit-frame-pointer,-O2)) $(if $(DEBUG)$(SAN),-DSOV_VERIFY) \
	$(SANFLAGS) $(CFLAGS)
# The disk cache of compilations uses the build id in its keys (libsov/runtime/module/compile_cache.c).
ALL_LDFLAGS := $(SANFLAGS) -pthread -Wl,--build-id $(LDFLAGS)
# Without those of single targets, which their prerequisites inherit.
common_flags := $(CC) $(ALL_CFLAGS) | $(ALL_LDFLAGS)
LIBS    := $(DRM_LIBS) -lm -ldl

sources   = $(sort $(shell find $(1) -name '*.c' ! -name '_*'))
lib_src  := $(filter-out model/card/% model/kfd/% libsov/cuda/% libsov/vulkan/% $(if $(HAVE_LIBDRM),,libsov/winsys/kmod/%),$(call sources,libsov model))
vulkan_src := $(call sources,libsov/vulkan)
card_src := $(call sources,model/card model/kfd)
cuda_src   := $(call sources,libsov/cuda/driver)
cuda_pure  := $(addprefix libsov/cuda/,driver/fatbin.c driver/lz4.c driver/zstd.c management/pci.c)
cudart_src := $(call sources,libsov/cuda/runtime)
nvml_src   := $(call sources,libsov/cuda/management)
tool_src := $(call sources,tools)
# The kselftests need the kernel driver and a card: tests/vm builds and runs them.
test_src := $(filter-out tests/userspace/kselftest/% $(if $(HAVE_VULKAN),,tests/userspace/vulkan/%) $(if $(HAVE_LIBDRM),,tests/userspace/winsys/kmod.c), \
	$(call sources,tests/userspace))
test_sh  := $(sort $(shell find tests/userspace -name '*.sh' ! -name '_*'))

obj       = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
tests    := $(patsubst tests/userspace/%.c,$(BUILD)/tests/%,$(test_src))
helpers  := $(patsubst tests/userspace/%.c,$(BUILD)/tests/%,$(wildcard tests/userspace/tools/_*.c))
# Tests of concurrent code; tests/check also runs them under ThreadSanitizer (SAN=thread).
thread_tests := $(addprefix $(BUILD)/tests/, \
	$(addprefix runtime/stream/,concurrent_launches concurrent_calls streams host_functions time_limits) \
	$(addprefix runtime/memory/,copy_threads local_memory) \
	cuda/threads runtime/module/lazy_compile runtime/base/gates runtime/conformance/graphs compiler/driver/units \
	model/core/priorities $(addprefix model/amd/navi_,queues sdma errors) \
	$(if $(HAVE_VULKAN),vulkan/sync) $(addprefix model/card/,channel kernel random_calls))
fuzzers  := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(call sources,tests/fuzz))
benches  := $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(call sources,tests/bench))
judges   := $(patsubst tests/oracles/%.c,$(BUILD)/oracles/%,$(call sources,tests/oracles))
examples := $(patsubst examples/%.c,$(BUILD)/examples/%,$(call sources,examples))
litmus_src := $(call sources,tests/litmus)

.PHONY: all cuda deps deps-vm demo check check-fast check-long check-oracles check-vm bench silicon fuzz \
	install uninstall dkms-source dkms-install dkms-uninstall clean tests thread-tests fuzzers judges list version \
	list-thread-tests list-fuzzers deb FORCE
.DELETE_ON_ERROR:
.SECONDARY:

vulkan := $(if $(HAVE_VULKAN),$(BUILD)/libvulkan_sov.so $(BUILD)/sov_icd.json)
all: $(BUILD)/libsov.so $(BUILD)/libsov.a $(BUILD)/sov $(BUILD)/ptxas $(BUILD)/sovgpu-model cuda $(vulkan)
tests: all $(tests) $(helpers) $(examples) $(BUILD)/bench/queues $(BUILD)/litmus
# The tests of CUDA and Vulkan load their libraries.
thread-tests: $(thread_tests) cuda $(vulkan)
fuzzers: $(fuzzers)
judges: $(judges)

# Changed flags or another compiler rebuild all objects.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(common_flags)' >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

# -O3 vectorises the executor's lane loops. Clang warns if it cannot vectorise a loop with a vectorise
# pragma, which sanitizers cause; that warning is no error.
$(BUILD)/obj/model/%.o: ALL_CFLAGS += $(if $(DEBUG)$(SAN),,-O3) -Wno-pass-failed
# The tests' own code takes little time: compile it quickly.
$(BUILD)/obj/tests/userspace/%.o: ALL_CFLAGS += $(if $(DEBUG)$(SAN),,-O1)
$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -c $< -o $@

# All objects with all symbols visible, for the tools, tests and fuzzers.
$(BUILD)/libsov-all.a: $(call obj,$(lib_src) $(card_src) $(cuda_pure))
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

# The library for programs exports only the symbols of sov.h.
$(BUILD)/libsov.so.$(VERSION): $(call obj,$(lib_src)) libsov/sov.map
	$(call say,LD,$@)
	$(Q)$(CC) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=libsov/sov.map -Wl,-z,defs \
		$(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(LIBS)
$(BUILD)/libsov.so: $(BUILD)/libsov.so.$(VERSION)
	$(Q)ln -sf libsov.so.$(VERSION) $(BUILD)/$(SONAME)
	$(Q)ln -sf $(SONAME) $@

# The same library for static linking: one object, in which only the symbols of sov.h are global.
$(BUILD)/libsov.a: $(call obj,$(lib_src))
	$(call say,AR,$@)
	$(Q)$(CC) -r -nostdlib -o $(@:.a=.o) $^
	$(Q)$(OBJCOPY) --localize-hidden $(@:.a=.o)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $(@:.a=.o)
	$(Q)rm $(@:.a=.o)

# Libraries in the place of NVIDIA's, in a folder of their own, so that none is found by accident. The
# two versions of the runtime have the same sources and differ by CUDART_MAJOR.
cuda_libs := $(addprefix $(BUILD)/cuda/,libcuda.so.1 libcudart.so.12 libcudart.so.13 libnvidia-ml.so.1)
cuda_static := $(addsuffix /libcudart_static.a,$(BUILD)/cuda $(BUILD)/cuda/12)
cuda: $(cuda_libs) $(cuda_static)
# Entry points are declared where they are defined: programs have NVIDIA's headers.
$(BUILD)/obj/libsov/cuda/%.o: ALL_CFLAGS += -Wno-missing-prototypes
cuda_rpath := -Wl,--enable-new-dtags,-rpath,'$$ORIGIN:$$ORIGIN/..:$$ORIGIN/../..'
$(BUILD)/cuda/libcuda.so.1: $(call obj,$(cuda_src)) $(BUILD)/libsov.so
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) -shared -Wl,-soname,libcuda.so.1 -Wl,-z,defs $(ALL_LDFLAGS) $(cuda_rpath) -o $@ \
		$(filter %.o,$^) -L$(BUILD) -lsov -ldl
	$(Q)ln -sf libcuda.so.1 $(@D)/libcuda.so
$(BUILD)/cuda/libnvidia-ml.so.1: $(call obj,$(nvml_src)) $(BUILD)/libsov.so
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) -shared -Wl,-soname,libnvidia-ml.so.1 -Wl,-z,defs $(ALL_LDFLAGS) $(cuda_rpath) -o $@ \
		$(filter %.o,$^) -L$(BUILD) -lsov
	$(Q)ln -sf libnvidia-ml.so.1 $(@D)/libnvidia-ml.so
$(BUILD)/obj/cudart12/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -Wno-missing-prototypes -DCUDART_MAJOR=12 -c $< -o $@
$(BUILD)/obj/cudart13/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -Wno-missing-prototypes -DCUDART_MAJOR=13 -c $< -o $@
$(BUILD)/cuda/cudart%.map: libsov/cuda/runtime/cudart.map
	@mkdir -p $(@D)
	$(Q)sed 's/@MAJOR@/$*/' $< >$@
define cudart
$(BUILD)/cuda/libcudart.so.$(1): $(cudart_src:%.c=$(BUILD)/obj/cudart$(1)/%.o) $(BUILD)/cuda/cudart$(1).map $(BUILD)/cuda/libcuda.so.1
	$$(call say,LD,$$@)
	$$(Q)$$(CC) -shared -Wl,-soname,libcudart.so.$(1) -Wl,--version-script=$(BUILD)/cuda/cudart$(1).map \
		-Wl,-z,defs $$(ALL_LDFLAGS) $$(cuda_rpath) -o $$@ $$(filter %.o,$$^) -L$(BUILD)/cuda -lcuda \
		-Wl,-rpath-link,$(BUILD)
endef
# The static runtime, by the name that nvcc passes to the linker: a linker script, which adds libcuda.so.1. The objects
# become one, whose internal names are local.
define cudart_static
$(2)/libcudart_static_objects.a: $(cudart_src:%.c=$(BUILD)/obj/cudart$(1)/%.o)
	@mkdir -p $$(@D)
	$$(call say,AR,$$@)
	$$(Q)$$(CC) -r -nostdlib -o $$(@:.a=.o) $$^
	$$(Q)$$(OBJCOPY) --localize-hidden $$(@:.a=.o)
	$$(Q)rm -f $$@
	$$(Q)$$(AR) rcs $$@ $$(@:.a=.o)
	$$(Q)rm $$(@:.a=.o)
$(2)/libcudart_static.a: $(2)/libcudart_static_objects.a $(BUILD)/cuda/libcuda.so.1
	$$(Q)echo '/* GNU ld script */ INPUT ( libcudart_static_objects.a $(3)libcuda.so.1 )' >$$@
endef
$(eval $(call cudart_static,13,$(BUILD)/cuda,))
$(eval $(call cudart_static,12,$(BUILD)/cuda/12,../))
$(eval $(call cudart,12))
$(eval $(call cudart,13))

# The Vulkan driver is a client of libsov, and finds it beside itself.
vulkan_rpath := -Wl,-rpath,'$$ORIGIN'
$(BUILD)/libvulkan_sov.so: $(call obj,$(vulkan_src)) $(BUILD)/libsov.so
	$(call say,LD,$@)
	$(Q)$(CC) -shared -Wl,-soname,libvulkan_sov.so -Wl,-z,defs $(vulkan_rpath) $(ALL_LDFLAGS) \
		-o $@ $(filter %.o,$^) -L$(BUILD) -lsov -lm
# The loader's manifest: VK_DRIVER_FILES=$(BUILD)/sov_icd.json tries the driver of the build folder.
$(BUILD)/sov_icd.json: libsov/vulkan/sov_icd.json.in $(BUILD)/libvulkan_sov.so
	$(Q)sed '1d; s|@LIBRARY@|$(abspath $(BUILD))/libvulkan_sov.so|' $< >$@

define program
@mkdir -p $(@D)
$(call say,LD,$@)
$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LIBS)
endef
# Pages for browsers become strings.
pages := $(patsubst tools/%.html,$(BUILD)/obj/tools/%.o,$(wildcard tools/*_page.html))
$(BUILD)/obj/tools/%_page.c: tools/%_page.html
	@mkdir -p $(@D)
	$(Q){ echo 'extern const char $*_page[];'; echo 'const char $*_page[] ='; \
		sed 's/\\/\\\\/g; s/"/\\"/g; s/^/"/; s/$$/\\n"/' $<; echo ';'; } >$@
$(BUILD)/obj/tools/%_page.o: $(BUILD)/obj/tools/%_page.c $(BUILD)/flags
	$(call say,CC,tools/$*_page.html)
	$(Q)$(CC) $(ALL_CFLAGS) -Wno-overlength-strings -c $< -o $@
# A static sov starts in half the time; link it dynamically if there is no static C library.
can_be_static = $(if $(SANFLAGS),,$(shell echo 'int main(void) { return 0; }' | \
	$(CC) -static -x c -o /dev/null - -lm >/dev/null 2>&1 && echo -static))
$(BUILD)/sov: private ALL_LDFLAGS += $(can_be_static)
$(BUILD)/sov: $(call obj,$(tool_src)) $(pages) $(BUILD)/libsov-all.a
	$(program)
$(BUILD)/obj/tools/cuda.o: ALL_CFLAGS += -DSOV_CUDA_LIBDIR='"$(LIBDIR)/sovgpu/cuda"'
# Called by this name, sov has the command line of NVIDIA's ptxas.
$(BUILD)/ptxas: $(BUILD)/sov
	$(Q)ln -sf sov $@
$(BUILD)/sovgpu-model: $(BUILD)/obj/model/card/_main.o $(BUILD)/libsov-all.a
	$(program)
$(BUILD)/tests/%: $(BUILD)/obj/tests/userspace/%.o $(BUILD)/libsov-all.a
	$(program)
$(BUILD)/oracles/%: $(BUILD)/obj/tests/oracles/%.o $(BUILD)/libsov-all.a
	$(program)
$(BUILD)/bench/%: $(BUILD)/obj/tests/bench/%.o $(BUILD)/libsov-all.a
	$(program)
$(BUILD)/litmus: $(call obj,$(litmus_src)) $(BUILD)/libsov-all.a
	$(program)
$(BUILD)/fuzz/%: $(BUILD)/obj/tests/fuzz/%.o $(BUILD)/obj/tests/fuzz/_main.o $(BUILD)/libsov-all.a
	$(program)
# Examples are built like user programs: with sov.h and the shared library only.
$(BUILD)/examples/%: examples/%.c libsov/sov.h $(BUILD)/libsov.so $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) -std=c11 -Wall -Wextra -Werror -g $(SANFLAGS) -Ilibsov $< -o $@ -L$(BUILD) -lsov \
		-Wl,-rpath,$(abspath $(BUILD))

deps:
	@.ci/deps

demo:
	@.ci/deps build
	@mkdir -p $(BUILD)
	@$(MAKE) --no-print-directory -j$$(nproc) all $(BUILD)/examples/saxpy >$(BUILD)/demo.log 2>&1 \
		|| { cat $(BUILD)/demo.log; echo 'demo: FAIL: the build'; exit 1; }
	@BUILD=$(BUILD) examples/demo.sh

# tests/check counts build steps as tests; its last line counts all of them.
check: deps
	@MAKEFLAGS= BUILD=$(BUILD) CC='$(CC)' MAKE='$(MAKE)' tests/check full
check-fast:
	@MAKEFLAGS= BUILD=$(BUILD) CC='$(CC)' MAKE='$(MAKE)' tests/check fast
check-long: deps
	@MAKEFLAGS= BUILD=$(BUILD) CC='$(CC)' MAKE='$(MAKE)' tests/check long
# Compares with third-party disassemblers and compilers (nvdisasm, ptxas, LLVM); a missing one is a failure.
check-oracles:
	@MAKEFLAGS= BUILD=$(BUILD) CC='$(CC)' MAKE='$(MAKE)' tests/check oracles
# The tests that tests/check runs: programs, then scripts, but the longest first, so that none of them runs alone at the end.
longest := $(addprefix $(BUILD)/tests/compiler/driver/,random_kernels odd_kernels) tests/userspace/compiler/amd/suites.sh
version:
	@echo $(VERSION)
list:
	@printf '%s\n' $(longest) $(filter-out $(longest),$(tests) $(test_sh))
list-thread-tests:
	@printf '%s\n' $(thread_tests)
list-fuzzers:
	@printf '%s\n' $(fuzzers)

bench: all $(benches)
	@for b in $(benches); do $$b || exit 1; done

silicon: all
	@BUILD=$(BUILD) VERSION=$(VERSION) tests/silicon/bundle.sh

fuzz: deps
	@MAKEFLAGS= BUILD=$(BUILD) MAKE='$(MAKE)' FUZZ_SECONDS=$(FUZZ_SECONDS) tests/fuzz/libfuzzer.sh

# DKMS package of the kernel driver: installs its source below /usr/src, which DKMS builds for every new kernel.
# dkms-install builds for the running kernel, or for KERNEL.
kernel_src := Kbuild kmod/features.sh $(shell find kmod hw/*.h hw/nv uapi -name '*.[chS]')
dkms       := /usr/src/sovgpu-$(VERSION)
dkms-source:
	$(Q)for f in $(kernel_src); do install -D -m 644 $$f $(DESTDIR)$(dkms)/$$f || exit 1; done
	$(Q)sed 's/@VERSION@/$(VERSION)/' dkms.conf >$(DESTDIR)$(dkms)/dkms.conf
dkms-install: dkms-source
	install -D -m 644 kmod/70-sovgpu.rules $(DESTDIR)/usr/lib/udev/rules.d/70-sovgpu.rules
	install -D -m 644 kmod/modprobe.conf $(DESTDIR)/usr/share/doc/sovgpu/modprobe.conf
	$(if $(DESTDIR),,dkms install -m sovgpu -v $(VERSION) $(if $(KERNEL),-k $(KERNEL)))
dkms-uninstall:
	$(if $(DESTDIR),,dkms remove sovgpu/$(VERSION) --all)
	rm -rf $(DESTDIR)$(dkms) $(DESTDIR)/usr/share/doc/sovgpu $(DESTDIR)/usr/lib/udev/rules.d/70-sovgpu.rules

# Debian packages of the tree as it is; debian/make copies it, adds what debian/ does not keep, and builds there.
deb:
	@BUILD=$(BUILD) VERSION=$(VERSION) debian/make

# The virtual-machine part of check; VM_CACHE=none skips it.
deps-vm: deps
	@tests/vm/prepare.sh
check-vm: deps
	@MAKEFLAGS= BUILD=$(BUILD) CC='$(CC)' MAKE='$(MAKE)' tests/check vm

man := $(wildcard docs/man/*.[1-9])
# CALL:PAGE for each function in the NAME line of a section 3 page; install links CALL.3 to the page.
man_calls = $(shell for m in docs/man/*.3; do for c in $$(sed -n '4s/ .-.*//p' $$m | tr -d ,); do \
	echo $$c:$$(basename $$m); done; done | grep -v '^\(.*\):\1\.3$$')
# What tells pkg-config and CMake where the library is, below LIBDIR, from the templates in libsov.
configs := pkgconfig/sov.pc cmake/sov/sov-config.cmake cmake/sov/sov-config-version.cmake
ifndef V
.SILENT: install uninstall
endif
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(LIBDIR)/cmake/sov
	install -m 755 $(BUILD)/sov $(DESTDIR)$(PREFIX)/bin/
	install -d $(DESTDIR)$(LIBDIR)/sovgpu/cuda
	install -m 755 $(cuda_libs) $(DESTDIR)$(LIBDIR)/sovgpu/cuda/
	for f in $(patsubst $(BUILD)/cuda/%,%,$(cuda_static) $(cuda_static:.a=_objects.a)); do \
		install -D -m 644 $(BUILD)/cuda/$$f $(DESTDIR)$(LIBDIR)/sovgpu/cuda/$$f || exit 1; done
	ln -srf $(DESTDIR)$(PREFIX)/bin/sov $(DESTDIR)$(LIBDIR)/sovgpu/ptxas
	install -m 644 libsov/sov.h $(DESTDIR)$(PREFIX)/include/
	install -m 755 $(BUILD)/libsov.so.$(VERSION) $(DESTDIR)$(LIBDIR)/
	ln -sf libsov.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libsov.so
	install -m 644 $(BUILD)/libsov.a $(DESTDIR)$(LIBDIR)/
ifdef HAVE_VULKAN
	install -m 755 $(BUILD)/libvulkan_sov.so $(DESTDIR)$(LIBDIR)/
	install -d $(DESTDIR)$(PREFIX)/share/vulkan/icd.d
	sed '1d; s|@LIBRARY@|$(LIBDIR)/libvulkan_sov.so|' libsov/vulkan/sov_icd.json.in >$(DESTDIR)$(PREFIX)/share/vulkan/icd.d/sov_icd.json
endif
	for f in $(configs); do sed -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|; s|@SONAME@|$(SONAME)|' \
		-e 's|@REQUIRES@|$(if $(HAVE_LIBDRM),libdrm)|; s|@STATIC_LIBS@|$(if $(HAVE_LIBDRM),drm;)m;dl;pthread|' \
		libsov/$${f##*/}.in >$(DESTDIR)$(LIBDIR)/$$f || exit 1; done
	for m in $(man); do install -D -m 644 $$m $(DESTDIR)$(MANDIR)/man$${m##*.}/$${m##*/} || exit 1; done
	install -D -m 644 tools/completion/sov.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/sov
	install -D -m 644 tools/completion/_sov $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_sov
	install -D -m 644 tools/completion/sov.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/sov.fish
	for m in $(man_calls); do ln -sf $${m##*:} $(DESTDIR)$(MANDIR)/man3/$${m%%:*}.3 || exit 1; done
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/share/bash-completion/completions/sov $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_sov \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/sov.fish
	rm -f $(DESTDIR)$(LIBDIR)/sovgpu/ptxas $(addprefix $(DESTDIR)$(LIBDIR)/sovgpu/cuda/,$(notdir $(cuda_libs)) \
		$(patsubst $(BUILD)/cuda/%,%,$(cuda_static) $(cuda_static:.a=_objects.a))) \
		$(DESTDIR)$(LIBDIR)/libvulkan_sov.so $(DESTDIR)$(PREFIX)/share/vulkan/icd.d/sov_icd.json
	rm -f $(DESTDIR)$(PREFIX)/bin/sov $(DESTDIR)$(PREFIX)/include/sov.h $(DESTDIR)$(LIBDIR)/libsov.so \
		$(DESTDIR)$(LIBDIR)/$(SONAME) $(DESTDIR)$(LIBDIR)/libsov.so.$(VERSION) \
		$(DESTDIR)$(LIBDIR)/libsov.a $(addprefix $(DESTDIR)$(LIBDIR)/,$(configs)) \
		$(foreach m,$(man),$(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $(m)))/$(notdir $(m))) \
		$(foreach m,$(man_calls),$(DESTDIR)$(MANDIR)/man3/$(firstword $(subst :, ,$(m))).3)

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
