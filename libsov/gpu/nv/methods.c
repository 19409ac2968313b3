// SPDX-License-Identifier: MIT
/*
 * Method streams. Two mechanisms order the work of a stream: a semaphore release with WFI happens
 * when all earlier launches have ended, and a copy releases its own semaphore, which the next
 * submission acquires. Which methods are needed was found on an H200 by omitting one at a time.
 */
#include <string.h>
#include "hw/nv/copy.h"
#include "hw/nv/texture.h"
#include "libsov/gpu/nv/nv_gpu.h"

/* Writes consecutive methods with one incrementing header. */
#define METHODS(p, subchannel, method, ...) \
	push_methods(p, subchannel, method, (const uint32_t[]){__VA_ARGS__}, \
		     sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
#define HIGH(address) ((uint32_t)((address) >> 32))
#define LOW(address)  ((uint32_t)(address))

/* Always inlined, so that the compiler stores the words directly and omits the array. */
__attribute__((always_inline)) static inline void push_methods(struct gpu_push *p,
							       uint32_t subchannel, uint32_t method,
							       const uint32_t *data, uint32_t count)
{
	uint32_t *words = p->words + p->count, i;

	if (p->capacity - p->count < count + 1) {
		p->overflow = true;
		return;
	}
	words[0] = nv_method_pack(NV_METHOD_INC, subchannel, method, count);
	for (i = 0; i < count; i++)
		words[i + 1] = data[i];
	p->count += count + 1;
}

static void push_texture_pools(struct gpu_push *p, const struct nv_chip *chip)
{
	uint64_t samplers = chip->textures + GPU_MAX_TEXTURES * NV_TEXTURE_BYTES;

	METHODS(p, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_TEXTURE_SAMPLERS_A, HIGH(samplers),
		LOW(samplers), GPU_MAX_TEXTURES - 1);
	METHODS(p, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_TEXTURE_HEADERS_A, HIGH(chip->textures),
		LOW(chip->textures), GPU_MAX_TEXTURES - 1);
}

void nv_push_setup(struct gpu_push *p, const struct nv_chip *chip)
{
	METHODS(p, NV_SUBCHANNEL_COMPUTE, NV_HOST_SET_OBJECT, chip->compute_class);
	METHODS(p, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_SHARED_WINDOW_A, HIGH(chip->shared_window),
		LOW(chip->shared_window));
	METHODS(p, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_LOCAL_WINDOW_A, HIGH(chip->local_window),
		LOW(chip->local_window));
	if (chip->textures)
		push_texture_pools(p, chip);
}

void nv_push_bind_copy(struct gpu_push *p, const struct nv_chip *chip)
{
	METHODS(p, NV_SUBCHANNEL_COPY, NV_HOST_SET_OBJECT, chip->copy_class);
}

void nv_push_wfi(struct gpu_push *p)
{
	METHODS(p, 0, NV_HOST_WFI, 0);
}

void nv_push_invalidate_constants(struct gpu_push *p)
{
	METHODS(p, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_INVALIDATE_SHADER_CACHES_NO_WFI,
		NV_INVALIDATE_CONSTANT);
}

void nv_push_interrupt(struct gpu_push *p)
{
	METHODS(p, 0, NV_HOST_NON_STALL_INTERRUPT, 0);
}

void nv_push_set_local(struct gpu_push *p, uint64_t area, uint64_t tpc_bytes)
{
	METHODS(p, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_LOCAL_MEMORY_A, HIGH(area), LOW(area));
	METHODS(p, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_LOCAL_MEMORY_TPC_A, HIGH(tpc_bytes),
		LOW(tpc_bytes), NV_LOCAL_MEMORY_ALL_SMS);
}

void nv_push_acquire(struct gpu_push *p, uint64_t semaphore, uint32_t payload)
{
	METHODS(p, 0, NV_HOST_SEM_ADDR_LO, LOW(semaphore), HIGH(semaphore), payload, 0,
		NV_SEM_ACQUIRE_CIRC_GEQ | NV_SEM_ACQUIRE_SWITCH_TSG);
}

void nv_push_wait_value(struct gpu_push *p, uint64_t address, uint64_t value, uint32_t bytes,
			enum gpu_wait condition)
{
	static const uint32_t operations[] = {
		[GPU_WAIT_REACHED] = NV_SEM_ACQUIRE_CIRC_GEQ,
		[GPU_WAIT_EQUAL] = NV_SEM_ACQUIRE,
		[GPU_WAIT_AND] = NV_SEM_ACQUIRE_AND,
		[GPU_WAIT_NOR] = NV_SEM_ACQUIRE_NOR,
	};

	METHODS(p, 0, NV_HOST_SEM_ADDR_LO, LOW(address), HIGH(address), LOW(value), HIGH(value),
		operations[condition] | NV_SEM_ACQUIRE_SWITCH_TSG |
			(bytes == 8 ? NV_SEM_PAYLOAD_64 : 0));
}

void nv_push_write_value(struct gpu_push *p, uint64_t address, uint64_t value, uint32_t bytes)
{
	METHODS(p, 0, NV_HOST_SEM_ADDR_LO, LOW(address), HIGH(address), LOW(value), HIGH(value),
		NV_SEM_RELEASE | NV_SEM_RELEASE_WFI | (bytes == 8 ? NV_SEM_PAYLOAD_64 : 0));
}

void nv_push_release(struct gpu_push *p, uint64_t semaphore, uint32_t payload, uint32_t flags)
{
	METHODS(p, 0, NV_HOST_SEM_ADDR_LO, LOW(semaphore), HIGH(semaphore), payload, 0,
		NV_SEM_RELEASE | (flags & GPU_RELEASE_NO_WAIT ? 0 : NV_SEM_RELEASE_WFI) |
			(flags & GPU_RELEASE_TIMESTAMP ? NV_SEM_RELEASE_TIMESTAMP : 0));
}

/* Non-pipelined: the copy starts when the previous one has ended. Flush: its writes are visible
 * before the semaphore release. */
#define COPY_LAUNCH \
	(NV_COPY_TRANSFER_NON_PIPELINED | NV_COPY_FLUSH | NV_COPY_RELEASE_PLAIN | \
	 NV_COPY_SRC_LINEAR | NV_COPY_DST_LINEAR)

void nv_push_copy(struct gpu_push *p, uint64_t destination, uint64_t source, uint32_t bytes,
		  uint64_t semaphore, uint32_t payload)
{
	METHODS(p, NV_SUBCHANNEL_COPY, NV_COPY_SRC_HIGH, HIGH(source), LOW(source),
		HIGH(destination), LOW(destination));
	METHODS(p, NV_SUBCHANNEL_COPY, NV_COPY_LINE_BYTES, bytes, 1);
	METHODS(p, NV_SUBCHANNEL_COPY, NV_COPY_SEMAPHORE_A, HIGH(semaphore), LOW(semaphore),
		payload);
	METHODS(p, NV_SUBCHANNEL_COPY, NV_COPY_LAUNCH, COPY_LAUNCH);
}

void nv_push_copy_lines(struct gpu_push *p, const struct gpu_lines *l, uint64_t semaphore,
			uint32_t payload)
{
	METHODS(p, NV_SUBCHANNEL_COPY, NV_COPY_SRC_HIGH, HIGH(l->source), LOW(l->source),
		HIGH(l->destination), LOW(l->destination), l->source_pitch, l->destination_pitch,
		l->bytes, l->lines);
	METHODS(p, NV_SUBCHANNEL_COPY, NV_COPY_SEMAPHORE_A, HIGH(semaphore), LOW(semaphore),
		payload);
	METHODS(p, NV_SUBCHANNEL_COPY, NV_COPY_LAUNCH, COPY_LAUNCH | NV_COPY_MULTI_LINE);
}

void nv_push_fill(struct gpu_push *p, uint64_t destination, uint32_t value, uint32_t element_bytes,
		  uint32_t count, uint64_t semaphore, uint32_t payload)
{
	METHODS(p, NV_SUBCHANNEL_COPY, NV_COPY_DST_HIGH, HIGH(destination), LOW(destination));
	METHODS(p, NV_SUBCHANNEL_COPY, NV_COPY_LINE_BYTES, count, 1);
	METHODS(p, NV_SUBCHANNEL_COPY, NV_COPY_REMAP_CONST_A, value, 0,
		NV_COPY_REMAP_FILL(element_bytes));
	METHODS(p, NV_SUBCHANNEL_COPY, NV_COPY_SEMAPHORE_A, HIGH(semaphore), LOW(semaphore),
		payload);
	METHODS(p, NV_SUBCHANNEL_COPY, NV_COPY_LAUNCH, COPY_LAUNCH | NV_COPY_REMAP);
}

void nv_push_inline(struct gpu_push *p, uint64_t destination, const void *data, uint32_t bytes)
{
	uint32_t whole = bytes / 4, words = (bytes + 3) / 4, last = 0;

	METHODS(p, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_INLINE_BYTES, bytes, 1, HIGH(destination),
		LOW(destination));
	METHODS(p, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_INLINE_LAUNCH,
		NV_INLINE_LINEAR | NV_INLINE_SYSMEMBAR_OFF);
	if (p->capacity - p->count < words + 1) {
		p->overflow = true;
		return;
	}
	p->words[p->count++] = nv_method_pack(NV_METHOD_NON_INC, NV_SUBCHANNEL_COMPUTE,
					      NV_COMPUTE_INLINE_DATA, words);
	memcpy(p->words + p->count, data, 4ul * whole);
	if (words > whole) {
		memcpy(&last, (const uint8_t *)data + 4ul * whole, bytes % 4);
		p->words[p->count + whole] = last;
	}
	p->count += words;
}

void nv_push_launch(struct gpu_push *p, const struct nv_chip *chip, uint64_t qmd)
{
	METHODS(p, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_SEND_PCAS_A, (uint32_t)(qmd >> 8));
	if (chip->sm < 80) {
		METHODS(p, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_SEND_SIGNALING_PCAS_B,
			NV_PCAS_INVALIDATE | NV_PCAS_SCHEDULE);
		return;
	}
	METHODS(p, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_SEND_SIGNALING_PCAS2_B,
		NV_PCAS2_PREFETCH_SCHEDULE);
}
