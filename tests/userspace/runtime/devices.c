// SPDX-License-Identifier: MIT
/*
 * Device enumeration for settings of SOV_SOFT and SOV_VISIBLE_DEVICES. A process enumerates once,
 * so each row runs in a child process.
 */
#include <sys/wait.h>
#include <unistd.h>
#include "tests/userspace/runtime/_api.h"

struct row {
	const char *soft, *visible; /* NULL: not set */
	const char *want;           /* device names in order, or a result and its message */
};

static const struct row rows[] = {
	{NULL, NULL, "gh100.0 "},
	{"", NULL, ""},
	{"none", NULL, ""},
	{"ga100", NULL, "ga100.0 "},
	{"gh100,ga100,gh100", NULL, "gh100.0 ga100.0 gh100.1 "},
	{"gh100:vram=1G:threads=2:hazard", NULL, "gh100.0 "},
	{"gh100,ga100", "1", "ga100.0 "},
	{"gh100,ga100", "1,0", "ga100.0 gh100.0 "},
	{"gh100,ga100", "ga100.0", "ga100.0 "},
	{"gh100,ga100", " ga100.0 , 0 ", "ga100.0 gh100.0 "},
	{"gh100,ga100", "", ""},
	{"gh100,ga100", "2",
	 "INVALID_ARGUMENT SOV_VISIBLE_DEVICES: '2' is not a device; there are: 0 = gh100.0, 1 = "
	 "ga100.0"},
	{"gh100", "-1",
	 "INVALID_ARGUMENT SOV_VISIBLE_DEVICES: '-1' is not a device; there are: 0 = gh100.0"},
	{"gh100", "00",
	 "INVALID_ARGUMENT SOV_VISIBLE_DEVICES: '00' is not a device; there are: 0 = gh100.0"},
	{"gh100", "0 0",
	 "INVALID_ARGUMENT SOV_VISIBLE_DEVICES: '0 0' is not a device; there are: 0 = gh100.0"},
	{"gh100", "gh100.1",
	 "INVALID_ARGUMENT SOV_VISIBLE_DEVICES: 'gh100.1' is not a device; there are: 0 = gh100.0"},
	{"gh100", "0,gh100.0",
	 "INVALID_ARGUMENT SOV_VISIBLE_DEVICES: 'gh100.0' names gh100.0 a second time; once is "
	 "enough"},
	{"gh100", "0,",
	 "INVALID_ARGUMENT SOV_VISIBLE_DEVICES: '0,' ends with a comma; a device must follow"},
	{"gh100", ",0",
	 "INVALID_ARGUMENT SOV_VISIBLE_DEVICES: '' is not a device; there are: 0 = gh100.0"},
	{"none", "0", "INVALID_ARGUMENT SOV_VISIBLE_DEVICES: '0' is not a device; there are: none"},
	{"gh200", NULL,
	 "INVALID_ARGUMENT SOV_SOFT: 'gh200' is no chip; known: gh100 ga100 ga102 ad102 tu102 "
	 "gv100 navi21"},
	{"gh100,,ga100", NULL,
	 "INVALID_ARGUMENT SOV_SOFT: '' is no chip; known: gh100 ga100 ga102 ad102 tu102 gv100 "
	 "navi21"},
	{"gh100,", NULL, "INVALID_ARGUMENT SOV_SOFT: 'gh100,' ends with a comma"},
	{"gh100,none", NULL,
	 "INVALID_ARGUMENT SOV_SOFT: 'none' is no chip; known: gh100 ga100 ga102 ad102 tu102 gv100 "
	 "navi21"},
	{"gh100:fast", NULL,
	 "INVALID_ARGUMENT SOV_SOFT: 'fast' is no option; known: vram=SIZE threads=N hazard "
	 "inexact weak=SEED"},
	{"gh100:hazard=1", NULL,
	 "INVALID_ARGUMENT SOV_SOFT: 'hazard=1' is no option; known: vram=SIZE threads=N hazard "
	 "inexact weak=SEED"},
	{"gh100:hazard:hazard", NULL, "INVALID_ARGUMENT SOV_SOFT: hazard is given twice for gh100"},
	{"gh100:inexact", NULL,
	 "INVALID_ARGUMENT SOV_SOFT: inexact is for AMD's chips only, not for gh100"},
	{"navi21:inexact:inexact", NULL,
	 "INVALID_ARGUMENT SOV_SOFT: inexact is given twice for navi21"},
	{"gh100:threads=0", NULL,
	 "INVALID_ARGUMENT SOV_SOFT: threads is '0'; it must be a number from 1 to 1024"},
	{"gh100:threads=2K", NULL,
	 "INVALID_ARGUMENT SOV_SOFT: threads is '2K'; it must be a number from 1 to 1024"},
	{"gh100:threads=1:threads=1", NULL,
	 "INVALID_ARGUMENT SOV_SOFT: threads is given twice for gh100"},
	{"gh100:weak=0", NULL,
	 "INVALID_ARGUMENT SOV_SOFT: weak is '0'; it must be a seed, a number from 1 on"},
	{"gh100:weak", NULL,
	 "INVALID_ARGUMENT SOV_SOFT: 'weak' is no option; known: vram=SIZE threads=N hazard "
	 "inexact weak=SEED"},
	{"navi21:weak=1:weak=2", NULL, "INVALID_ARGUMENT SOV_SOFT: weak is given twice for navi21"},
	{"gh100:vram=1M", NULL,
	 "INVALID_ARGUMENT SOV_SOFT: vram is '1M'; it must be a number of bytes from 64M to 1024G"},
	{"gh100:vram=1025G", NULL,
	 "INVALID_ARGUMENT SOV_SOFT: vram is '1025G'; it must be a number of bytes from 64M to "
	 "1024G"},
	{"gh100:vram=99999999999999999999", NULL,
	 "INVALID_ARGUMENT SOV_SOFT: vram is '99999999999999999999'; it must be a number of bytes "
	 "from 64M to 1024G"},
	{"gh100:vram=G", NULL,
	 "INVALID_ARGUMENT SOV_SOFT: vram is 'G'; it must be a number of bytes from 64M to 1024G"},
	{"gh100:vram=1G:vram=1G", NULL, "INVALID_ARGUMENT SOV_SOFT: vram is given twice for gh100"},
};

static void set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

/* The child's standard output. */
static void in_child(const struct row *row, void (*say)(void), char *text, size_t size)
{
	int pipes[2], status;
	ssize_t n;
	size_t used = 0;
	pid_t child;

	if (pipe(pipes))
		exit(1);
	fflush(stdout);
	child = fork();
	if (!child) {
		dup2(pipes[1], 1);
		close(pipes[0]);
		close(pipes[1]);
		set("SOV_SOFT", row->soft);
		set("SOV_VISIBLE_DEVICES", row->visible);
		say();
		fflush(stdout);
		_exit(0);
	}
	close(pipes[1]);
	while ((n = read(pipes[0], text + used, size - 1 - used)) > 0)
		used += (size_t)n;
	text[used] = 0;
	close(pipes[0]);
	waitpid(child, &status, 0);
	if (status)
		snprintf(text, size, "the child ended with status 0x%x", (unsigned)status);
}

static void say_names(void)
{
	sov_device_properties p = SOV_INIT(sov_device_properties);
	uint32_t count, i;
	sov_result r = sov_device_count(&count);
	sov_device d;

	if (r) {
		printf("%s %s", sov_result_name(r) + strlen("SOV_ERROR_"), sov_last_error());
		return;
	}
	for (i = 0; i < count; i++) {
		if (sov_device_open(i, &d) || sov_device_get_properties(d, &p) || p.ordinal != i)
			printf("device %u is wrong ", i);
		printf("%s ", p.name);
	}
	if (sov_device_open(count, &d) != SOV_ERROR_NO_DEVICE)
		printf("device %u is there too ", count);
}

static void say_no_device(void)
{
	sov_device d;

	sov_device_open_name("navi21.0", &d);
	printf("%s", sov_last_error());
}

static void say_repair(void)
{
	uint32_t count;
	sov_result wrong = sov_device_count(&count), right;

	setenv("SOV_SOFT", "ga100", 1);
	right = sov_device_count(&count);
	printf("%d %d %u", wrong, right, count);
}

static void wishes(void)
{
	static const struct {
		sov_device_requirements wish;
		const char *want; /* NULL: none */
	} table[] = {
		{{.features = 0}, "gh100.0"},
		{{.target = "sm_80"}, "ga100.0"},
		{{.features = SOV_FEATURE_F64, .memory_bytes = UINT64_C(1) << 30}, "ga100.0"},
		{{.features = SOV_FEATURE_HAZARD_CHECK}, "gh100.1"},
		{{.features = SOV_FEATURE_HAZARD_CHECK, .target = "sm_80"}, NULL},
		{{.features_excluded = SOV_FEATURE_SOFTWARE}, NULL},
		{{.multiprocessors = 132}, "gh100.0"},
		{{.multiprocessors = 100000}, NULL},
		{{.memory_bytes = UINT64_C(1) << 50}, NULL},
	};
	sov_device_properties p = SOV_INIT(sov_device_properties);
	sov_device d;
	uint32_t i;

	for (i = 0; i < COUNT(table); i++) {
		sov_device_requirements w = table[i].wish;
		sov_result r;

		w.size = sizeof(w);
		r = sov_device_open_matching(&w, &d);
		if (!r)
			sov_device_get_properties(d, &p);
		ok(table[i].want ? !r && !strcmp(p.name, table[i].want) : r == SOV_ERROR_NO_DEVICE,
		   "requirements %u open %s", i, table[i].want ? table[i].want : "nothing");
	}
	refused(sov_device_open_matching(
			&(sov_device_requirements){.size = sizeof(sov_device_requirements),
						   .target = "sm_1"},
			&d),
		SOV_ERROR_NO_DEVICE,
		"target sm_1; there are: 0 = gh100.0, 1 = ga100.0, 2 = gh100.1",
		"an error for unmet requirements repeats them and lists the devices");
}

static void properties(void)
{
	sov_device_properties p = SOV_INIT(sov_device_properties);
	sov_device d;

	MUST(sov_device_open_name("gh100.1", &d));
	good(sov_device_get_properties(d, &p), "device properties can be read");
	is_str(p.target, "sm_90", "the target of gh100 is sm_90");
	is_str(p.winsys, "soft", "the winsys of a software GPU is soft");
	ok(p.features == (SOV_FEATURE_F64 | SOV_FEATURE_F16 | SOV_FEATURE_TIMESTAMPS |
			  SOV_FEATURE_SOFTWARE | SOV_FEATURE_HAZARD_CHECK),
	   "a software GPU with hazard checks has the expected feature bits");
	ok(p.warp_size == 32 && p.max_threads_per_block == 1024 && p.max_block[0] == 1024 &&
		   p.max_block[2] == 64 && p.max_grid[0] == 0x7fffffff && p.max_grid[2] == 65535,
	   "launch limits of the software GPU equal the hardware's");
	ok(p.memory_bytes == UINT64_C(256) << 20, "the memory size is the one in SOV_SOFT");
	ok(p.ordinal == 2, "the ordinal is the position in the device list");
}

static void say_uuids(void)
{
	sov_device_identity a = SOV_INIT(sov_device_identity), b = a;
	sov_device d;

	MUST(sov_device_open_name("gh100.0", &d));
	MUST(sov_device_get_identity(d, &a));
	MUST(sov_device_open_name("gh100.1", &d));
	MUST(sov_device_get_identity(d, &b));
	for (int k = 0; k < 16; k++)
		printf("%02x", a.uuid[k]);
	printf(memcmp(a.uuid, b.uuid, 16) ? " differ" : " equal");
}

static void identity(void)
{
	static const struct row first = {"gh100,gh100", NULL, NULL},
				second = {"ga100,gh100,gh100", NULL, NULL};
	sov_device_identity i = SOV_INIT(sov_device_identity);
	char here[256], there[256];
	sov_device d;

	MUST(sov_device_open_name("gh100.1", &d));
	good(sov_device_get_identity(d, &i), "the identity of a device can be read");
	ok(!i.known && !i.pci_vendor_id && !i.pci_bus,
	   "a software GPU has no PCI address and no file");
	ok(i.uuid[6] >> 4 == 8 && i.uuid[8] >> 6 == 2, "its UUID is one of RFC 9562's version 8");
	in_child(&first, say_uuids, here, sizeof(here));
	in_child(&second, say_uuids, there, sizeof(there));
	ok(strstr(here, " differ"), "two devices have different UUIDs");
	is_str(there, here, "a device has the same UUID in each process");
	refused(sov_device_get_identity(d, NULL), SOV_ERROR_INVALID_ARGUMENT, "NULL",
		"an identity needs a structure");
}

static void state(void)
{
	sov_device_state s = SOV_INIT(sov_device_state);
	sov_device_process p[2] = {{.pid = 0}};
	uint32_t count = 9;
	sov_context c;
	sov_device d;
	sov_ptr at;

	MUST(sov_device_open_name("gh100.1", &d));
	good(sov_device_get_state(d, &s), "the state of a device can be read");
	ok(s.known == SOV_STATE_MEMORY && s.memory_bytes == UINT64_C(256) << 20 &&
		   s.memory_free == s.memory_bytes && !s.temperature && !s.power,
	   "a software GPU knows its memory and nothing else");
	good(sov_device_get_processes(d, 2, p, &count), "its processes can be listed");
	ok(!count, "no process computes on a new software GPU");
	MUST(sov_context_create(d, NULL, &c));
	MUST(sov_memory_alloc(c, 64 << 20, &at));
	MUST(sov_device_get_state(d, &s));
	ok(s.memory_free <= s.memory_bytes - (64 << 20), "an allocation reduces the free memory");
	good(sov_device_get_processes(d, 2, p, &count), "processes can be listed again");
	ok(count == 1 && p[0].pid == (uint32_t)getpid() &&
		   p[0].memory_bytes == s.memory_bytes - s.memory_free,
	   "this process computes on its software GPU with the memory that is not free");
	count = 0;
	ok(!sov_device_get_processes(d, 0, NULL, &count) && count == 1,
	   "without room for processes their number is returned");
	refused(sov_device_get_processes(d, 2, NULL, &count), SOV_ERROR_INVALID_ARGUMENT,
		"processes is NULL", "room for processes without an array is rejected");
	refused(sov_device_get_processes(d, 2, p, NULL), SOV_ERROR_INVALID_ARGUMENT,
		"count is NULL", "a list of processes needs a count");
	MUST(sov_context_destroy(c));
}

int main(void)
{
	static const struct row nothing = {"gh100", NULL, NULL}, broken = {"gh1", NULL, NULL};
	char text[1024];
	uint32_t i;

	setenv("SOV_NVRM", "0", 1); /* this is about software GPUs */
	setenv("SOV_KMOD", "0", 1);
	for (i = 0; i < COUNT(rows); i++) {
		char name[256];

		in_child(&rows[i], say_names, text, sizeof(text));
		snprintf(name, sizeof(name), "SOV_SOFT=%s SOV_VISIBLE_DEVICES=%s",
			 rows[i].soft ? rows[i].soft : "(unset)",
			 rows[i].visible ? rows[i].visible : "(unset)");
		is_str(text, rows[i].want, name);
	}
	in_child(&nothing, say_no_device, text, sizeof(text));
	is_str(text, "there is no device 'navi21.0'; there are: 0 = gh100.0",
	       "opening an unknown device name lists the known devices");
	setenv("SOV_SOFT_TRANSLATE", "no", 1);
	in_child(&nothing, say_names, text, sizeof(text));
	is_str(text,
	       "INVALID_ARGUMENT SOV_SOFT_TRANSLATE is 'no'; it must be 0, 1, avx2, eager or "
	       "eager-avx2",
	       "a wrong value of SOV_SOFT_TRANSLATE is an error that lists the right ones");
	setenv("SOV_SOFT_TRANSLATE", "eager", 1);
	in_child(&nothing, say_names, text, sizeof(text));
	is_str(text, "gh100.0 ", "SOV_SOFT_TRANSLATE=eager is a value");
	unsetenv("SOV_SOFT_TRANSLATE");
	in_child(&broken, say_repair, text, sizeof(text));
	is_str(text, "2 0 1", "device enumeration succeeds after an invalid variable is corrected");

	setenv("SOV_SOFT", "gh100:vram=512M,ga100:vram=1G,gh100:hazard:vram=256M", 1);
	unsetenv("SOV_VISIBLE_DEVICES");
	wishes();
	properties();
	identity();
	state();
	return tap_done();
}
