/* A recording as a database, with the tables of Nsight Systems' export: what reads those reads
 * this.
 *
 * The text of SQL is made here; libsqlite3 is found when it is needed and runs it. Columns that we
 * know nothing of are NULL. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "prof/prof.h"

static const char schema[] =
    "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);\n"
    "CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);\n"
    "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT, busLocation TEXT, "
    "isDiscrete INTEGER, "
    "totalMemory INTEGER, clockRate INTEGER, smCount INTEGER, threadsPerWarp INTEGER, "
    "maxWarpsPerSm INTEGER);\n"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, "
    "deviceId INTEGER "
    "NOT NULL, contextId INTEGER, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId "
    "INTEGER, "
    "globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName "
    "INTEGER, "
    "launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER, gridX INTEGER NOT NULL, "
    "gridY INTEGER "
    "NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ "
    "INTEGER NOT "
    "NULL, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, localMemoryPerThread INTEGER, "
    "localMemoryTotal INTEGER, gridId INTEGER, sharedMemoryExecuted INTEGER, graphNodeId INTEGER, "
    "sharedMemoryLimitConfig INTEGER);\n"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, "
    "deviceId INTEGER NOT "
    "NULL, contextId INTEGER, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId "
    "INTEGER, globalPid "
    "INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, deprecatedSrcId INTEGER, srcKind "
    "INTEGER, dstKind "
    "INTEGER, srcDeviceId INTEGER, srcContextId INTEGER, dstDeviceId INTEGER, dstContextId "
    "INTEGER, "
    "migrationCause INTEGER, graphNodeId INTEGER, virtualAddress INTEGER, copyCount INTEGER);\n"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL, "
    "deviceId INTEGER NOT "
    "NULL, contextId INTEGER, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId "
    "INTEGER, globalPid "
    "INTEGER, value INTEGER, bytes INTEGER NOT NULL, graphNodeId INTEGER, memKind INTEGER);\n"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, "
    "eventClass INTEGER, "
    "globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT "
    "NULL, callchainId "
    "INTEGER);\n"
    "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER NOT NULL, globalPid INTEGER, "
    "deviceId INTEGER, "
    "contextId INTEGER, address INTEGER, pc INTEGER, bytes INTEGER, memKind INTEGER, "
    "memoryOperationType INTEGER, "
    "name TEXT, correlationId INTEGER, streamId INTEGER);\n"
    "CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, "
    "rangeId INTEGER, "
    "category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId "
    "INTEGER, domainId "
    "INTEGER, uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, uint32Value INTEGER, "
    "int32Value INTEGER, "
    "floatValue REAL, jsonTextId INTEGER, jsonText TEXT, binaryData TEXT);\n"
    "CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER PRIMARY KEY, name TEXT, label TEXT);\n"
    "INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES "
    "(0,'CUDA_MEMCPY_KIND_UNKNOWN','Unknown'),(1,'CUDA_MEMCPY_KIND_HTOD',"
    "'Host-to-Device'),(2,'CUDA_MEMCPY_KIND_DTOH','Device-to-Host'),(8,'CUDA_MEMCPY_KIND_DTOD','"
    "Device-to-Device'),"
    "(9,'CUDA_MEMCPY_KIND_HTOH','Host-to-Host');\n"
    "CREATE TABLE ENUM_NSYS_EVENT_TYPE (id INTEGER PRIMARY KEY, name TEXT, label TEXT);\n"
    "INSERT INTO ENUM_NSYS_EVENT_TYPE VALUES (34,'NvtxMark','NVTX "
    "Mark'),(59,'NvtxPushPopRange','NVTX Push/Pop "
    "Range'),(60,'NvtxStartEndRange','NVTX Start/End Range');\n";

/* A thread of the process, as the export packs both. */
enum { OUR_PID = 1 };
static uint64_t global_pid(void)
{
    return (uint64_t)OUR_PID << 24;
}

static void text(struct sbuf *o, const char *z)
{
    sbuf_putc(o, '\'');
    for (; *z; z++) {
        if (*z == '\'')
            sbuf_putc(o, '\'');
        sbuf_putc(o, *z);
    }
    sbuf_putc(o, '\'');
}

struct writer {
    const struct prof_file *f;
    struct sbuf *out;
    struct interner names;
    struct map ids; /* interned name → id + 1 */
    VEC(const char *) strings;
};

static unsigned long string_id(struct writer *w, const char *z)
{
    const char *name = intern_z(&w->names, z);
    uintptr_t at = (uintptr_t)map_get(&w->ids, map_key(name));
    if (!at) {
        vec_push(w->f->arena, &w->strings, name);
        at = w->strings.len;
        map_set(&w->ids, map_key(name), (void *)at);
    }
    return (unsigned long)at - 1;
}

/* A function's name without template arguments and parameters. */
static const char *short_name(struct writer *w, const char *name)
{
    return arena_strndup(w->f->arena, name, strcspn(name, "<("));
}

#define LL(x) ((unsigned long long)(x))

static void kernel(struct writer *w, const struct prof_record *r)
{
    const char *name = prof_name(w->f, r->name);
    sbuf_printf(w->out,
                "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL "
                "(start,end,deviceId,contextId,streamId,correlationId,"
                "globalPid,demangledName,shortName,gridX,gridY,gridZ,blockX,blockY,blockZ,"
                "dynamicSharedMemory) "
                "VALUES (%llu,%llu,%u,1,%u,%llu,%llu,%lu,%lu,%u,%u,%u,%u,%u,%u,%u);\n",
                LL(r->start - w->f->start), LL(r->end - w->f->start), r->device, r->stream,
                LL(r->call), LL(global_pid()), string_id(w, name),
                string_id(w, short_name(w, name)), r->kernel.grid[0], r->kernel.grid[1],
                r->kernel.grid[2], r->kernel.block[0], r->kernel.block[1], r->kernel.block[2],
                r->kernel.shared);
}

static void copy(struct writer *w, const struct prof_record *r)
{
    static const unsigned kind[PROF_NCOPIES] = {
        [PROF_TO_DEVICE] = 1, [PROF_FROM_DEVICE] = 2, [PROF_ON_DEVICE] = 8, [PROF_ON_HOST] = 9};
    sbuf_printf(w->out,
                "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY "
                "(start,end,deviceId,contextId,streamId,correlationId,"
                "globalPid,bytes,copyKind) VALUES (%llu,%llu,%u,1,%u,%llu,%llu,%llu,%u);\n",
                LL(r->start - w->f->start), LL(r->end - w->f->start), r->device, r->stream,
                LL(r->call), LL(global_pid()), LL(r->memory.bytes), kind[r->sub % PROF_NCOPIES]);
}

static void fill(struct writer *w, const struct prof_record *r)
{
    sbuf_printf(w->out,
                "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET "
                "(start,end,deviceId,contextId,streamId,correlationId,"
                "globalPid,bytes) VALUES (%llu,%llu,%u,1,%u,%llu,%llu,%llu);\n",
                LL(r->start - w->f->start), LL(r->end - w->f->start), r->device, r->stream,
                LL(r->call), LL(global_pid()), LL(r->memory.bytes));
}

static void call(struct writer *w, const struct prof_record *r)
{
    sbuf_printf(w->out,
                "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME "
                "(start,end,eventClass,globalTid,correlationId,nameId,"
                "returnValue) VALUES (%llu,%llu,0,%llu,%llu,%lu,%d);\n",
                LL(r->start - w->f->start), LL(r->end - w->f->start), LL(global_pid() | r->thread),
                LL(r->call), string_id(w, prof_name(w->f, r->name)), r->api.result);
}

static void range(struct writer *w, const struct prof_record *r)
{
    enum { MARK = 34, PUSH_POP = 59, START_END = 60 };
    const bool mark = r->kind == PROF_MARK;
    sbuf_printf(
        w->out,
        "INSERT INTO NVTX_EVENTS (start,end,eventType,color,globalTid,domainId,text) VALUES (%llu,",
        LL(r->start - w->f->start));
    if (mark)
        sbuf_puts(w->out, "NULL,");
    else
        sbuf_printf(w->out, "%llu,", LL(r->end - w->f->start));
    sbuf_printf(w->out, "%d,%u,%llu,%u,",
                mark                    ? MARK
                : r->kind == PROF_RANGE ? PUSH_POP
                                        : START_END,
                r->range.color, LL(global_pid() | r->thread), r->range.domain);
    text(w->out, prof_name(w->f, r->name));
    sbuf_puts(w->out, ");\n");
}

static void memory(struct writer *w, const struct prof_record *r)
{
    sbuf_printf(
        w->out,
        "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS (start,globalPid,deviceId,address,bytes,memKind,"
        "memoryOperationType,correlationId) VALUES (%llu,%llu,%u,%lld,%llu,%u,%d,%llu);\n",
        LL(r->start - w->f->start), LL(global_pid()), r->device, (long long)r->memory.address,
        LL(r->memory.bytes), r->sub, r->kind == PROF_ALLOC ? 0 : 1, LL(r->call));
}

static void device(struct writer *w, const struct prof_record *r)
{
    sbuf_printf(w->out,
                "INSERT INTO TARGET_INFO_GPU "
                "(vmId,id,totalMemory,clockRate,smCount,threadsPerWarp,name) VALUES "
                "(0,%u,%llu,%llu,%u,%u,",
                r->device, LL(r->device_info.memory), LL(r->device_info.clock_khz) * 1000,
                r->device_info.units, r->device_info.warp);
    text(w->out, prof_name(w->f, r->name));
    sbuf_puts(w->out, ");\n");
}

static void process(struct writer *w, const struct prof_record *r)
{
    sbuf_printf(w->out, "INSERT INTO PROCESSES VALUES (%llu,%d,", LL(global_pid()), OUR_PID);
    text(w->out, prof_name(w->f, r->name));
    sbuf_puts(w->out, ");\n");
}

void prof_sql(const struct prof_file *f, struct sbuf *out)
{
    static void (*const write[PROF_NKINDS])(struct writer *, const struct prof_record *) = {
        [PROF_KERNEL] = kernel, [PROF_COPY] = copy,      [PROF_FILL] = fill,
        [PROF_API] = call,      [PROF_RANGE] = range,    [PROF_SPAN] = range,
        [PROF_MARK] = range,    [PROF_ALLOC] = memory,   [PROF_FREE] = memory,
        [PROF_DEVICE] = device, [PROF_PROCESS] = process};
    struct writer w = {.f = f, .out = out};
    intern_init(&w.names, f->arena);
    map_init(&w.ids, f->arena);
    sbuf_puts(out, "BEGIN;\n");
    sbuf_puts(out, schema);
    for (size_t k = 0; k < f->nrecords; k++)
        if (write[f->records[k].kind])
            write[f->records[k].kind](&w, &f->records[k]);
    for (size_t k = 0; k < w.strings.len; k++) {
        sbuf_printf(out, "INSERT INTO StringIds VALUES (%zu,", k);
        text(out, w.strings.data[k]);
        sbuf_puts(out, ");\n");
    }
    sbuf_puts(out, "COMMIT;\n");
}

/* ---- with libsqlite3 ---- */
bool prof_sqlite(const struct prof_file *f, const char *path, char *why, size_t size)
{
    void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL), *db = NULL;
    int (*open)(const char *, void **);
    int (*exec)(void *, const char *, int (*)(void *, int, char **, char **), void *, char **);
    int (*close)(void *);
    const char *(*message)(void *);
    if (!library) {
        snprintf(why, size,
                 "libsqlite3 is not here (Debian: apt-get install libsqlite3-0); FILE.sql is the "
                 "same as text");
        return false;
    }
    *(void **)&open = dlsym(library, "sqlite3_open");
    *(void **)&exec = dlsym(library, "sqlite3_exec");
    *(void **)&close = dlsym(library, "sqlite3_close");
    *(void **)&message = dlsym(library, "sqlite3_errmsg");
    bool good = open && exec && close && message;
    if (!good)
        snprintf(why, size, "libsqlite3 lacks functions");
    struct sbuf sql;
    sbuf_init(&sql, f->arena);
    unlink(path); /* made anew */
    if (good) {
        prof_sql(f, &sql);
        good = !open(path, &db) && !exec(db, sql.data, NULL, NULL, NULL);
        if (!good)
            snprintf(why, size, "%s", db ? message(db) : "it cannot be opened");
        if (db)
            close(db);
    }
    dlclose(library);
    return good;
}
