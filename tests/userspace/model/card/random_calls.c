// SPDX-License-Identifier: MIT
/* The card survives any driver: random objects, controls and frees, many of them nearly valid
 * because handles, classes, commands and sizes come from short lists, mixed with doorbells and
 * invalidates. Every call must be answered, the card must reset, and the next driver must find it
 * working. Sanitizers check memory. */
#include "hw/nv/compute.h"
#include "hw/nv/copy.h"
#include "tests/userspace/model/card/_driver.h"

#define ROUNDS (TAP_SLOWNESS > 1 ? 60 : 300)
#define CALLS  150

static uint64_t seed = 1;

static uint32_t random_below(uint32_t below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % below;
}
#define PICK(list) (list)[random_below(sizeof(list) / sizeof(*(list)))]

static const uint32_t handles[] = {CLIENT,  DEVICE, SUBDEVICE, SPACE, GROUP,     SHARE,
				   CHANNEL, OTHER,  COPIER,    0,     0xc1e00004};
static const struct {
	uint32_t number, bytes;
} classes[] =
	{
		{RM_CLASS_ROOT, 120},
		{RM_CLASS_DEVICE, 56},
		{RM_CLASS_SUBDEVICE, 4},
		{RM_CLASS_VA_SPACE, 48},
		{RM_CLASS_CHANNEL_GROUP, 20},
		{RM_CLASS_CONTEXT_SHARE, 12},
		{NV_CLASS_HOPPER_CHANNEL, 368},
		{NV_CLASS_HOPPER_COMPUTE, 0},
		{RM_CLASS_HOPPER_3D, 0},
		{NV_CLASS_HOPPER_COPY, 8},
		{0x1234, 8},
},
  commands[] = {
	  {RM_CONTROL_GPCS, 4},
	  {RM_CONTROL_TPCS, 8},
	  {RM_CONTROL_FALCONS, 1284},
	  {RM_CONTROL_PROMOTE, 560},
	  {RM_CONTROL_CONTEXT_BUFFERS, 1664},
	  {RM_CONTROL_INTERRUPTS, 2068},
	  {RM_CONTROL_ENGINES, 3212},
	  {RM_CONTROL_PREEMPTION, 32},
	  {RM_CONTROL_METHOD_BUFFER, 4},
	  {RM_CONTROL_SET_DIRECTORY, 32},
	  {RM_CONTROL_UNSET_DIRECTORY, 8},
	  {RM_CONTROL_COPY_DIRECTORIES, 184},
	  {RM_CONTROL_SCHEDULE, 2},
	  {RM_CONTROL_TIME_SLICE, 8},
	  {RM_CONTROL_SCHEDULE_CHANNEL, 2},
	  {RM_CONTROL_BIND, 4},
	  {RM_CONTROL_STOP, 1},
	  {RM_CONTROL_TOKEN, 4},
	  {0x20801234, 4},
};

/* Parameters: zeros, or valid ones for some class, with a few words changed. */
static void fill(uint8_t *p, uint32_t bytes)
{
	static const uint32_t values[] = {0,     1,       2,          8,
					  11,    0x1000,  0xffffffff, CLIENT,
					  SPACE, CHANNEL, GROUP,      (uint32_t)TABLES};
	struct rm_channel_parameters channel = channel_parameters();
	uint32_t changes = random_below(3);

	memset(p, 0, bytes);
	if (bytes == sizeof(channel))
		memcpy(p, &channel, bytes);
	while (bytes >= 4 && changes--) {
		uint32_t value = PICK(values);

		memcpy(p + 4 * random_below(bytes / 4), &value, 4);
	}
}

/* Returns false if no answer arrives. */
static bool random_call(void)
{
	static uint8_t p[4096 - NV_GSP_HEADERS];
	uint32_t kind = random_below(8), choice = random_below(sizeof(classes) / sizeof(*classes));

	status = ~0u;
	if (kind < 3) {
		fill(p, classes[choice].bytes);
		return rm_alloc(PICK(handles), PICK(handles), classes[choice].number, p,
				classes[choice].bytes) != ~0u;
	}
	if (kind < 7) {
		choice = random_below(sizeof(commands) / sizeof(*commands));
		uint32_t bytes = commands[choice].bytes + (random_below(10) ? 0 : 4);

		fill(p, bytes);
		return rm_control(PICK(handles), commands[choice].number, p, bytes) != ~0u;
	}
	return rm_free(PICK(handles)) != ~0u;
}

static bool valid_start(void)
{
	return !make_device() && !make_space() && !start_channel();
}

int main(void)
{
	uint32_t unanswered = 0, wrong = 0;

	if (!machine_open())
		return tap_done();
	vram = mmap(NULL, VRAM, PROT_READ | PROT_WRITE, MAP_SHARED,
		    card_region(card, NV_PCI_BAR_VRAM).fd, 0);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		boot_gsp();
		if (round % 2)
			wrong += !valid_start();
		for (uint32_t i = 0; i < CALLS; i++) {
			unanswered += !random_call();
			if (!random_below(10))
				write32(NV_VF_DOORBELL,
					NV_DOORBELL(random_below(3), random_below(8)));
			if (!random_below(20))
				invalidate();
		}
	}
	ok(!unanswered, "every one of %u random calls is answered", ROUNDS * CALLS);
	ok(!wrong, "after each round of random calls a correct driver starts a channel");
	boot_gsp();
	bool last = valid_start();

	ok(last && !rm_free(CHANNEL) && !free_all(),
	   "after all rounds a correct driver starts and frees a channel");
	ok(card_refusals(card) > ROUNDS, "most random calls are refused");
	munmap(vram, VRAM);
	machine_close();
	return tap_done();
}
