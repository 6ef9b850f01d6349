/* What launchers in JavaScript are told about a module: the parts that WGSL and WebAssembly share.
 */
#include "back/back.h"
#include "base/json.h"

void back_describe_kernel(struct json_writer *j, const struct ir_func *f, const char *entry)
{
    char buf[32];
    json_key(j, "name");
    json_str(j, f->name);
    json_key(j, "entry");
    json_str(j, entry);
    json_key(j, "bytes");
    json_uint(j, f->param_bytes);
    json_key(j, "params");
    json_array(j);
    for (size_t p = 0; p < f->params.len; p++) {
        const struct ir_param *param = &f->params.data[p];
        json_object(j);
        json_key(j, "name");
        json_str(j, param->name ? param->name : "");
        json_key(j, "type");
        json_str(j, ir_type_name(param->type, buf));
        json_key(j, "offset");
        json_uint(j, param->offset);
        if (param->byval_size) {
            json_key(j, "size");
            json_uint(j, param->byval_size);
        }
        json_end(j);
    }
    json_end(j);
}
