#include "libsov/cuda/driver/driver.h"
CUresult cuda_capture_kernel(CUstream s, const struct launch *l, void *const *arguments){(void)s,(void)l,(void)arguments;return 801;}
CUresult cuda_capture_copy(CUstream s, const CUDA_MEMCPY3D *p){(void)s,(void)p;return 801;}
CUresult cuda_capture_fill(CUstream s, const CUDA_MEMSET_NODE_PARAMS *p){(void)s,(void)p;return 801;}
CUresult cuda_capture_host(CUstream s, CUhostFn function, void *user){(void)s,(void)function,(void)user;return 801;}
CUresult cuda_capture_record(CUstream s, CUevent e){(void)s,(void)e;return 801;}
CUresult cuda_capture_wait(CUstream s, CUevent e){(void)s,(void)e;return 801;}
CUresult cuda_capture_unsupported(CUstream s){(void)s;return 900;}
API cuKernelGetFunction(CUfunction *out, CUkernel k)
{
(void)out;(void)k;return 801;}
