"""The structs that the Python package has once more, held against tern.h: prints a C program whose assertions are their
sizes and offsets, which the compiler then checks."""
import ctypes
import tern

SAME = {"struct tern_dim": tern._Dim, "struct tern_options": tern._Options, "struct tern_source": tern._Source,
        "struct tern_output": tern._Output, "struct tern_device_info": tern._Info}
print("#include <stddef.h>\n#include <tern/tern.h>")
for name, ours in SAME.items():
    print(f'_Static_assert(sizeof({name}) == {ctypes.sizeof(ours)}, "{name}");')
    for field in ours._fields_:
        at = getattr(ours, field[0])
        print(f'_Static_assert(offsetof({name}, {field[0]}) == {at.offset}, "{name}.{field[0]}");')
        print(f'_Static_assert(sizeof((({name} *)0)->{field[0]}) == {at.size}, "{name}.{field[0]}");')
