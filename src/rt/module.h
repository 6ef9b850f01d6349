/* Source text → a module loaded on a device, with what a launcher needs to know of its kernels. */
#ifndef RT_MODULE_H
#define RT_MODULE_H

#include "driver/mode.h"
#include "rt/rt.h"

struct rt_param {
    uint32_t offset, size;
};

struct rt_kernel {
    const char *name;    /* in the IR */
    const char *display; /* as a user writes it, or NULL */
    const char *mangled; /* by C++'s rules, or NULL: as the name */
    struct dev_kernel *dev;
    const struct rt_param *params;
    uint32_t nparams, param_bytes;
    uint32_t arch;        /* what __CUDA_ARCH__ was for it, or the .target of its PTX: 800 */
    uint32_t max_threads; /* __launch_bounds__, or 0 */
    uint32_t static_shared;
    uint32_t cluster[3];             /* __cluster_dims__, or 0 */
    bool parts;                      /* a cluster is launched as one block (ir/cluster.h), with */
    uint32_t cluster_offset;         /* one parameter more, there */
    uint32_t cluster_align;          /* of each part's shared memory */
    uint32_t allowed_shared;         /* dynamic; by rt_kernel_allow_shared, or 0 */
    const struct ir_inst *unordered; /* what the device cannot promise to do in one order, where
                                        TERN_DETERMINISTIC asks for that; NULL: all is well */
};

struct rt_source {
    const char *path; /* its ending tells the language */
    const char *text;
    size_t len;
    const char *const *names; /* name expressions of template kernels */
    size_t nnames;
    struct compile_mode mode;
    bool linked; /* -rdc=true: one module with the sources behind `next`, which are linked too */
    const struct rt_source *next;
};

struct rt_module;
struct compilation;

/* Whether a text is PTX: its first words are comments and a .version. */
bool rt_is_ptx(const char *text, size_t n);
/* On failure *log (free() it) holds the diagnostics as text; it may be NULL for other errors. */
enum tern_error rt_module_build(struct rt_device *d, const struct rt_source *s,
                                struct rt_module **out, char **log);
/* A module of what is compiled already, which must outlive it. What the device has against it is
 * added to c's diagnostics. */
enum tern_error rt_module_load(struct rt_device *d, struct compilation *c, struct rt_module **out);
void rt_module_free(struct rt_module *m);
/* --f64=fast rests on f32 sums, products and fma that round as IEEE 754 says: asks the device.
 * TERN_UNSUPPORTED: it does otherwise. */
enum tern_error rt_test_pairs(struct rt_device *d);
/* By IR name, by C++ name, or by name expression: spaces do not matter. NULL: none. Without a name,
 * the first. */
const struct rt_kernel *rt_module_kernel(const struct rt_module *m, const char *name);
size_t rt_module_kernel_count(const struct rt_module *m);
const struct rt_kernel *rt_module_kernel_at(const struct rt_module *m, size_t k);
enum tern_error rt_module_global(struct rt_module *m, const char *name, dev_ptr *p, uint64_t *size);
/* Whether the variable is the host's, too (__managed__). */
bool rt_module_is_managed(const struct rt_module *m, const char *name);
/* ---- managed variables of devices that use the host's memory at its address (managed.c) ---- */
#define RT_MANAGED_PLACE ".place" /* behind the name of a variable: that of the word */
enum tern_error rt_managed_apart(struct compilation *c);
/* From now on the variable is what the host has at that address. TERN_NOT_FOUND: the device has a
 * copy of its own. */
enum tern_error rt_managed_place(struct rt_module *m, const char *name, const void *host);
/* CUDA programs have to ask for much shared memory, kernel by kernel, before they launch with it.
 */
void rt_kernel_allow_shared(const struct rt_kernel *k, uint32_t bytes);
/* The blocks of its clusters in x, y or z, as __cluster_dims__ would say. */
void rt_kernel_set_cluster(const struct rt_kernel *k, unsigned axis, uint32_t blocks);
/* Whether the device takes a launch of that shape; if not, `why` (RT_WHY bytes) names what is too
 * large and the limit. */
enum { RT_WHY = 256 };
enum tern_error rt_check_launch(const struct dev_info *info, const struct rt_kernel *k,
                                const struct dev_launch *l, char *why);
/* ---- clusters (cluster.c) ---- */
/* The blocks of a launch's clusters in x, y, z; false: there is one. */
bool rt_cluster(const struct rt_kernel *k, const struct dev_launch *l, uint32_t size[3]);
/* The part of rt_check_launch that is about them. */
enum tern_error rt_check_cluster(const struct dev_info *info, const struct rt_kernel *k,
                                 const struct dev_launch *l, char *why);
/* Launches what rt_check_launch took; a cluster as one block where the device has none. */
enum { RT_MAX_PARAM_BYTES = 32768 };
enum tern_error rt_launch(const struct rt_device *d, struct dev_queue *q, const struct rt_kernel *k,
                          const struct dev_launch *l);
/* Whether kernels of the module have something in common beyond their text: variables, or functions
 * that are called through pointers, which one could leave in memory for another. */
bool rt_module_shares(const struct rt_module *m);
/* The variable of the module, or the literal, that has the bytes; false: none. */
bool rt_module_variable(struct rt_module *m, dev_ptr p, uint64_t size, dev_ptr *at,
                        uint64_t *whole);

#endif
