/* SPDX-License-Identifier: MIT */
/* Kernels that call services; _ptx.sh writes _kernels.ptx. */
#define KERNEL extern "C" __attribute__((global))
#define DEVICE extern "C" __attribute__((device))
DEVICE int printf(const char *, ...);
DEVICE int vprintf(const char *, const char *);
DEVICE void __assertfail(const char *, const char *, unsigned, const char *, unsigned long);
DEVICE void *malloc(unsigned long);
DEVICE void free(void *);
__attribute__((device)) char variable[] = "variable";

static __attribute__((device)) inline unsigned number()
{
	return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
	       __nvvm_read_ptx_sreg_tid_x();
}

/* One conversion of each kind, and what is none. */
KERNEL void conversions(int *counts)
{
	char local[4];

	local[0] = 'o', local[1] = 'k', local[2] = 0;
	counts[0] = printf("%d %i %u %o %x %X %c\n", -1, 42, 4000000000u, 8, 255, 255, 'z');
	counts[1] = printf("%ld %lld %zu %jx %llo\n", -5000000000l, 1ll << 60, 7ul, 1l << 40, 8ll);
	counts[2] = printf("%hd %hhd %hu %hhx\n", 70000, 300, 70000, 511);
	counts[3] = printf("%f %e %g %a %F %E %G %A\n", 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5);
	counts[4] = printf("%5d|%-5d|%05d|%+d|% d|%#x|%.3d\n", 42, 42, 42, 42, 42, 42, 42);
	counts[5] = printf("%*d|%-*d|%.*f|%*.*f\n", 5, 42, 5, 42, 2, 3.14159, 8, 3, 2.71828);
	counts[6] = printf("%s|%8s|%-8s|%.3s|%s\n", "literal", "right", "left", "cut off", variable);
	counts[7] = printf("%s %p %%%c %q\n", local, (void *)0x1234, 'x');
	counts[8] = printf("nothing\n");
	counts[9] = printf("%s|%lc\n", "", 65ul);
	counts[10] = vprintf(0, 0);
}

KERNEL void lines(unsigned n)
{
	if (number() < n)
		printf("%u %s %f\n", number(), number() & 1 ? "odd" : "even", number() * 0.5);
}

/* After a service nothing has changed that is the caller's. */
KERNEL void keeps(unsigned *out)
{
	unsigned v[24], i, n = number();

	for (i = 0; i < 24; i++)
		v[i] = n * 77 + i * i;
	if (n % 3 == 0)
		printf("%u\n", n);
	for (i = 0; i < 24; i++)
		out[n * 24 + i] = v[i] ^ (n % 3 ? 0 : i);
}

KERNEL void asserts(unsigned bad, unsigned *out)
{
	unsigned i = number();

	if (i % 16 == bad)
		__assertfail("i % 16 != bad", "some/where.cu", 42, "asserts", 1);
	out[i] = i;
}

/* Each thread holds some blocks at a time and looks whether another has written into them. */
KERNEL void blocks(unsigned iterations, unsigned *bad)
{
	unsigned i = number(), wrong = 0, *held[4] = {0, 0, 0, 0};

	for (unsigned t = 0; t < iterations; t++) {
		unsigned **at = &held[(i + t * 3) % 4], words = 1 + (i * 7 + t * 13) % 90;

		if (*at) {
			for (unsigned k = 1; k <= **at; k++)
				wrong += (*at)[k] != i * 1000 + k;
			free(*at);
		}
		*at = (unsigned *)malloc(4 * (words + 1));
		if (!*at) {
			wrong += 10000;
			continue;
		}
		wrong += (unsigned long)*at % 16 != 0;
		**at = words;
		for (unsigned k = 1; k <= words; k++)
			(*at)[k] = i * 1000 + k;
	}
	for (unsigned k = 0; k < 4; k++)
		free(held[k]);
	bad[i] = wrong;
}

/* How many blocks there are. */
KERNEL void exhaust(unsigned long bytes, unsigned *got)
{
	void *first = 0;

	*got = 0;
	for (void **p; (p = (void **)malloc(bytes)); first = p, ++*got)
		*p = first;
	for (void *p = first, *next; p; p = next) {
		next = *(void **)p;
		free(p);
	}
	if (malloc(0) || malloc(1ul << 60))
		*got = 0;
}

KERNEL void twice(unsigned long offset)
{
	char *p = (char *)malloc(100);

	free(p + offset);
	free(p);
}
