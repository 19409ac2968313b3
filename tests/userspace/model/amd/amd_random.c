// SPDX-License-Identifier: MIT
/* Executes every modelled instruction with random legal fields on random registers: it completes or
 * reports an error, touches nothing outside the modelled machine (sanitizers check), and gives the
 * same registers when executed twice from the same state. */
#include "tests/tap.h"
#include "hw/amd/kernel_descriptor.h"
#include "model/amd/wave.h"

#define PER_FORM (12 / TAP_SLOWNESS + 2)
#define CODE     0x10000u
#define DATA     0x20000u
#define WORDS    4096u

static uint32_t code[64], data[WORDS];
static uint64_t seed = 7;

static uint64_t next(void *state) /* splitmix64 */
{
	uint64_t z = *(uint64_t *)state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static void *at(void *context, uint64_t va, uint32_t bytes, bool write)
{
	(void)context;
	if (va >= CODE && va + bytes <= CODE + sizeof(code))
		return write ? NULL : (uint8_t *)code + (va - CODE);
	if (va >= DATA && va + bytes <= DATA + sizeof(data))
		return (uint8_t *)data + (va - DATA);
	return NULL;
}

static const struct amd_memory memory = {at, NULL};

/* One wave with random registers, half of them small numbers so that some addresses are valid. */
static void fill(struct wave *w, uint64_t from)
{
	for (uint32_t r = 0; r < 256; r++)
		for (uint32_t i = 0; i < LANES; i++) {
			uint64_t x = next(&from);

			w->v[r][i] =
				x & 1 ? (uint32_t)(x >> 32) : DATA + (uint32_t)(x >> 34) % 8192;
		}
	for (uint32_t r = 0; r < 128; r++)
		w->s[r] = next(&from) & 1 ? (uint32_t)next(&from) : (uint32_t)next(&from) % 64;
	w->s[AMD_NULL] = 0;
	for (uint32_t i = 0; i < WORDS; i++)
		data[i] = (uint32_t)next(&from);
}

static bool run(const struct op *op, uint64_t from, row *v, uint8_t *lds, struct wave *w,
		char *message)
{
	struct model m = {.chip = model_chip_find("navi21"), .vendor = &vendor_amd};
	struct model_space space = {.model = &m};
	struct model_channel c = {.model = &m, .space = &space};
	struct amd_grid grid = {.work = {.channel = &c},
				.memory = &memory,
				.lds_bytes = 65536,
				.private_bytes = 256,
				.threads = {32, 1, 1}};
	struct workgroup g = {.grid = &grid, .lds = lds, .waves_count = 1, .waves = w};
	bool good;

	pthread_mutex_init(&c.lock, NULL);
	*w = (struct wave){.group = &g,
			   .grid = &grid,
			   .v = v,
			   .vgprs = 256,
			   .state = WAVE_RUNNING,
			   .mode = AMD_FLOAT_MODE_DEFAULT,
			   .flat_scratch = DATA};
	fill(w, from);
	op->handler->run(w, op);
	w->group = NULL;
	memcpy(message, c.error.text, sizeof(c.error.text));
	good = !!c.error.fault == !!message[0] && !!c.error.fault == atomic_load(&c.stop);
	pthread_mutex_destroy(&c.lock);
	return good;
}

static bool harmless(struct op *op)
{
	static row v[2][256];
	static uint8_t lds[65536];
	char said[2][sizeof(((struct model_error *)0)->text)];
	struct wave w[2];
	uint64_t from = next(&seed);

	for (uint32_t k = 0; k < 2; k++) {
		memset(lds, 1, sizeof(lds));
		if (!run(op, from, v[k], lds, &w[k], said[k]))
			return false;
	}
	return !memcmp(v[0], v[1], sizeof(v[0])) && !memcmp(w[0].s, w[1].s, sizeof(w[0].s)) &&
	       w[0].scc == w[1].scc && w[0].next == w[1].next && !strcmp(said[0], said[1]);
}

int main(void)
{
	uint32_t rows = 0, bad = 0;

	for (uint32_t op = 0; op < AMD_OP_COUNT; op++) {
		rows += amd_handler_of(op) != NULL;
		for (uint32_t form = 0; form < AMD_FORMS; form++)
			for (uint32_t n = 0; n < PER_FORM; n++) {
				struct op o = {.handler = amd_handler_of(op)};

				if (!o.handler || !amd_row_has(amd_row(op), form) ||
				    op == AMD_s_memrealtime) /* differs every time */
					continue;
				amd_random(AMD_GFX1030, amd_row(op), form, next, &seed, &o.in);
				o.uses_count = (uint8_t)amd_uses(&o.in, o.uses);
				if (!harmless(&o) && bad++ < 10) {
					char text[200];

					amd_print(&o.in, text, sizeof(text));
					diag("%s", text);
				}
			}
	}
	ok(!bad && rows > 850,
	   "%u instructions with random fields are deterministic and touch no foreign memory",
	   rows);
	return tap_done();
}
