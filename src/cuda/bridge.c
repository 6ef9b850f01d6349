/* include/tern/cuda.h: the CUDA API's devices and streams as objects of tern.h. */
#include <string.h>
#include "base/settings.h"
#include "cuda_int.h"
#include "rt/profile.h"
#include "tern/cuda.h"

static enum tern_error error_of(cudaError_t e)
{
    switch (e) {
    case cudaSuccess: return TERN_OK;
    case cudaErrorMemoryAllocation: return TERN_OUT_OF_MEMORY;
    case cudaErrorInvalidResourceHandle: return TERN_INVALID_ARGUMENT;
    default: return TERN_NO_DEVICE;
    }
}

enum tern_error tern_cuda_device(tern_device **out)
{
    return error_of(cuda_current(out));
}

void tern_cuda_device_facts(const tern_device *d, struct tern_device_info *out)
{
    device_facts(&d->info, out);
    if (d->context->check) /* which sees what kernels do */
        out->host_code = false;
}

void tern_cuda_device_profile(const tern_device *d, struct tern_cuda_profile *out)
{
    struct profile p;
    profile_of(d->rt.driver->name, &d->info, &p);
    *out = (struct tern_cuda_profile){.f64_rate = p.f64_source == PROFILE_UNKNOWN ? -1 : p.f64_rate,
                                      .f64_source = profile_source_text(p.f64_source),
                                      .registers = p.registers};
}

char *tern_cuda_kept(const tern_device *d, const char *what, size_t *n)
{
    return profile_read(d->rt.driver->name, &d->info, what, n);
}

void tern_cuda_keep(const tern_device *d, const char *what, const void *data, size_t n)
{
    profile_write(d->rt.driver->name, &d->info, what, data, n);
}

void tern_cuda_keep_f64(const tern_device *d, double rate)
{
    tern_cuda_keep(d, PROFILE_F64_KEPT, &rate, sizeof rate);
}

enum tern_error tern_cuda_stream(tern_device *d, void *handle, tern_stream **out)
{
    return error_of(cuda_stream(d, handle, out));
}

void tern_cuda_say(const char *text)
{
    cuda_say(text);
}

void tern_cuda_message(tern_device *d, const char *text)
{
    context_message(d->context, "%s", text);
}

bool tern_cuda_logs(void)
{
    const char *where = setting_text(SETTING_LOG);
    return where && strcmp(where, "0") != 0;
}

void tern_cuda_note(const char *text)
{
    rt_log(NULL, &(struct report){.kind = REPORT_NOTE, .message = text});
}

const char *tern_cuda_setting(const char *variable)
{
    for (int k = 0; setting_info[k].variable; k++)
        if (!strcmp(setting_info[k].variable, variable))
            return setting_text((enum setting)k);
    return NULL;
}
