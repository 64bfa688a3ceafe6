/* A stand-in for NVIDIA's management library. The environment says what it answers:
 * FAKE_NVML_INIT, FAKE_NVML_HANDLE, FAKE_NVML_NAME: error numbers; FAKE_NVML_COUNT, FAKE_NVML_MIG,
 * FAKE_NVML_SLICES, FAKE_NVML_MODE: numbers; FAKE_NVML_SLEEP: seconds that the start takes. Compiled with -DOLD it
 * lacks what old drivers lack.
 *
 * FAKE_NVML_LIFE: a file with the life of cards, lines of `STEP KEY VALUE`: the latest at or before the
 * present step counts. KEY is `init`, `count`, `driver`, or `CARD.name` with `*` for all cards. A VALUE `!15`
 * answers with error 15. The step is FAKE_NVML_STEP, or else the seconds since the first question. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
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
/* The life: read once, looked up from its end. */
#define LINES 2000
static struct { int step; char key[40], value[160]; } life[LINES];
static int lives = -1;
static time_t begin;

static void load(void) {
    const char *path = getenv("FAKE_NVML_LIFE");
    FILE *file = path ? fopen(path, "r") : NULL;
    lives = 0;
    begin = time(NULL);
    while (file && lives < LINES
           && fscanf(file, "%d %39s %159[^\n]", &life[lives].step, life[lives].key, life[lives].value) == 3)
        lives++;
    if (file) fclose(file);
}
static const char *now(const char *key) {
    if (lives < 0) load();
    int step = number("FAKE_NVML_STEP", (int)(time(NULL) - begin)), best = -1;
    for (int i = 0; i < lives; i++)
        if (life[i].step <= step && !strcmp(life[i].key, key) && (best < 0 || life[i].step >= life[best].step))
            best = i;
    return best < 0 ? NULL : life[best].value;
}
/* Answer for a card: 0 and a text, or an error; `otherwise` where the life says nothing, NULL for error 3. */
static int ask(void *card, const char *name, const char *otherwise, const char **to) {
    char key[64];
    snprintf(key, sizeof key, "%d.%s", (int)((size_t)card & 0xff) - 1, name);
    const char *found = now(key);
    if (!found) { snprintf(key, sizeof key, "*.%s", name); found = now(key); }
    if (!found) found = otherwise;
    if (!found) return 3;
    if (*found == '!') return atoi(found + 1);
    *to = found;
    return 0;
}
static int ask_number(void *card, const char *name, const char *otherwise, unsigned *to) {
    const char *text;
    int error = ask(card, name, otherwise, &text);
    if (!error) *to = (unsigned)strtoll(text, NULL, 0);
    return error;
}
static int ask_text(void *card, const char *name, const char *otherwise, char *to, unsigned size) {
    const char *found;
    int error = ask(card, name, otherwise, &found);
    return error ? error : text(to, size, found);
}
static int whole(const char *key, const char *variable, int otherwise) {
    const char *found = now(key);
    return found ? atoi(*found == '!' ? found + 1 : found) : number(variable, otherwise);
}
API int nvmlInitWithFlags(unsigned flags) {
    (void)flags;
    PAUSE(number("FAKE_NVML_SLEEP", 0));
    return whole("init", "FAKE_NVML_INIT", 0);
}
API int nvmlShutdown(void) { return 0; }
API int nvmlSystemGetDriverVersion(char *to, unsigned size) {
    const char *found = now("driver");
    return text(to, size, found ? found : "550.54.15");
}
API int nvmlSystemGetNVMLVersion(char *to, unsigned size) { return text(to, size, "12.550.54.15"); }
struct pid { unsigned pid; unsigned long long memory; unsigned gi, ci; };
static int pids(void *d, const char *name, unsigned *count, struct pid *to) {
    const char *found;
    int error = ask(d, name, NULL, &found), n = 0;
    if (error == 3) { *count = 0; return 0; }
    if (error) return error;
    unsigned room = *count;
    for (char *rest = (char *)found; *rest;) { /* PID:MiB, `-` for "not available", or FIRST+N:MiB */
        unsigned long first = strtoul(rest, &rest, 10), more = *rest == '+' ? strtoul(rest + 1, &rest, 10) : 1;
        if (*rest == ':') rest++;
        unsigned long long memory = *rest == '-' ? ~0ULL : strtoull(rest, &rest, 10) << 20;
        while (*rest == '-' || *rest == ' ') rest++;
        for (unsigned long i = 0; i < more; i++, n++)
            if (to && (unsigned)n < room) to[n] = (struct pid){(unsigned)(first + i), memory, 0, 0};
    }
    *count = (unsigned)n;
    return to || !n ? 0 : 7;
}
#ifdef OLD
API int nvmlDeviceGetComputeRunningProcesses_v2(void *d, unsigned *n, struct pid *to) { return pids(d, "compute", n, to); }
API int nvmlDeviceGetGraphicsRunningProcesses_v2(void *d, unsigned *n, struct pid *to) { return pids(d, "graphics", n, to); }
API int nvmlDeviceGetCurrentClocksThrottleReasons(void *d, unsigned long long *to) {
    unsigned bits = 0;
    int error = ask_number(d, "reasons", NULL, &bits);
    *to = bits;
    return error;
}
#else
API int nvmlDeviceGetComputeRunningProcesses_v3(void *d, unsigned *n, struct pid *to) { return pids(d, "compute", n, to); }
API int nvmlDeviceGetGraphicsRunningProcesses_v3(void *d, unsigned *n, struct pid *to) { return pids(d, "graphics", n, to); }
API int nvmlDeviceGetCurrentClocksEventReasons(void *d, unsigned long long *to) {
    unsigned bits = 0;
    int error = ask_number(d, "reasons", NULL, &bits);
    *to = bits;
    return error;
}
struct busy { unsigned pid; unsigned long long at; unsigned sm, memory, enc, dec; };
API int nvmlDeviceGetProcessUtilization(void *d, struct busy *to, unsigned *count, unsigned long long since) {
    const char *found;
    int error = ask(d, "busy", NULL, &found);
    (void)since;
    if (error) return error;
    unsigned n = 0;
    for (char *rest = (char *)found; *rest; n++) { /* PID:PERCENT */
        unsigned long pid = strtoul(rest, &rest, 10), sm = *rest == ':' ? strtoul(rest + 1, &rest, 10) : 0;
        if (to && n < *count) to[n] = (struct busy){(unsigned)pid, 1, (unsigned)sm, 0, 0, 0};
    }
    *count = n;
    return to ? 0 : 7;
}
API int nvmlDeviceGetPcieThroughput(void *d, int which, unsigned *to) { return ask_number(d, which ? "received" : "sent", NULL, to); }
API int nvmlSystemGetCudaDriverVersion_v2(int *to) { *to = 12040; return 0; }
API int nvmlDeviceGetCudaComputeCapability(void *d, int *major, int *minor) {
    (void)d; *major = 8; *minor = 6;
    return 0;
}
API int nvmlDeviceGetMigMode(void *d, unsigned *current, unsigned *later) {
    unsigned slices = 0;
    int error = ask_number(d, "slices", getenv("FAKE_NVML_MIG") ? getenv("FAKE_NVML_MIG") : "0", &slices);
    *current = *later = slices > 0;
    return error;
}
API int nvmlDeviceGetMaxMigDeviceCount(void *d, unsigned *to) { (void)d; *to = 7; return 0; }
API int nvmlDeviceGetMigDeviceHandleByIndex(void *d, unsigned index, void **to) {
    unsigned slices = 0;
    ask_number(d, "slices", getenv("FAKE_NVML_SLICES") ? getenv("FAKE_NVML_SLICES") : "0", &slices);
    *to = (void *)(((size_t)index + 1) << 8 | (size_t)d);
    return index < slices ? 0 : 6;
}
#endif
API int nvmlDeviceGetCount_v2(unsigned *to) {
    const char *found = now("count");
    if (found && *found == '!') return atoi(found + 1);
    *to = whole("count", "FAKE_NVML_COUNT", 1);
    return 0;
}
API int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **to) {
    unsigned error = 0;
    *to = (void *)(size_t)(index + 1);
    int refused = ask_number(*to, "handle", "0", &error);
    return refused ? refused : number("FAKE_NVML_HANDLE", 0);
}
API int nvmlDeviceGetName(void *d, char *to, unsigned size) {
    int error = number("FAKE_NVML_NAME", 0);
    if (error) return error;
    return ask_text(d, (size_t)d >> 8 ? "slice" : "name", "NVIDIA GeForce RTX 3060", to, size);
}
API int nvmlDeviceGetUUID(void *d, char *to, unsigned size) {
    char otherwise[40];
    snprintf(otherwise, sizeof otherwise, "GPU-%04d", (int)(size_t)d);
    return ask_text(d, "uuid", otherwise, to, size);
}
API int nvmlDeviceGetComputeMode(void *d, int *to) { (void)d; *to = number("FAKE_NVML_MODE", 0); return 0; }
struct memory { unsigned long long total, free, used; };
API int nvmlDeviceGetMemoryInfo(void *d, struct memory *to) {
    unsigned total = 0, used = 0;
    const char *part = (size_t)d >> 8 ? "slice-" : "";
    char key[24];
    snprintf(key, sizeof key, "%stotal", part);
    int error = ask_number(d, key, "12288", &total);
    snprintf(key, sizeof key, "%sused", part);
    if (!error) error = ask_number(d, key, "0", &used);
    to->total = (unsigned long long)total << 20; to->used = (unsigned long long)used << 20;
    to->free = to->total - to->used;
    return error;
}
struct rates { unsigned gpu, memory; };
API int nvmlDeviceGetUtilizationRates(void *d, struct rates *to) {
    int error = ask_number(d, "sm", NULL, &to->gpu);
    return error ? error : ask_number(d, "access", "0", &to->memory);
}
#define CLOCK(which, name) ((which) == 2 ? name "-memory" : name "-sm")
API int nvmlDeviceGetDriverModel_v2(void *d, unsigned *current, unsigned *later) {
    int error = ask_number(d, "model", NULL, current);
    *later = *current;
    return error;
}
API int nvmlDeviceGetDriverModel(void *d, unsigned *current, unsigned *later) { return nvmlDeviceGetDriverModel_v2(d, current, later); }
API int nvmlDeviceGetTemperature(void *d, int w, unsigned *to) { (void)w; return ask_number(d, "temperature", NULL, to); }
API int nvmlDeviceGetTemperatureThreshold(void *d, int w, unsigned *to) { (void)w; return ask_number(d, "slows", NULL, to); }
API int nvmlDeviceGetFanSpeed(void *d, unsigned *to) { return ask_number(d, "fan", NULL, to); }
API int nvmlDeviceGetPowerUsage(void *d, unsigned *to) { return ask_number(d, "power", NULL, to); }
API int nvmlDeviceGetEnforcedPowerLimit(void *d, unsigned *to) { return ask_number(d, "limit", NULL, to); }
API int nvmlDeviceGetClockInfo(void *d, int w, unsigned *to) { return ask_number(d, CLOCK(w, "clock"), NULL, to); }
API int nvmlDeviceGetMaxClockInfo(void *d, int w, unsigned *to) { return ask_number(d, CLOCK(w, "top"), NULL, to); }
API int nvmlDeviceGetCurrPcieLinkGeneration(void *d, unsigned *to) { return ask_number(d, "gen", NULL, to); }
API int nvmlDeviceGetCurrPcieLinkWidth(void *d, unsigned *to) { return ask_number(d, "width", NULL, to); }
API int nvmlDeviceGetMaxPcieLinkGeneration(void *d, unsigned *to) { return ask_number(d, "top-gen", NULL, to); }
API int nvmlDeviceGetMaxPcieLinkWidth(void *d, unsigned *to) { return ask_number(d, "top-width", NULL, to); }
API int nvmlDeviceGetPerformanceState(void *d, unsigned *to) { return ask_number(d, "pstate", NULL, to); }
struct pci { char legacy[16]; unsigned domain, bus, device, id, subsystem; char name[32]; };
API int nvmlDeviceGetPciInfo_v3(void *d, struct pci *to) {
    (void)d; memset(to, 0, sizeof *to); to->id = 0x250410de;
    return 0;
}
