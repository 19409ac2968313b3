// SPDX-License-Identifier: MIT
/* Clearing of video memory: the stream that the kernel driver's file writes runs on the modelled
 * card and clears a range by physical address, exactly; the card refuses it on other channels. */
#include <stdint.h>

typedef uint32_t u32;
typedef uint64_t u64;

#include "hw/nv/copy.h"
#include "tests/userspace/model/card/_driver.h"
#include "kmod/nv/clear_stream.c"

enum { AREA = 0x1000000, GUARD = 0x1000 };

static uint32_t start_channel_with(uint32_t flags)
{
	struct rm_channel_parameters p = channel_parameters();
	struct rm_bind bind = {p.engine};
	struct rm_schedule schedule = {.enable = 1};

	p.flags |= flags;
	if (flags & RM_CHANNEL_PRIVILEGED)
		p.internal_flags = RM_CHANNEL_ADMIN;
	memset(vram + USERD, 0, NV_USERD_BYTES);
	return rm_alloc(DEVICE, CHANNEL, NV_CLASS_HOPPER_CHANNEL, &p, sizeof(p)) |
	       rm_control(CHANNEL, RM_CONTROL_BIND, &bind, sizeof(bind)) |
	       rm_control(CHANNEL, RM_CONTROL_SCHEDULE_CHANNEL, &schedule, RM_SCHEDULE_BYTES_570);
}

static void setup(uint32_t flags)
{
	boot_gsp();
	make_device();
	make_space();
	ok(!start_channel_with(flags), "clear: a channel with flags 0x%x is started", flags);
}
static void end(void)
{
	rm_free(CHANNEL);
	free_all();
	unload_gsp();
}

static void submit(u64 address, u64 bytes, u64 seqno)
{
	uint64_t *entries = data_at(RING);
	uint32_t words = nv_clear_stream_write(data_at(STREAM), NV_CLASS_HOPPER_COPY, address,
					       bytes, VA + SEMAPHORE, seqno);

	uint32_t put = *(uint32_t *)(vram + USERD + NV_USERD_GP_PUT);
	ok(words == NV_CLEAR_STREAM_WORDS, "clear: the stream has the words that are promised");
	entries[put] = nv_gp_entry_pack(VA + STREAM, words);
	__atomic_store_n((uint32_t *)(vram + USERD + NV_USERD_GP_PUT), (put + 1) % RING_ENTRIES,
			 __ATOMIC_RELEASE);
	write32(NV_VF_DOORBELL, NV_DOORBELL(1, CHANNEL_ID));
}

/* Bytes of the range that are not zero, and bytes around it that have lost the pattern. */
static uint64_t count_wrong(uint64_t address, uint64_t bytes)
{
	uint64_t wrong = 0;

	for (uint64_t i = 0; i < bytes; i++)
		wrong += vram[address + i] != 0;
	for (uint64_t i = 0; i < GUARD; i++)
		wrong += (vram[address - 1 - i] != 0xa5) + (vram[address + bytes + i] != 0xa5);
	return wrong;
}

static void clears_exactly(void)
{
	static const struct {
		uint64_t address, bytes;
	} rows[] = {
		{AREA, 4}, {AREA + 4, 4096}, {AREA + 0x10000, 0x10000}, {AREA + 0x1000, 5 << 20}};

	setup(RM_CHANNEL_PRIVILEGED);
	for (uint32_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		u64 seqno = (u64)(i + 1) << 32 | i;

		memset(vram + rows[i].address - GUARD, 0xa5, rows[i].bytes + 2 * GUARD);
		submit(rows[i].address, rows[i].bytes, seqno);
		ok(wait_for((uint8_t *)data_at(SEMAPHORE) + 4, i + 1) &&
			   *(uint64_t *)data_at(SEMAPHORE) == seqno,
		   "clear: %llu bytes release a semaphore of 64 bits",
		   (unsigned long long)rows[i].bytes);
		ok(!count_wrong(rows[i].address, rows[i].bytes),
		   "clear: %llu bytes are zero, and none around them",
		   (unsigned long long)rows[i].bytes);
	}
	end();
	refused(NULL, "clear: the driver's stream is not refused anything");
}

/* The rights that only the driver's own channel has. */
static void needs_rights(uint32_t flags, const char *channel)
{
	setup(flags);
	memset(vram + AREA, 0xa5, 4096);
	submit(AREA, 4096, 1);
	struct nv_gsp_rc rc = wait_for_rc();

	ok(rc.type == NV_XID_CLASS_ERROR && vram[AREA] == 0xa5,
	   "clear: a channel that %s gets an error and clears nothing", channel);
	end();
	refused(NULL, "clear: an error of a channel is not one of the driver");
}

int main(void)
{
	if (machine_open()) {
		struct card_region r = card_region(card, NV_PCI_BAR_VRAM);

		vram = mmap(NULL, VRAM, PROT_READ | PROT_WRITE, MAP_SHARED, r.fd, 0);
		clears_exactly();
		needs_rights(0, "is not privileged");
		needs_rights(RM_CHANNEL_PRIVILEGED | RM_CHANNEL_NO_PHYSICAL_COPIES,
			     "denies physical copies");
		munmap(vram, VRAM);
	}
	machine_close();
	return tap_done();
}
