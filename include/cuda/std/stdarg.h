#pragma once
typedef char *va_list;
/* Nobody declares it, and the diagnostic says why; without the type, it parses as a call. */
#define va_arg(list, ...) va_arg(list)
