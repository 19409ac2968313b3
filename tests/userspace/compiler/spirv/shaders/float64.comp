// SPDX-License-Identifier: MIT
// arithmetic of f64: correctly rounded
// in f64: 1.5 -2.25 1e+100 3.0
// in f64: 0.5 3.0 1e-05 -7.0
// out f64: 2.0 1.0 0.75 3.0 1.224744871391589 1.0 0.5 0.0 0.75 -5.25 -6.75 -0.75 1.5 -3.0 -2.25 1.0 1e+100 1e+100 1.0000000000000002e+95 1e+105 1e+50 1e+100 1e-05 0.0 -4.0 10.0 -21.0 -0.42857142857142855 1.7320508075688772 3.0 -7.0 0.0
#version 460
layout(local_size_x = 4) in;
layout(std430, binding = 0) readonly buffer B0 { double a[]; };
layout(std430, binding = 1) readonly buffer B1 { double b[]; };
layout(std430, binding = 2) buffer B2 { double r[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;

	double x = a[i], y = b[i];
	uint o = i * 8;

	r[o] = x + y;
	r[o + 1] = x - y;
	r[o + 2] = x * y;
	r[o + 3] = x / y;
	r[o + 4] = sqrt(abs(x));
	r[o + 5] = floor(x);
	r[o + 6] = min(x, y);
	r[o + 7] = x < y ? 1.0lf : 0.0lf;
}
