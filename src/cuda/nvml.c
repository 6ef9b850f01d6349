/* NVML over our devices: names, memory, clocks, and of the CPU device what Linux tells of the
 * machine.
 *
 * A handle is a device's number + 1. What is not known is NVML_ERROR_NOT_SUPPORTED, which monitors
 * show as a gap. Only this process's use of a device is known, so that its list of processes has
 * itself. */
#include "cuda/nvml.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/base.h"
#include "cuda/cuda_int.h"
#include "tern/version.h"

/* ---- the process's state: how often it was begun, and what was read last ---- */
static struct {
    pthread_mutex_t lock;
    int begun;
    uint64_t busy, all;       /* of /proc/stat, in ticks */
    uint64_t energy, at;      /* microjoules, nanoseconds */
    unsigned use, milliwatts; /* of the time between the last two questions */
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

nvmlReturn_t nvmlInitWithFlags(unsigned int flags)
{
    (void)flags;
    int n = 0;
    if (cudaGetDeviceCount(&n) || !n)
        return NVML_ERROR_DRIVER_NOT_LOADED;
    pthread_mutex_lock(&state.lock);
    state.begun++;
    pthread_mutex_unlock(&state.lock);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlInit_v2(void)
{
    return nvmlInitWithFlags(0);
}

nvmlReturn_t nvmlInit(void)
{
    return nvmlInitWithFlags(0);
}

nvmlReturn_t nvmlShutdown(void)
{
    pthread_mutex_lock(&state.lock);
    const bool was = state.begun > 0;
    state.begun -= was;
    pthread_mutex_unlock(&state.lock);
    return was ? NVML_SUCCESS : NVML_ERROR_UNINITIALIZED;
}

const char *nvmlErrorString(nvmlReturn_t result)
{
    static const struct {
        nvmlReturn_t result;
        const char *text;
    } texts[] = {
        {NVML_SUCCESS, "Success"},
        {NVML_ERROR_UNINITIALIZED, "Uninitialized"},
        {NVML_ERROR_INVALID_ARGUMENT, "Invalid Argument"},
        {NVML_ERROR_NOT_SUPPORTED, "Not Supported"},
        {NVML_ERROR_NO_PERMISSION, "Insufficient Permissions"},
        {NVML_ERROR_NOT_FOUND, "Not Found"},
        {NVML_ERROR_INSUFFICIENT_SIZE, "Insufficient Size"},
        {NVML_ERROR_DRIVER_NOT_LOADED, "Driver Not Loaded"},
        {NVML_ERROR_NO_DATA, "No data"},
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (texts[k].result == result)
            return texts[k].text;
    return "Unknown Error";
}

static nvmlReturn_t put_text(char *to, unsigned size, const char *from)
{
    if (!to)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (strlen(from) >= size)
        return NVML_ERROR_INSUFFICIENT_SIZE;
    memcpy(to, from, strlen(from) + 1);
    return NVML_SUCCESS;
}

static bool begun(void)
{
    pthread_mutex_lock(&state.lock);
    const bool is = state.begun > 0;
    pthread_mutex_unlock(&state.lock);
    return is;
}

#define BEGUN()                                                                                    \
    do {                                                                                           \
        if (!begun())                                                                              \
            return NVML_ERROR_UNINITIALIZED;                                                       \
    } while (0)

nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned int length)
{
    BEGUN();
    return put_text(version, length, TERN_VERSION);
}

nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned int length)
{
    return put_text(version, length, TERN_VERSION);
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version)
{
    return version && !cudaDriverGetVersion(version) ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version)
{
    return nvmlSystemGetCudaDriverVersion(version);
}

/* The first line of a file of the kernel's; false: there is none. */
static bool first_line(const char *path, char *out, size_t size)
{
    FILE *f = fopen(path, "re");
    const bool good = f && fgets(out, (int)size, f);
    if (f)
        fclose(f);
    if (good)
        out[strcspn(out, "\n")] = 0;
    return good;
}

static bool read_number(const char *path, uint64_t *out)
{
    char line[64], *end;
    if (!first_line(path, line, sizeof line))
        return false;
    *out = strtoull(line, &end, 10);
    return end != line;
}

nvmlReturn_t nvmlSystemGetProcessName(unsigned int pid, char *name, unsigned int length)
{
    char path[64], line[4096];
    BEGUN();
    snprintf(path, sizeof path, "/proc/%u/cmdline", pid);
    if (!first_line(path, line, sizeof line))
        return NVML_ERROR_NOT_FOUND;
    return put_text(name, length, line);
}

/* ---- devices ---- */
nvmlReturn_t nvmlDeviceGetCount(unsigned int *count)
{
    int n = 0;
    BEGUN();
    if (!count)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (cudaGetDeviceCount(&n))
        n = 0;
    *count = (unsigned)n;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *count)
{
    return nvmlDeviceGetCount(count);
}

nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned int index, nvmlDevice_t *device)
{
    unsigned n;
    const nvmlReturn_t r = nvmlDeviceGetCount(&n);
    if (r)
        return r;
    if (!device || index >= n)
        return NVML_ERROR_INVALID_ARGUMENT;
    *device = (nvmlDevice_t)(uintptr_t)(index + 1);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device)
{
    return nvmlDeviceGetHandleByIndex(index, device);
}

/* What it is; false: no such device. */
static bool properties(nvmlDevice_t device, struct cudaDeviceProp *p)
{
    const uintptr_t n = (uintptr_t)device;
    return n && n < 1024 && !cudaGetDeviceProperties(p, (int)n - 1);
}

#define DEVICE(device, p)                                                                          \
    struct cudaDeviceProp p;                                                                       \
    BEGUN();                                                                                       \
    if (!properties(device, &p))                                                                   \
    return NVML_ERROR_INVALID_ARGUMENT

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index)
{
    DEVICE(device, p);
    if (!index)
        return NVML_ERROR_INVALID_ARGUMENT;
    *index = (unsigned)(uintptr_t)device - 1;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned int *minor)
{
    return nvmlDeviceGetIndex(device, minor);
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length)
{
    DEVICE(device, p);
    return put_text(name, length, p.name);
}

static void uuid_of(const struct cudaDeviceProp *p, unsigned index, char out[64])
{
    const uint64_t low = hash_bytes(p->name, strlen(p->name), index),
                   high = hash_bytes(&low, sizeof low, 7);
    snprintf(out, 64, "GPU-%08x-%04x-%04x-%04x-%012llx", (unsigned)(high >> 32),
             (unsigned)(high >> 16 & 0xffff), (unsigned)(high & 0xffff), (unsigned)(low >> 48),
             (unsigned long long)(low & 0xffffffffffff));
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length)
{
    char text[64];
    DEVICE(device, p);
    uuid_of(&p, (unsigned)(uintptr_t)device - 1, text);
    return put_text(uuid, length, text);
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
    DEVICE(device, p);
    if (!pci)
        return NVML_ERROR_INVALID_ARGUMENT;
    *pci = (nvmlPciInfo_t){.domain = (unsigned)p.pciDomainID,
                           .bus = (unsigned)p.pciBusID,
                           .device = (unsigned)p.pciDeviceID};
    snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, "%04x:%02x:%02x.0", pci->domain & 0xffff,
             pci->bus & 0xff, pci->device & 0xff);
    snprintf(pci->busId, sizeof pci->busId, "%08x:%02x:%02x.0", pci->domain, pci->bus & 0xff,
             pci->device & 0xff);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
    return nvmlDeviceGetPciInfo_v3(device, pci);
}

nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
    return nvmlDeviceGetPciInfo_v3(device, pci);
}

/* The device of which `is` is true of the text. */
static nvmlReturn_t find(const char *text, bool (*is)(nvmlDevice_t d, const char *text),
                         nvmlDevice_t *device)
{
    unsigned n;
    const nvmlReturn_t r = nvmlDeviceGetCount(&n);
    if (r)
        return r;
    if (!text || !device)
        return NVML_ERROR_INVALID_ARGUMENT;
    for (unsigned k = 1; k <= n; k++) {
        *device = (nvmlDevice_t)(uintptr_t)k;
        if (is(*device, text))
            return NVML_SUCCESS;
    }
    return NVML_ERROR_NOT_FOUND;
}

static bool has_uuid(nvmlDevice_t d, const char *text)
{
    char uuid[96];
    return !nvmlDeviceGetUUID(d, uuid, sizeof uuid) && !strcmp(uuid, text);
}

static bool has_bus(nvmlDevice_t d, const char *text)
{
    nvmlPciInfo_t p;
    return !nvmlDeviceGetPciInfo_v3(d, &p) &&
           (!strcmp(p.busId, text) || !strcmp(p.busIdLegacy, text));
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device)
{
    return find(uuid, has_uuid, device);
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice_t *device)
{
    return find(id, has_bus, device);
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *id, nvmlDevice_t *device)
{
    return find(id, has_bus, device);
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor)
{
    DEVICE(device, p);
    if (!major || !minor)
        return NVML_ERROR_INVALID_ARGUMENT;
    *major = p.major;
    *minor = p.minor;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory)
{
    DEVICE(device, p);
    int before;
    size_t free_ = 0, total = 0;
    if (!memory)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (cudaGetDevice(&before) || cudaSetDevice((int)(uintptr_t)device - 1))
        return NVML_ERROR_UNKNOWN;
    const cudaError_t e = cudaMemGetInfo(&free_, &total);
    cudaSetDevice(before);
    if (e)
        return NVML_ERROR_UNKNOWN;
    *memory = (nvmlMemory_t){.total = total, .free = free_, .used = total - free_};
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory)
{
    nvmlMemory_t m;
    if (!memory)
        return NVML_ERROR_INVALID_ARGUMENT;
    const nvmlReturn_t r = nvmlDeviceGetMemoryInfo(device, &m);
    if (!r)
        *memory = (nvmlMemory_v2_t){
            .version = memory->version, .total = m.total, .free = m.free, .used = m.used};
    return r;
}

/* ---- the machine, which the CPU device is ---- */
static bool is_cpu(nvmlDevice_t device)
{
    struct tern_device *d;
    struct tern_device_info i;
    return !cuda_device_at((int)(uintptr_t)device - 1, &d) && !tern_device_info(d, &i) &&
           i.host_code;
}

/* Called with the lock. False: what is asked for is not told. */
static bool read_use(void)
{
    char line[512];
    unsigned long long v[8] = {0};
    if (!first_line("/proc/stat", line, sizeof line) ||
        sscanf(line, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3],
               &v[4], &v[5], &v[6], &v[7]) < 4)
        return false;
    uint64_t all = 0;
    for (unsigned k = 0; k < 8; k++)
        all += v[k];
    const uint64_t busy = all - v[3] - v[4];
    if (all > state.all) {
        state.use = (unsigned)(100 * (busy - state.busy) / (all - state.all));
        state.all = all;
        state.busy = busy;
    }
    return true;
}

nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *use)
{
    DEVICE(device, p);
    nvmlMemory_t m;
    if (!use)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (!is_cpu(device))
        return NVML_ERROR_NOT_SUPPORTED;
    const nvmlReturn_t r = nvmlDeviceGetMemoryInfo(device, &m);
    pthread_mutex_lock(&state.lock);
    const bool good = read_use();
    *use = (nvmlUtilization_t){.gpu = state.use};
    pthread_mutex_unlock(&state.lock);
    if (!r && m.total)
        use->memory = (unsigned)(100 * m.used / m.total);
    return good ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

/* Of memory, what cudaGetDeviceProperties says, 0 where that is not known: benchmarks ask for it
 * to show it, and end where there is an error. */
static nvmlReturn_t clock_of(nvmlDevice_t device, nvmlClockType_t type, const char *file,
                             unsigned int *mhz)
{
    DEVICE(device, p);
    uint64_t khz = (uint64_t)(p.clockRate > 0 ? p.clockRate : 0);
    if (!mhz || (unsigned)type > NVML_CLOCK_VIDEO)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (type == NVML_CLOCK_MEM) {
        *mhz = (unsigned)p.memoryClockRate / 1000;
        return NVML_SUCCESS;
    }
    if (type != NVML_CLOCK_GRAPHICS && type != NVML_CLOCK_SM)
        return NVML_ERROR_NOT_SUPPORTED;
    if (is_cpu(device))
        read_number(file, &khz);
    if (!khz)
        return NVML_ERROR_NOT_SUPPORTED;
    *mhz = (unsigned)(khz / 1000);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *mhz)
{
    return clock_of(device, type, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", mhz);
}

nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *mhz)
{
    return clock_of(device, type, "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", mhz);
}

/* There are no clocks here that could be set for applications. */
nvmlReturn_t nvmlDeviceGetApplicationsClock(nvmlDevice_t device, nvmlClockType_t type,
                                            unsigned int *mhz)
{
    DEVICE(device, p);
    return !mhz || (unsigned)type > NVML_CLOCK_VIDEO ? NVML_ERROR_INVALID_ARGUMENT
                                                     : NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t nvmlDeviceGetDefaultApplicationsClock(nvmlDevice_t device, nvmlClockType_t type,
                                                   unsigned int *mhz)
{
    return nvmlDeviceGetApplicationsClock(device, type, mhz);
}

nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, nvmlTemperatureSensors_t sensor,
                                      unsigned int *degrees)
{
    DEVICE(device, p);
    uint64_t milli;
    if (!degrees || sensor != NVML_TEMPERATURE_GPU)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (!is_cpu(device) || !read_number("/sys/class/thermal/thermal_zone0/temp", &milli))
        return NVML_ERROR_NOT_SUPPORTED;
    *degrees = (unsigned)(milli / 1000);
    return NVML_SUCCESS;
}

/* Microjoules of the processor's package (RAPL). */
static bool read_energy(uint64_t *out)
{
    return read_number("/sys/class/powercap/intel-rapl:0/energy_uj", out);
}

nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device,
                                                 unsigned long long *millijoules)
{
    DEVICE(device, p);
    uint64_t e;
    if (!millijoules)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (!is_cpu(device) || !read_energy(&e))
        return NVML_ERROR_NOT_SUPPORTED;
    *millijoules = e / 1000;
    return NVML_SUCCESS;
}

/* A sensor of the board if there is one, else the energy between two questions. */
nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned int *milliwatts)
{
    DEVICE(device, p);
    uint64_t value;
    if (!milliwatts)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (!is_cpu(device))
        return NVML_ERROR_NOT_SUPPORTED;
    if (read_number("/sys/class/hwmon/hwmon0/power1_average", &value) ||
        read_number("/sys/class/hwmon/hwmon0/power1_input", &value)) {
        *milliwatts = (unsigned)(value / 1000);
        return NVML_SUCCESS;
    }
    if (!read_energy(&value))
        return NVML_ERROR_NOT_SUPPORTED;
    pthread_mutex_lock(&state.lock);
    const uint64_t now = thread_nanoseconds();
    if (state.at && now > state.at && value >= state.energy)
        state.milliwatts = (unsigned)((value - state.energy) * 1000000 / (now - state.at));
    state.at = now;
    state.energy = value;
    *milliwatts = state.milliwatts;
    pthread_mutex_unlock(&state.lock);
    return NVML_SUCCESS;
}

/* One sample, of now: nobody collects them. */
nvmlReturn_t nvmlDeviceGetSamples(nvmlDevice_t device, nvmlSamplingType_t type,
                                  unsigned long long last, nvmlValueType_t *value_type,
                                  unsigned int *count, nvmlSample_t *samples)
{
    DEVICE(device, p);
    nvmlUtilization_t use;
    const unsigned long long now = thread_nanoseconds() / 1000;
    if (!value_type || !count || (samples && !*count))
        return NVML_ERROR_INVALID_ARGUMENT;
    if (type != NVML_GPU_UTILIZATION_SAMPLES && type != NVML_MEMORY_UTILIZATION_SAMPLES)
        return NVML_ERROR_NOT_SUPPORTED;
    const nvmlReturn_t r = nvmlDeviceGetUtilizationRates(device, &use);
    if (r)
        return r;
    if (last >= now)
        return NVML_ERROR_NOT_FOUND;
    *value_type = NVML_VALUE_TYPE_UNSIGNED_INT;
    *count = 1;
    if (samples)
        samples[0] = (nvmlSample_t){
            now, {.uiVal = type == NVML_GPU_UTILIZATION_SAMPLES ? use.gpu : use.memory}};
    return NVML_SUCCESS;
}

/* ---- what none of our devices tells ---- */
#define UNKNOWN(name, ...)                                                                         \
    nvmlReturn_t name(nvmlDevice_t device, __VA_ARGS__)                                            \
    {                                                                                              \
        DEVICE(device, p);                                                                         \
        (void)a;                                                                                   \
        return NVML_ERROR_NOT_SUPPORTED;                                                           \
    }
#define UNKNOWN_TWO(name, first, second)                                                           \
    nvmlReturn_t name(nvmlDevice_t device, first, second)                                          \
    {                                                                                              \
        DEVICE(device, p);                                                                         \
        (void)a, (void)b;                                                                          \
        return NVML_ERROR_NOT_SUPPORTED;                                                           \
    }
UNKNOWN(nvmlDeviceGetFanSpeed, unsigned int *a)
UNKNOWN(nvmlDeviceGetCurrentClocksThrottleReasons, unsigned long long *a)
UNKNOWN(nvmlDeviceGetEnforcedPowerLimit, unsigned int *a)
UNKNOWN(nvmlDeviceGetPowerManagementLimit, unsigned int *a)
UNKNOWN(nvmlDeviceGetCurrPcieLinkGeneration, unsigned int *a)
UNKNOWN(nvmlDeviceGetCurrPcieLinkWidth, unsigned int *a)
UNKNOWN(nvmlDeviceGetMaxPcieLinkGeneration, unsigned int *a)
UNKNOWN(nvmlDeviceGetMaxPcieLinkWidth, unsigned int *a)
UNKNOWN_TWO(nvmlDeviceGetTemperatureThreshold, nvmlTemperatureThresholds_t a, unsigned int *b)
UNKNOWN_TWO(nvmlDeviceGetPcieThroughput, nvmlPcieUtilCounter_t a, unsigned int *b)
UNKNOWN_TWO(nvmlDeviceGetEncoderUtilization, unsigned int *a, unsigned int *b)
UNKNOWN_TWO(nvmlDeviceGetDecoderUtilization, unsigned int *a, unsigned int *b)
UNKNOWN_TWO(nvmlDeviceGetMigMode, unsigned int *a, unsigned int *b)

/* ---- processes: this one ---- */
static nvmlReturn_t processes(nvmlDevice_t device, unsigned int *count, bool compute, size_t size,
                              void *list)
{
    DEVICE(device, p);
    nvmlMemory_t m = {0};
    if (!count)
        return NVML_ERROR_INVALID_ARGUMENT;
    const unsigned room = *count;
    *count = compute;
    if (!compute)
        return NVML_SUCCESS;
    if (!room || !list)
        return NVML_ERROR_INSUFFICIENT_SIZE;
    nvmlDeviceGetMemoryInfo(device, &m);
    const nvmlProcessInfo_v2_t us = {.pid = (unsigned)getpid(),
                                     .usedGpuMemory = m.used,
                                     .gpuInstanceId = UINT32_MAX,
                                     .computeInstanceId = UINT32_MAX};
    memcpy(list, &us, size);
    return NVML_SUCCESS;
}

#define PROCESSES(name, type, compute)                                                             \
    nvmlReturn_t name(nvmlDevice_t device, unsigned int *count, type *list)                        \
    {                                                                                              \
        return processes(device, count, compute, sizeof *list, list);                              \
    }
PROCESSES(nvmlDeviceGetComputeRunningProcesses, nvmlProcessInfo_v1_t, true)
PROCESSES(nvmlDeviceGetComputeRunningProcesses_v2, nvmlProcessInfo_v2_t, true)
PROCESSES(nvmlDeviceGetComputeRunningProcesses_v3, nvmlProcessInfo_t, true)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses, nvmlProcessInfo_v1_t, false)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v2, nvmlProcessInfo_v2_t, false)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v3, nvmlProcessInfo_t, false)

nvmlReturn_t nvmlDeviceGetProcessUtilization(nvmlDevice_t device,
                                             nvmlProcessUtilizationSample_t *list,
                                             unsigned int *count, unsigned long long since)
{
    DEVICE(device, p);
    (void)list, (void)since;
    if (!count)
        return NVML_ERROR_INVALID_ARGUMENT;
    *count = 0;
    return NVML_SUCCESS;
}
