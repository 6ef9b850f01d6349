// NVML over our devices: what a monitor asks, in its order.
// OPTIONS: -lnvidia-ml
#include <nvml.h>
#include <cstring>
#include <unistd.h>
#include "check.h"

int main()
{
    unsigned n = 0, index;
    char text[96], again[96];
    nvmlDevice_t d, other;
    CHECK(nvmlDeviceGetCount(&n) == NVML_ERROR_UNINITIALIZED);
    CHECK(nvmlInit_v2() == NVML_SUCCESS && nvmlInit() == NVML_SUCCESS);
    CHECK(nvmlDeviceGetCount_v2(&n) == NVML_SUCCESS && n > 0);
    CHECK(nvmlDeviceGetHandleByIndex_v2(n, &d) == NVML_ERROR_INVALID_ARGUMENT);
    CHECK(nvmlDeviceGetHandleByIndex_v2(0, &d) == NVML_SUCCESS);
    CHECK(nvmlDeviceGetIndex(d, &index) == NVML_SUCCESS && index == 0);
    cudaDeviceProp p;
    CUDA(cudaGetDeviceProperties(&p, 0));
    CHECK(nvmlDeviceGetName(d, text, sizeof text) == NVML_SUCCESS && !strcmp(text, p.name));
    CHECK(nvmlDeviceGetName(d, text, 1) == NVML_ERROR_INSUFFICIENT_SIZE);
    CHECK(nvmlDeviceGetName(nullptr, text, sizeof text) == NVML_ERROR_INVALID_ARGUMENT);
    CHECK(nvmlDeviceGetUUID(d, text, sizeof text) == NVML_SUCCESS && !strncmp(text, "GPU-", 4));
    CHECK(nvmlDeviceGetHandleByUUID(text, &other) == NVML_SUCCESS && other == d);
    CHECK(nvmlDeviceGetUUID(other, again, sizeof again) == NVML_SUCCESS && !strcmp(text, again));
    CHECK(nvmlDeviceGetHandleByUUID("GPU-no", &other) == NVML_ERROR_NOT_FOUND);
    char part[NVML_DEVICE_PART_NUMBER_BUFFER_SIZE];
    CHECK(sizeof part == 80 && nvmlDeviceGetApplicationsClock(d, NVML_CLOCK_SM, nullptr) == NVML_ERROR_INVALID_ARGUMENT);
    CHECK(nvmlDeviceGetApplicationsClock(d, NVML_CLOCK_SM, &index) == NVML_ERROR_NOT_SUPPORTED);
    CHECK(nvmlDeviceGetClockInfo(d, NVML_CLOCK_MEM, &index) == NVML_SUCCESS && (int)index == p.memoryClockRate / 1000);
    nvmlPciInfo_t pci;
    CHECK(nvmlDeviceGetPciInfo_v3(d, &pci) == NVML_SUCCESS);
    CHECK(nvmlDeviceGetHandleByPciBusId(pci.busId, &other) == NVML_SUCCESS);

    // memory that is taken is seen
    nvmlMemory_t before, after;
    nvmlMemory_v2_t v2 = {.version = nvmlMemory_v2};
    void *m;
    CHECK(nvmlDeviceGetMemoryInfo(d, &before) == NVML_SUCCESS && before.total >= before.free);
    CUDA(cudaMalloc(&m, 64 << 20));
    CHECK(nvmlDeviceGetMemoryInfo(d, &after) == NVML_SUCCESS && after.total == before.total);
    CHECK(after.used + after.free == after.total);
    CHECK(nvmlDeviceGetMemoryInfo_v2(d, &v2) == NVML_SUCCESS && v2.total == after.total);
    CUDA(cudaFree(m));

    // this process is the one that is known
    nvmlProcessInfo_t list[4];
    unsigned count = 0;
    CHECK(nvmlDeviceGetComputeRunningProcesses_v3(d, &count, nullptr) == NVML_ERROR_INSUFFICIENT_SIZE && count == 1);
    CHECK(nvmlDeviceGetComputeRunningProcesses_v3(d, &count, list) == NVML_SUCCESS && count == 1);
    CHECK(list[0].pid == (unsigned)getpid());
    CHECK(nvmlSystemGetProcessName(list[0].pid, text, sizeof text) != NVML_ERROR_NOT_FOUND);

    // what may not be known is either a figure that makes sense or refused
    nvmlUtilization_t use;
    unsigned value;
    nvmlReturn_t r = nvmlDeviceGetUtilizationRates(d, &use);
    CHECK(r == NVML_ERROR_NOT_SUPPORTED || (r == NVML_SUCCESS && use.gpu <= 100 && use.memory <= 100));
    r = nvmlDeviceGetTemperature(d, NVML_TEMPERATURE_GPU, &value);
    CHECK(r == NVML_ERROR_NOT_SUPPORTED || (r == NVML_SUCCESS && value < 150));
    r = nvmlDeviceGetPowerUsage(d, &value);
    CHECK(r == NVML_ERROR_NOT_SUPPORTED || r == NVML_SUCCESS);
    CHECK(nvmlDeviceGetFanSpeed(d, &value) == NVML_ERROR_NOT_SUPPORTED);
    CHECK(!strcmp(nvmlErrorString(NVML_ERROR_NOT_SUPPORTED), "Not Supported"));
    CHECK(nvmlShutdown() == NVML_SUCCESS && nvmlShutdown() == NVML_SUCCESS);
    CHECK(nvmlShutdown() == NVML_ERROR_UNINITIALIZED);
    puts("ok");
}
