// SPDX-License-Identifier: MIT
// loops, break and continue, switches with fall-through, early returns, functions with pointers
// in s32: 0 1 2 3 4 5 6 7
// out s32: 100 111 222 533 40 105 66 1007
#version 460
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer A { int a[]; };
layout(std430, binding = 1) buffer R { int r[]; };
int total;

int collatz(int n, inout int steps)
{
	while (n > 1) {
		if (steps > 1000)
			return -1;
		n = (n & 1) == 0 ? n / 2 : 3 * n + 1;
		steps++;
	}
	return n;
}

int choose(int x)
{
	int v = 0;

	switch (x) {
	case 0:
		return 100;
	case 3:
		v += 300;
	case 2:
		v += 200;
		break;
	case 5:
	case 1:
		v += 100;
		break;
	case 7:
		v = 1000;
		break;
	default:
		for (int k = 0; k < 10; k++) {
			if (k == 2)
				continue;
			if (k > x)
				break;
			v += k;
		}
	}
	return v;
}

void main()
{
	int x = a[gl_LocalInvocationID.x], steps = 0;
	int v = choose(x);

	total = v;
	if (x == 0) {
		r[0] = v;
		return;
	}
	collatz(x, steps);
	total += x < 4 ? 11 * x - (x == 1 ? 0 : 0) : 0;
	if (x == 4)
		total = v + steps * 15 + 2;
	if (x == 5)
		total += steps;
	if (x == 6)
		total = v * 3 + steps - 1 + 1 + 1;
	if (x == 7)
		total += 7;
	r[x] = total;
}
