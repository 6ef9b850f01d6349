/* The compiler as a WebAssembly module: what it exports.
 *
 * The host puts a request (JSON, driver/request.h) at tern_room(length) and calls
 * tern_request(length). The reply and the output then lie where tern_reply, tern_reply_size,
 * tern_output and tern_output_size say, until the next request. A trap (memory or stack at an end)
 * leaves the module useless: the host makes a new one. */
#include <stdlib.h>
#include "driver/request.h"

/* One instance is one compiler: this is its state. */
static struct {
    char *request;
    size_t room;
    struct sbuf reply, output;
} door;

#define EXPORT(name) __attribute__((export_name(#name)))

EXPORT(tern_room) char *tern_room(size_t size)
{
    if (size > door.room) {
        free(door.request);
        door.request = malloc(size);
        door.room = door.request ? size : 0;
    }
    return door.request;
}

EXPORT(tern_request) void tern_request(size_t size)
{
    sbuf_free(&door.reply);
    sbuf_free(&door.output);
    sbuf_init(&door.reply, NULL);
    sbuf_init(&door.output, NULL);
    request_answer(door.request, size, &door.reply, &door.output);
}

EXPORT(tern_reply) const char *tern_reply(void)
{
    return door.reply.data;
}

EXPORT(tern_reply_size) size_t tern_reply_size(void)
{
    return door.reply.len;
}

EXPORT(tern_output) const char *tern_output(void)
{
    return door.output.data;
}

EXPORT(tern_output_size) size_t tern_output_size(void)
{
    return door.output.len;
}
