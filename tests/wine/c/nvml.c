/* A stand-in for the driver's libnvidia-ml.so.1: what TensorFlow 2.17 and newer ask of it, beside nvcuda.c.
 *
 *   gcc -shared -fPIC -s -O1 -o libnvidia-ml.so.1 nvml.c
 */
#include <stdio.h>

enum { NVML_SUCCESS = 0, NVML_ERROR_NOT_SUPPORTED = 3 };
static int device;

int nvmlInit_v2(void) { return NVML_SUCCESS; }
int nvmlShutdown(void) { return NVML_SUCCESS; }
const char *nvmlErrorString(int code) { return code ? "Not Supported" : "Success"; }
int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **handle) { *handle = &device; return NVML_SUCCESS; }
int nvmlDeviceGetCurrPcieLinkGeneration(void *handle, unsigned *generation) { *generation = 4; return NVML_SUCCESS; }
int nvmlDeviceGetGpuFabricInfoV(void *handle, void *info) { return NVML_ERROR_NOT_SUPPORTED; }
int nvmlDeviceGetNvLinkState(void *handle, unsigned link, unsigned *active) { return NVML_ERROR_NOT_SUPPORTED; }
