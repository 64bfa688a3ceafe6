/* A stand-in for NVIDIA's management library. The environment says what it answers:
 * FAKE_NVML_INIT, FAKE_NVML_HANDLE, FAKE_NVML_NAME: error numbers; FAKE_NVML_COUNT, FAKE_NVML_MIG: numbers;
 * FAKE_NVML_SLEEP: seconds that the start takes. Compiled with -DOLD it lacks what old drivers lack. */
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
#define API __declspec(dllexport)
#define PAUSE(s) Sleep((s) * 1000)
#else
#include <unistd.h>
#define API __attribute__((visibility("default")))
#define PAUSE(s) sleep(s)
#endif

static int number(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}
static int text(char *to, unsigned size, const char *from) {
    strncpy(to, from, size);
    return 0;
}
API int nvmlInitWithFlags(unsigned flags) {
    (void)flags;
    PAUSE(number("FAKE_NVML_SLEEP", 0));
    return number("FAKE_NVML_INIT", 0);
}
API int nvmlShutdown(void) { return 0; }
API int nvmlSystemGetDriverVersion(char *to, unsigned size) { return text(to, size, "550.54.15"); }
API int nvmlSystemGetNVMLVersion(char *to, unsigned size) { return text(to, size, "12.550.54.15"); }
#ifndef OLD
API int nvmlSystemGetCudaDriverVersion_v2(int *to) { *to = 12040; return 0; }
API int nvmlDeviceGetCudaComputeCapability(void *d, int *major, int *minor) {
    (void)d; *major = 8; *minor = 6;
    return 0;
}
API int nvmlDeviceGetMigMode(void *d, unsigned *now, unsigned *later) {
    (void)d; *now = *later = number("FAKE_NVML_MIG", 0);
    return 0;
}
#endif
API int nvmlDeviceGetCount_v2(unsigned *to) { *to = number("FAKE_NVML_COUNT", 1); return 0; }
API int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **to) {
    *to = (void *)(size_t)(index + 1);
    return number("FAKE_NVML_HANDLE", 0);
}
API int nvmlDeviceGetName(void *d, char *to, unsigned size) {
    (void)d;
    int error = number("FAKE_NVML_NAME", 0);
    return error ? error : text(to, size, "NVIDIA GeForce RTX 3060");
}
struct memory { unsigned long long total, free, used; };
API int nvmlDeviceGetMemoryInfo(void *d, struct memory *to) {
    (void)d; to->total = 12ULL << 30;
    return 0;
}
struct pci { char legacy[16]; unsigned domain, bus, device, id, subsystem; char name[32]; };
API int nvmlDeviceGetPciInfo_v3(void *d, struct pci *to) {
    (void)d; memset(to, 0, sizeof *to); to->id = 0x250410de;
    return 0;
}
