// SPDX-License-Identifier: MIT
// Counts dispatches; tests/silicon/vulkan_latency.c measures it.
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Out { uint count; };
layout(push_constant) uniform Push { uint step; };
void main()
{
	count += step;
}
