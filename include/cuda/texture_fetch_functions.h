/* Texture and surface objects, and the texture references that CUDA had before them.
 *
 * A fetch gives four components; what they become is decided by the type asked for. Integer
 * channels arrive as 32-bit integers, normalized ones and floats as floats. */
#pragma once
#include "texture_types.h"
#include "driver_types.h"
#ifdef __TERN_DEVICE__
#include "device_functions.h"

/* How a texel type reads its components: `raw` is what the fetch delivers. */
template <class __tern_T> struct __tern_texel;
#define __TERN_TEXEL(__tern_T, __tern_R, __tern_E, n)                                                                   \
    template <> struct __tern_texel<__tern_T> {                                                           \
        typedef __tern_R raw;                                                                             \
        static const int components = n;                                                           \
        template <class __tern_C> static __device__ __forceinline__ __tern_T make(const __tern_C *c)                    \
        {                                                                                          \
            return __TERN_TEXEL_##n(__tern_T, __tern_E);                                                         \
        }                                                                                          \
        static __device__ __forceinline__ void split(const __tern_T &t, __tern_E *c)                             \
        {                                                                                          \
            __TERN_SPLIT_##n                                                                       \
        }                                                                                          \
        typedef __tern_E element;                                                                         \
    };
#define __TERN_TEXEL_0(__tern_T, __tern_E) (__tern_E) c[0]
#define __TERN_TEXEL_1(__tern_T, __tern_E)                                                                       \
    __tern_T                                                                                              \
    {                                                                                              \
        (__tern_E) c[0]                                                                                   \
    }
#define __TERN_TEXEL_2(__tern_T, __tern_E)                                                                       \
    __tern_T                                                                                              \
    {                                                                                              \
        (__tern_E) c[0], (__tern_E)c[1]                                                                          \
    }
#define __TERN_TEXEL_4(__tern_T, __tern_E)                                                                       \
    __tern_T                                                                                              \
    {                                                                                              \
        (__tern_E) c[0], (__tern_E)c[1], (__tern_E)c[2], (__tern_E)c[3]                                                        \
    }
#define __TERN_SPLIT_0 c[0] = t;
#define __TERN_SPLIT_1 c[0] = t.x;
#define __TERN_SPLIT_2                                                                             \
    c[0] = t.x;                                                                                    \
    c[1] = t.y;
#define __TERN_SPLIT_4                                                                             \
    c[0] = t.x;                                                                                    \
    c[1] = t.y;                                                                                    \
    c[2] = t.z;                                                                                    \
    c[3] = t.w;
#define __TERN_TEXELS(name, __tern_R, __tern_E)                                                                  \
    __TERN_TEXEL(name##1, __tern_R, __tern_E, 1)                                                                 \
    __TERN_TEXEL(name##2, __tern_R, __tern_E, 2)                                                                 \
    __TERN_TEXEL(name##4, __tern_R, __tern_E, 4)
__TERN_TEXEL(char, int, char, 0)
__TERN_TEXEL(signed char, int, signed char, 0)
__TERN_TEXEL(unsigned char, int, unsigned char, 0)
__TERN_TEXEL(short, int, short, 0)
__TERN_TEXEL(unsigned short, int, unsigned short, 0)
__TERN_TEXEL(int, int, int, 0)
__TERN_TEXEL(unsigned int, int, unsigned int, 0)
__TERN_TEXEL(float, float, float, 0)
__TERN_TEXELS(char, int, signed char)
__TERN_TEXELS(uchar, int, unsigned char)
__TERN_TEXELS(short, int, short)
__TERN_TEXELS(ushort, int, unsigned short)
__TERN_TEXELS(int, int, int)
__TERN_TEXELS(uint, int, unsigned int)
__TERN_TEXELS(float, float, float)
#undef __TERN_TEXELS
#undef __TERN_TEXEL

/* The numbers of src/ir/tex.h: geometry in bits 0-3, integer coordinates 16, mode from bit 5,
 * gathered component from bit 8; surfaces: bounds from bit 10, components from bit 12. */
#define __TERN_TEX(name, imm, params, ...)                                                         \
    template <class __tern_T> __TERN_FN __tern_T name params                                                     \
    {                                                                                              \
        typename __tern_texel<__tern_T>::raw c[4];                                                        \
        __tern_tex(imm, c, t, __VA_ARGS__);                                                        \
        return __tern_texel<__tern_T>::make(c);                                                           \
    }
__TERN_TEX(tex1Dfetch, 0 | 16, (cudaTextureObject_t t, int x), x)
__TERN_TEX(tex1D, 0, (cudaTextureObject_t t, float x), x)
__TERN_TEX(tex2D, 1, (cudaTextureObject_t t, float x, float y), x, y)
__TERN_TEX(tex3D, 2, (cudaTextureObject_t t, float x, float y, float z), x, y, z)
__TERN_TEX(tex1DLayered, 3, (cudaTextureObject_t t, float x, int layer), layer, x)
__TERN_TEX(tex2DLayered, 4, (cudaTextureObject_t t, float x, float y, int layer), layer, x, y)
__TERN_TEX(texCubemap, 5, (cudaTextureObject_t t, float x, float y, float z), x, y, z)
__TERN_TEX(texCubemapLayered, 6, (cudaTextureObject_t t, float x, float y, float z, int layer),
           layer, x, y, z)
__TERN_TEX(tex1DLod, 0 | 1 << 5, (cudaTextureObject_t t, float x, float level), x, level)
__TERN_TEX(tex2DLod, 1 | 1 << 5, (cudaTextureObject_t t, float x, float y, float level), x, y,
           level)
__TERN_TEX(tex3DLod, 2 | 1 << 5, (cudaTextureObject_t t, float x, float y, float z, float level), x,
           y, z, level)
__TERN_TEX(tex1DGrad, 0 | 2 << 5, (cudaTextureObject_t t, float x, float dx, float dy), x, dx, dy)
__TERN_TEX(tex2DGrad, 1 | 2 << 5, (cudaTextureObject_t t, float x, float y, float2 dx, float2 dy),
           x, y, dx.x, dx.y, dy.x, dy.y)
__TERN_TEX(tex3DGrad, 2 | 2 << 5,
           (cudaTextureObject_t t, float x, float y, float z, float4 dx, float4 dy), x, y, z, dx.x,
           dx.y, dx.z, dy.x, dy.y, dy.z)
#undef __TERN_TEX
template <class __tern_T>
__TERN_FN __tern_T tex2Dgather(cudaTextureObject_t t, float x, float y, int component = 0)
{
    typename __tern_texel<__tern_T>::raw c[4];
    switch (component) {
    case 0: __tern_tex(1 | 3 << 5, c, t, x, y); break;
    case 1: __tern_tex(1 | 3 << 5 | 1 << 8, c, t, x, y); break;
    case 2: __tern_tex(1 | 3 << 5 | 2 << 8, c, t, x, y); break;
    default: __tern_tex(1 | 3 << 5 | 3 << 8, c, t, x, y); break;
    }
    return __tern_texel<__tern_T>::make(c);
}
/* the forms that write through a pointer */
template <class __tern_T> __TERN_FN void tex1Dfetch(__tern_T *r, cudaTextureObject_t t, int x)
{
    *r = tex1Dfetch<__tern_T>(t, x);
}
template <class __tern_T> __TERN_FN void tex1D(__tern_T *r, cudaTextureObject_t t, float x)
{
    *r = tex1D<__tern_T>(t, x);
}
template <class __tern_T> __TERN_FN void tex2D(__tern_T *r, cudaTextureObject_t t, float x, float y)
{
    *r = tex2D<__tern_T>(t, x, y);
}
template <class __tern_T> __TERN_FN void tex3D(__tern_T *r, cudaTextureObject_t t, float x, float y, float z)
{
    *r = tex3D<__tern_T>(t, x, y, z);
}

/* ---- surfaces ---- */
template <class __tern_T> struct __tern_surfel {
    static const int components = __tern_texel<__tern_T>::components ? __tern_texel<__tern_T>::components : 1;
};
#define __TERN_SURF(shape, geometry, params, ...)                                                  \
    template <class __tern_T>                                                                             \
    __TERN_FN __tern_T surf##shape##read(cudaSurfaceObject_t s, __TERN_LIST params,                       \
                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)             \
    {                                                                                              \
        typename __tern_texel<__tern_T>::element c[4];                                                    \
        constexpr int n = __tern_surfel<__tern_T>::components << 12 | geometry;                           \
        if (mode == cudaBoundaryModeZero)                                                          \
            __tern_surfload(n | 2 << 10, c, s, __VA_ARGS__);                                       \
        else if (mode == cudaBoundaryModeClamp)                                                    \
            __tern_surfload(n | 1 << 10, c, s, __VA_ARGS__);                                       \
        else                                                                                       \
            __tern_surfload(n, c, s, __VA_ARGS__);                                                 \
        return __tern_texel<__tern_T>::make(c);                                                           \
    }                                                                                              \
    template <class __tern_T>                                                                             \
    __TERN_FN void surf##shape##read(__tern_T *r, cudaSurfaceObject_t s, __TERN_LIST params,              \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)          \
    {                                                                                              \
        *r = surf##shape##read<__tern_T>(s, __VA_ARGS__, mode);                                           \
    }                                                                                              \
    template <class __tern_T>                                                                             \
    __TERN_FN void surf##shape##write(__tern_T v, cudaSurfaceObject_t s, __TERN_LIST params,              \
                                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)         \
    {                                                                                              \
        typename __tern_texel<__tern_T>::element c[4] = {};                                               \
        constexpr int n = __tern_surfel<__tern_T>::components << 12 | geometry;                           \
        __tern_texel<__tern_T>::split(v, c);                                                              \
        if (mode == cudaBoundaryModeZero)                                                          \
            __tern_surfstore(n | 2 << 10, c, s, __VA_ARGS__);                                      \
        else if (mode == cudaBoundaryModeClamp)                                                    \
            __tern_surfstore(n | 1 << 10, c, s, __VA_ARGS__);                                      \
        else                                                                                       \
            __tern_surfstore(n, c, s, __VA_ARGS__);                                                \
    }
#define __TERN_LIST(...) __VA_ARGS__
__TERN_SURF(1D, 0, (int x), x)
__TERN_SURF(2D, 1, (int x, int y), x, y)
__TERN_SURF(3D, 2, (int x, int y, int z), x, y, z)
__TERN_SURF(1DLayered, 3, (int x, int layer), layer, x)
__TERN_SURF(2DLayered, 4, (int x, int y, int layer), layer, x, y)
#undef __TERN_SURF
#undef __TERN_LIST
#endif

/* ---- texture references, as they were until CUDA 11 ---- */
/* The last reserved words hold the texture object that the host bound to the reference. */
#ifndef __TERN_DEVICE__
template <class __tern_T> static inline struct cudaChannelFormatDesc cudaCreateChannelDesc();
#endif
template <class __tern_T, int texType = cudaTextureType1D,
          cudaTextureReadMode mode = cudaReadModeElementType>
struct texture : textureReference {
#ifdef __TERN_DEVICE__ /* binding writes the host's over it */
    __host__ __device__ constexpr texture() : textureReference()
    {
    }
    template <class... __tern_A>
    __host__ __device__ constexpr texture(int, __tern_A...) : textureReference()
    {
    }
#else
    texture(int norm = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
            cudaTextureAddressMode address = cudaAddressModeClamp)
        : texture(norm, filter, address, cudaCreateChannelDesc<__tern_T>())
    {
    }
    texture(int norm, cudaTextureFilterMode filter, cudaTextureAddressMode address,
            struct cudaChannelFormatDesc format)
        : textureReference()
    {
        normalized = norm;
        filterMode = filter;
        addressMode[0] = addressMode[1] = addressMode[2] = address;
        channelDesc = format;
    }
#endif
};
template <class __tern_T, int texType = cudaSurfaceType1D> struct surface : surfaceReference {
    __host__ __device__ constexpr surface() : surfaceReference()
    {
    }
};

#ifdef __TERN_DEVICE__
__TERN_FN cudaTextureObject_t __tern_bound(const textureReference &r)
{
    return (unsigned)r.__cudaReserved[12] | (cudaTextureObject_t)(unsigned)r.__cudaReserved[13]
                                                << 32;
}
/* normalized reads of integer texels give floats */
template <class __tern_T, cudaTextureReadMode mode> struct __tern_read {
    typedef __tern_T type;
};
template <> struct __tern_read<char, cudaReadModeNormalizedFloat> {
    typedef float type;
};
template <> struct __tern_read<signed char, cudaReadModeNormalizedFloat> {
    typedef float type;
};
template <> struct __tern_read<unsigned char, cudaReadModeNormalizedFloat> {
    typedef float type;
};
template <> struct __tern_read<short, cudaReadModeNormalizedFloat> {
    typedef float type;
};
template <> struct __tern_read<unsigned short, cudaReadModeNormalizedFloat> {
    typedef float type;
};
template <> struct __tern_read<char2, cudaReadModeNormalizedFloat> {
    typedef float2 type;
};
template <> struct __tern_read<uchar2, cudaReadModeNormalizedFloat> {
    typedef float2 type;
};
template <> struct __tern_read<short2, cudaReadModeNormalizedFloat> {
    typedef float2 type;
};
template <> struct __tern_read<ushort2, cudaReadModeNormalizedFloat> {
    typedef float2 type;
};
template <> struct __tern_read<char4, cudaReadModeNormalizedFloat> {
    typedef float4 type;
};
template <> struct __tern_read<uchar4, cudaReadModeNormalizedFloat> {
    typedef float4 type;
};
template <> struct __tern_read<short4, cudaReadModeNormalizedFloat> {
    typedef float4 type;
};
template <> struct __tern_read<ushort4, cudaReadModeNormalizedFloat> {
    typedef float4 type;
};
#define __TERN_REF(name, params, ...)                                                              \
    template <class __tern_T, cudaTextureReadMode m>                                                      \
    __TERN_FN typename __tern_read<__tern_T, m>::type name(__TERN_LIST params)                            \
    {                                                                                              \
        return name<typename __tern_read<__tern_T, m>::type>(__tern_bound(r), __VA_ARGS__);               \
    }
#define __TERN_LIST(...) __VA_ARGS__
__TERN_REF(tex1Dfetch, (const texture<__tern_T, cudaTextureType1D, m> &r, int x), x)
__TERN_REF(tex1D, (const texture<__tern_T, cudaTextureType1D, m> &r, float x), x)
__TERN_REF(tex2D, (const texture<__tern_T, cudaTextureType2D, m> &r, float x, float y), x, y)
__TERN_REF(tex3D, (const texture<__tern_T, cudaTextureType3D, m> &r, float x, float y, float z), x, y, z)
__TERN_REF(tex1DLayered, (const texture<__tern_T, cudaTextureType1DLayered, m> &r, float x, int layer), x,
           layer)
__TERN_REF(tex2DLayered,
           (const texture<__tern_T, cudaTextureType2DLayered, m> &r, float x, float y, int layer), x, y,
           layer)
__TERN_REF(tex2DLod, (const texture<__tern_T, cudaTextureType2D, m> &r, float x, float y, float level), x,
           y, level)
__TERN_REF(tex3DLod,
           (const texture<__tern_T, cudaTextureType3D, m> &r, float x, float y, float z, float level), x,
           y, z, level)
#undef __TERN_REF
__TERN_FN cudaSurfaceObject_t __tern_bound_surface(const surfaceReference &r)
{
    return (unsigned)r.__cudaReserved[0] | (cudaSurfaceObject_t)(unsigned)r.__cudaReserved[1] << 32;
}
#define __TERN_SURF_REF(shape, params, ...)                                                        \
    template <class __tern_T, class __tern_S>                                                      \
    __TERN_FN __tern_T surf##shape##read(const surface<__tern_S, cudaSurfaceType##shape> &r,       \
                                         __TERN_LIST params,                                       \
                                         cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)      \
    {                                                                                              \
        return surf##shape##read<__tern_T>(__tern_bound_surface(r), __VA_ARGS__, mode);            \
    }                                                                                              \
    template <class __tern_T, class __tern_S>                                                      \
    __TERN_FN void surf##shape##read(__tern_T *to,                                                 \
                                     const surface<__tern_S, cudaSurfaceType##shape> &r,           \
                                     __TERN_LIST params,                                           \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)          \
    {                                                                                              \
        *to = surf##shape##read<__tern_T>(__tern_bound_surface(r), __VA_ARGS__, mode);             \
    }                                                                                              \
    template <class __tern_T, class __tern_S>                                                      \
    __TERN_FN void surf##shape##write(__tern_T v,                                                  \
                                      const surface<__tern_S, cudaSurfaceType##shape> &r,          \
                                      __TERN_LIST params,                                          \
                                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)         \
    {                                                                                              \
        surf##shape##write<__tern_T>(v, __tern_bound_surface(r), __VA_ARGS__, mode);               \
    }
__TERN_SURF_REF(1D, (int x), x)
__TERN_SURF_REF(2D, (int x, int y), x, y)
__TERN_SURF_REF(3D, (int x, int y, int z), x, y, z)
__TERN_SURF_REF(1DLayered, (int x, int layer), x, layer)
__TERN_SURF_REF(2DLayered, (int x, int y, int layer), x, y, layer)
#undef __TERN_SURF_REF
#undef __TERN_LIST
#endif
