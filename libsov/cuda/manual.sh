#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints libcuda(7): its text, and the table of calls from entries.def.
# usage: libsov/cuda/manual.sh >docs/man/libcuda.7
here=$(dirname "$0")
cat <<'PAGE'
.\" SPDX-License-Identifier: MIT
.\" Made by libsov/cuda/manual.sh.
.TH LIBCUDA 7 "" sovgpu
.SH NAME
libcuda \- CUDA programs without NVIDIA's libraries
.SH SYNOPSIS
.nf
.B eval \(dq$(sov cuda-env)\(dq
.B nvcc \-cudart shared program.cu \-o program && ./program
.B sov run\-cuda ./program
.fi
.SH DESCRIPTION
.BR libcuda.so.1 ,
.BR libcudart.so.12 ,
.B libcudart.so.13
and
.B libnvidia\-ml.so.1
take the place of NVIDIA's libraries of the same names for programs that are already built.
They implement CUDA's driver and runtime interfaces and NVIDIA's management interface (NVML) on
.BR libsov (3),
so that the program runs on every device that
.BR "sov devices" (1)
lists, also on a software GPU.
They lie in a folder of their own, which only
.B LD_LIBRARY_PATH
names.
.PP
A program must use the shared runtime
.RB ( "nvcc \-cudart shared" )
or the driver interface, or be linked with
.BI "nvcc \-L " folder
of these libraries, whose
.B libcudart_static.a
takes the place of NVIDIA's; that of CUDA 12 lies in the folder
.B 12
there.
NVIDIA's own static runtime, nvcc's default, asks the driver for private tables of NVIDIA's, which these libraries
do not have;
.B sov run\-cuda
says so.
.PP
Of a fat binary the cubin for the device's architecture is taken, else the newest PTX that the device is not
older than.
With
.B CUDA_FORCE_PTX_JIT=1
PTX is preferred.
.PP
Managed memory, and modules' __managed__ variables, are pinned host memory: host and kernels use it at any
time, and it never moves to the device.
.PP
A call that is missing returns CUDA_ERROR_NOT_SUPPORTED;
.B SOV_LOG=cuda
names it, and gives the message of
.BR sov_last_error (3)
for each call that fails.
.PP
NVML's devices are those of libsov in its order, software GPUs too.
A value that the way to the device does not report is NVML_ERROR_NOT_SUPPORTED; see
.BR sov_device_get_state (3).
The memory and the processes of a software GPU are those of the calling process.
.SH CALLS
Forms with _ptsz and _ptds (per-thread default stream) are like those without.
PAGE
table()
{
	printf '.SS %s\n' "$1"
	printf '.PP\nThese work:\n.PP\n.na\n.nh\n'
	sed -n 's/^WORKS[_12]*(\([A-Za-z0-9_]*\).*/\1/p' "$2" | grep -v '_pt[ds][sz]$' | paste -sd' ' | sed 's/ /, /g' | fold -s -w 100 | sed 's/ *$//'
	printf '.ad\n.PP\nThese work in part:\n'
	sed -n 's/^PARTLY(\([A-Za-z0-9_]*\), .*"\([^"]*\)")$/\1\t\2/p' "$2" | grep -v '^[A-Za-z0-9_]*_pt[ds][sz]	' |
		while IFS='	' read -r name why; do
			printf '.TP\n%s\n%s.\n' "$name" "$why"
		done
	printf '.PP\nThese are not supported:\n.PP\n.na\n'
	sed -n 's/^MISSING(\([A-Za-z0-9_]*\).*/\1/p' "$2" | grep -v '_pt[ds][sz]$' | paste -sd' ' | sed 's/ /, /g' | fold -s -w 100 | sed 's/ *$//'
	printf '.ad\n.hy\n'
}
table "Driver" "$here/driver/entries.def"
table "Runtime" "$here/runtime/entries.def"
table "Management" "$here/management/entries.def"
cat <<'PAGE'
.SH SEE ALSO
.BR sov (1),
.BR libsov (3),
.BR sov (7)
PAGE
