// SPDX-License-Identifier: MIT
/* sovgpu-model: the software GPU as a PCI card for a virtual machine. Waits for QEMU's
 * vfio-user-pci on a local socket, serves it until it disconnects, and exits with status 1 if the
 * card rejected anything that the guest did. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "model/card/vfio.h"

static const char usage[] =
	"usage: sovgpu-model --chip NAME --socket PATH [--vram MIB] [--firmware FOLDER] [--trap] "
	"[--fault NAME] [--runlist-mode KIND] [--stop MS] [--seed N] [--require-quiesced]\n"
	"Serves one virtual machine, whose QEMU has -device vfio-user-pci with this socket.\n"
	"  --chip NAME       gh100; ga102, which boots, but has no channels yet; navi21\n"
	"  --socket PATH     local socket to create and listen on; replaces one that no process "
	"uses\n"
	"  --vram MIB        video memory (default: as the product; pages are allocated on use)\n"
	"  --firmware FOLDER the driver must load the files in FOLDER/nvidia\n"
	"  --trap            trap every access to VRAM, so that page tables apply to windows\n"
	"  --fault NAME[@N]  inject a fault, into the N-th message (an unknown name "
	"lists them)\n"
	"  --runlist-mode KIND  channel groups share an engine by time: sliced (time slices), or "
	"held (until a group is idle)\n"
	"  --stop MS         how long it takes to stop busy channels (0)\n"
	"  --seed N          how long operations take (0), for a run that can be repeated\n"
	"  --require-quiesced  a machine must disconnect with GSP, bus mastering and "
	"interrupts off\n"
	"Exits with 0 when nothing was refused, 1 when something was, 2 when it could not start.\n";

static int fail(const char *what, const char *name)
{
	fprintf(stderr, "sovgpu-model: %s '%s': %s\n", what, name, strerror(errno));
	return -1;
}

/* Whether a process has a socket bound to this address. A datagram socket cannot connect to a
 * stream socket, so that the question does not take the one connection that another model waits
 * for: the kernel answers EPROTOTYPE if such a socket exists, and ECONNREFUSED if only its file is
 * left. */
static bool address_in_use(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool stale = fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof(*address)) &&
		     errno == ECONNREFUSED;

	if (fd >= 0)
		close(fd);
	return !stale;
}

/* Removes a socket that a model left behind; everything else at the path is kept. */
static bool clear_path(const struct sockaddr_un *address)
{
	const char *path = address->sun_path;
	struct stat st;

	if (lstat(path, &st)) {
		if (errno == ENOENT)
			return true;
		fail("socket", path);
		return false;
	}
	if (!S_ISSOCK(st.st_mode)) {
		fprintf(stderr,
			"sovgpu-model: socket '%s': the file exists and is no socket; name "
			"another, "
			"or remove it\n",
			path);
		return false;
	}
	if (address_in_use(address)) {
		fprintf(stderr,
			"sovgpu-model: socket '%s': another process uses it; name another, or end "
			"that process\n",
			path);
		return false;
	}
	if (!unlink(path))
		return true;
	fail("socket", path);
	return false;
}

/* Only this user can connect: a connection can read and write the memory of the guest. */
static int listen_on(const char *path, struct stat *file)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd;

	if (strlen(path) >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		return fail("socket", path);
	}
	strcpy(address.sun_path, path);
	if (!clear_path(&address))
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || fchmod(fd, 0600) || bind(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(fd, 1)) {
		fail("socket", path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	/* Another process may have moved it since bind(): then there is no file to remove. */
	if (lstat(path, file) || !S_ISSOCK(file->st_mode))
		memset(file, 0, sizeof(*file));
	return fd;
}

/* Removes the file that listen_on() created, unless another one has its name by now. */
static void remove_socket(const char *path, const struct stat *file)
{
	struct stat st;

	if (!lstat(path, &st) && st.st_dev == file->st_dev && st.st_ino == file->st_ino)
		unlink(path);
}

static bool read_mb(const char *text, uint64_t *bytes)
{
	char *end;

	errno = 0;
	unsigned long long mb = strtoull(text, &end, 10);

	*bytes = mb << 20;
	return *text >= '0' && *text <= '9' && !*end && !errno && mb && mb <= UINT64_MAX >> 20;
}

static bool read_seed(const char *text, uint64_t *seed)
{
	char *end;

	errno = 0;
	*seed = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

static bool read_ms(const char *text, uint32_t *ms)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	*ms = (uint32_t)value;
	return *text >= '0' && *text <= '9' && !*end && value <= 60000;
}

static bool read_options(int argc, char **argv, struct card_options *o, const char **path)
{
	static const struct option options[] = {
		{"chip", required_argument, NULL, 'c'},
		{"socket", required_argument, NULL, 's'},
		{"vram", required_argument, NULL, 'v'},
		{"firmware", required_argument, NULL, 'f'},
		{"trap", no_argument, NULL, 't'},
		{"fault", required_argument, NULL, 'w'},
		{"runlist-mode", required_argument, NULL, 'u'},
		{"stop", required_argument, NULL, 'p'},
		{"seed", required_argument, NULL, 'e'},
		{"require-quiesced", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int letter;

	while ((letter = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (letter) {
		case 'c':
			o->chip = optarg;
			break;
		case 's':
			*path = optarg;
			break;
		case 'v':
			if (!read_mb(optarg, &o->vram_bytes)) {
				fprintf(stderr,
					"sovgpu-model: --vram '%s' is not a number of MiB\n",
					optarg);
				return false;
			}
			break;
		case 'f':
			o->firmware = optarg;
			break;
		case 't':
			o->trap = true;
			break;
		case 'w':
			o->fault = optarg;
			break;
		case 'u':
			o->runlist_mode = optarg;
			break;
		case 'p':
			if (!read_ms(optarg, &o->stop_ms)) {
				fprintf(stderr,
					"sovgpu-model: --stop '%s' is not a number of ms up to "
					"60000\n",
					optarg);
				return false;
			}
			break;
		case 'e':
			if (!read_seed(optarg, &o->seed)) {
				fprintf(stderr,
					"sovgpu-model: --seed '%s' is not a number of 64 bits\n",
					optarg);
				return false;
			}
			break;
		case 'q':
			o->require_quiesced = true;
			break;
		case 'h':
			fputs(usage, stdout);
			exit(0);
		default:
			return false;
		}
	}
	if (optind < argc || !o->chip || !*path) {
		fputs(usage, stderr);
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct card_options o = {.log = stderr};
	const char *path = NULL;
	char why[256];

	if (!read_options(argc, argv, &o, &path))
		return 2;
	struct card *c = card_create(&o, why, sizeof(why));

	if (!c) {
		fprintf(stderr, "sovgpu-model: %s\n", why);
		return 2;
	}
	struct stat file;
	int listener = listen_on(path, &file);
	int connection = listener < 0 ? -1 : accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (listener >= 0 && connection < 0)
		fail("socket", path);
	if (listener >= 0) {
		close(listener);
		remove_socket(path, &file);
	}
	int status = connection < 0 ? 2 : vfio_serve(c, connection) != 0;

	if (connection >= 0) {
		close(connection);
		card_check_quiesced(c);
		fprintf(stderr, "sovgpu-model: %" PRIu64 " refused\n", card_refusals(c));
		if (card_refusals(c))
			status = 1;
	}
	card_destroy(c);
	return status;
}
