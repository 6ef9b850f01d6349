/* Where a library's calls are logged. One struct a library, in its state.c. */
#ifndef LIB_LOG_H
#define LIB_LOG_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

typedef void (*lib_log_callback)(int level, const char *function, const char *text);
struct lib_logger {
    pthread_mutex_t lock;
    int level, mask;
    bool disabled, own_file;
    FILE *file;
    lib_log_callback callback;
};
#define LIB_LOGGER                                                                                 \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                          \
    }

bool lib_log_wanted(const struct lib_logger *l);
/* line: for the file, as the library writes it; text: for the callback. */
void lib_log(struct lib_logger *l, const char *function, const char *text, const char *line);
void lib_log_file(struct lib_logger *l, FILE *file);
bool lib_log_open(struct lib_logger *l, const char *path); /* false: it cannot be opened */
void lib_log_call(struct lib_logger *l, lib_log_callback callback);
bool lib_log_level(struct lib_logger *l, int level); /* false: there is no such level */
void lib_log_mask(struct lib_logger *l, int mask);
void lib_log_disable(struct lib_logger *l);

#endif
