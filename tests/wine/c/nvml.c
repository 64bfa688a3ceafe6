/* A stand-in for the driver's libnvidia-ml.so.1 or nvml.dll, beside nvcuda.c: what TensorFlow 2.17 and newer, and
 * trueup itself, ask of it.
 *
 *   gcc -shared -fPIC -s -O1 -o libnvidia-ml.so.1 nvml.c
 *   x86_64-w64-mingw32-gcc -shared -s -O1 -o nvml.dll nvml.c
 *
 * Environment: NVML_DRIVER ("535.129.03"), NVML_INIT (result of the start, 0), and of nvcuda.c NVCUDA_COUNT,
 * NVCUDA_NAME, NVCUDA_CC, NVCUDA_DRIVER, NVCUDA_MEMORY.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NVML_SUCCESS = 0, NVML_ERROR_NOT_SUPPORTED = 3 };
struct memory { unsigned long long total, free, used; };
struct pci { char legacy[16]; unsigned domain, bus, device, id, subsystem; char name[32]; };
static int device;

static const char *text(const char *name, const char *otherwise) {
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}
static long long number(const char *name, const char *otherwise) { return strtoll(text(name, otherwise), 0, 0); }
static int tell(char *to, unsigned size, const char *from) { snprintf(to, size, "%s", from); return NVML_SUCCESS; }
static unsigned count(void) { return (unsigned)number("NVCUDA_COUNT", "1"); }

int nvmlInit_v2(void) { return (int)number("NVML_INIT", "0"); }
int nvmlInitWithFlags(unsigned flags) { return nvmlInit_v2(); }
int nvmlShutdown(void) { return NVML_SUCCESS; }
const char *nvmlErrorString(int code) {
    switch (code) {
    case 0: return "Success";
    case 9: return "Driver Not Loaded";
    case 18: return "Driver/library version mismatch";
    case 999: return "Unknown Error";
    default: return "Not Supported";
    }
}
int nvmlSystemGetDriverVersion(char *to, unsigned size) { return tell(to, size, text("NVML_DRIVER", "535.129.03")); }
int nvmlSystemGetNVMLVersion(char *to, unsigned size) { return nvmlSystemGetDriverVersion(to, size); }
int nvmlSystemGetCudaDriverVersion_v2(int *to) { *to = (int)number("NVCUDA_DRIVER", "12020"); return NVML_SUCCESS; }
int nvmlDeviceGetCount_v2(unsigned *to) { *to = count(); return NVML_SUCCESS; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **to) { *to = &device; return index < count() ? NVML_SUCCESS : 2; }
int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **to) { *to = &device; return NVML_SUCCESS; }
int nvmlDeviceGetName(void *one, char *to, unsigned size) { return tell(to, size, text("NVCUDA_NAME", "NVIDIA GeForce RTX 3060")); }
int nvmlDeviceGetCudaComputeCapability(void *one, int *major, int *minor) {
    return sscanf(text("NVCUDA_CC", "8.6"), "%d.%d", major, minor) == 2 ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}
int nvmlDeviceGetMemoryInfo(void *one, struct memory *to) {
    to->total = number("NVCUDA_MEMORY", "12884901888");
    to->used = to->total / 12;
    to->free = to->total - to->used;
    return NVML_SUCCESS;
}
int nvmlDeviceGetPciInfo_v3(void *one, struct pci *to) { memset(to, 0, sizeof *to); to->id = 0x250310de; return NVML_SUCCESS; }
int nvmlDeviceGetDriverModel(void *one, unsigned *now, unsigned *later) { return NVML_ERROR_NOT_SUPPORTED; }
int nvmlDeviceGetMigMode(void *one, unsigned *now, unsigned *later) { return NVML_ERROR_NOT_SUPPORTED; }
int nvmlDeviceGetCurrPcieLinkGeneration(void *one, unsigned *generation) { *generation = 4; return NVML_SUCCESS; }
int nvmlDeviceGetGpuFabricInfoV(void *one, void *info) { return NVML_ERROR_NOT_SUPPORTED; }
int nvmlDeviceGetNvLinkState(void *one, unsigned link, unsigned *active) { return NVML_ERROR_NOT_SUPPORTED; }
