/* Sharing memory with OpenGL: there is none here, and each call says so. */
#pragma once
#ifndef __TERN_DEVICE__ /* for host code */
#include "cuda_runtime_api.h"
#if defined(__has_include)
#if __has_include(<GL/gl.h>)
#include <GL/gl.h>
#define __TERN_HAS_GL
#endif
#endif
#ifndef __TERN_HAS_GL
typedef unsigned int GLuint;
typedef unsigned int GLenum;
#endif
enum cudaGLDeviceList {
    cudaGLDeviceListAll = 1,
    cudaGLDeviceListCurrentFrame = 2,
    cudaGLDeviceListNextFrame = 3
};
static inline cudaError_t cudaGLGetDevices(unsigned int *count, int *devices, unsigned int room,
                                           enum cudaGLDeviceList list)
{
    (void)devices, (void)room, (void)list;
    *count = 0;
    return cudaErrorNotSupported;
}
static inline cudaError_t cudaGraphicsGLRegisterImage(struct cudaGraphicsResource **resource,
                                                      GLuint image, GLenum target,
                                                      unsigned int flags)
{
    (void)image, (void)target, (void)flags;
    *resource = 0;
    return cudaErrorNotSupported;
}
static inline cudaError_t cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource **resource,
                                                       GLuint buffer, unsigned int flags)
{
    (void)buffer, (void)flags;
    *resource = 0;
    return cudaErrorNotSupported;
}
static inline cudaError_t cudaGLSetGLDevice(int device)
{
    return cudaSetDevice(device);
}
#endif
