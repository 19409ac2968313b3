# SPDX-License-Identifier: MIT
# Builds test-backend-ops of llama.cpp, which compares ggml's CUDA back end with its CPU back end: every file that the
# project's own build has by default, for one architecture. The work folder is the project's `tests`. NO_FA=1 leaves out
# flash attention: the program then reports FLASH_ATTN_EXT as not supported.
#
#	make -f ggml.mk NVCC=FILE SM=90 [NO_FA=1] [SHARED=DIR] [shared]
#
# Only the assembler differs between the builds of run.py, so everything else is done once: SHARED gets the objects of the
# host, and of each CUDA file an object and its PTX. `nvcc -fatbin` assembles the PTX and objcopy puts the result into a
# copy of the object, in place of the PTX that nvcc put there. The target `shared` ends before that and needs no
# assembler, so SHARED can be built on another machine.
SHARED ?= ../../../ggml-shared
MARCH ?= x86-64-v3
top := ../ggml
cuda := $(top)/src/ggml-cuda

fattn := fattn-tile*.cu fattn-mma*.cu $(foreach type,f16 q4_0 q8_0 bf16,fattn-vec-instance-$(type)-$(type).cu)
cu := $(wildcard $(cuda)/*.cu $(addprefix $(cuda)/template-instances/,mmq*.cu mmf*.cu $(if $(NO_FA),,$(fattn))))
host := $(addprefix $(top)/src/,ggml.c ggml.cpp ggml-alloc.c ggml-backend.cpp ggml-backend-meta.cpp ggml-opt.cpp \
		ggml-threading.cpp ggml-quants.c gguf.cpp ggml-backend-reg.cpp ggml-backend-dl.cpp) \
	$(addprefix $(top)/src/ggml-cpu/,ggml-cpu.c ggml-cpu.cpp repack.cpp hbm.cpp quants.c traits.cpp amx/amx.cpp \
		amx/mmq.cpp binary-ops.cpp unary-ops.cpp vec.cpp ops.cpp arch/x86/quants.c arch/x86/repack.cpp) \
	test-backend-ops.cpp
name = $(subst /,-,$(patsubst $(top)/src/%,%,$(1)))
host_objects := $(addprefix $(SHARED)/,$(addsuffix .o,$(call name,$(host))))
names := $(notdir $(cu:.cu=))

defines := -DNDEBUG -D_XOPEN_SOURCE=600 -D_GNU_SOURCE -DGGML_SCHED_MAX_COPIES=4 -DGGML_CUDA_USE_GRAPHS \
	-DGGML_CUDA_PEER_MAX_BATCH_SIZE=128 -DGGML_USE_CPU -DGGML_USE_CUDA -DGGML_VERSION='"0"' -DGGML_COMMIT='"0"' \
	$(if $(NO_FA),-DGGML_CUDA_NO_FA)
includes := -I$(top)/include -I$(top)/src -I$(top)/src/ggml-cpu
nvcc_flags := -O3 -std=c++17 -use_fast_math -extended-lambda -w -I$(cuda) $(defines) $(includes)

test-backend-ops: $(host_objects) $(addprefix cuda/,$(addsuffix .o,$(names)))
	$(NVCC) -arch=sm_$(SM) -o $@ $^ -lcublas -lcuda -lpthread -ldl

shared: $(host_objects) $(addprefix $(SHARED)/,$(addsuffix .o,$(names)))

# The programs of a suite run beside each other, so the CPU back end gets one thread instead of four; its threads spin while
# they wait. How much memory is free differs between runs. Without a GPU, the program would skip all tests and succeed.
edits := -e 's/ctx->n_threads .*= GGML_DEFAULT_N_THREADS/ctx->n_threads = 1/' -e '/printf("  Device memory:/d' \
	-e 's/^    ggml_backend_load_all();/& if (ggml_backend_dev_count() < 2) return 2;/'
define host_rule
$(SHARED)/$(call name,$(1)).o: $(1)
	@mkdir -p $$(@D)
	sed $$(edits) $$< | $(if $(filter %.c,$(1)),$$(CC) -x c -std=c11,$$(CXX) -x c++ -std=c++17) -O3 -march=$$(MARCH) -w \
		-I$$(<D) $$(defines) $$(includes) -c -o $$@ -
endef
$(foreach source,$(host),$(eval $(call host_rule,$(source))))

# --keep leaves more than the PTX, some of it larger, so in a folder of its own.
define cuda_rule
$(SHARED)/$(notdir $(1:.cu=.o)): $(1)
	@mkdir -p $$@.keep
	$$(NVCC) $$(nvcc_flags) -gencode arch=compute_$$(SM),code=compute_$$(SM) --keep --keep-dir $$@.keep -c -o $$@ $$<
	@mv $$@.keep/$(notdir $(1:.cu=.ptx)) $$(@D) && rm -r $$@.keep
endef
$(foreach source,$(cu),$(eval $(call cuda_rule,$(source))))

# Without flash attention, the functions that choose one of its instances refer to them and are not called.
weaken = $(and $(NO_FA),$(filter fattn%,$*),--weaken)
cuda/%.o: $(SHARED)/%.o
	@mkdir -p $(@D)
	$(NVCC) -fatbin -gencode arch=compute_$(SM),code=sm_$(SM) -o cuda/$*.fatbin $(SHARED)/$*.ptx
	objcopy $(weaken) --update-section .nv_fatbin=cuda/$*.fatbin $< $@

.DELETE_ON_ERROR:
.PHONY: shared
