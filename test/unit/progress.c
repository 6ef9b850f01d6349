/* What takes long is told from its first second on, and taken back when it is done. */
#include <pthread.h>
#include <string.h>
#include <time.h>
#include "base/progress.h"
#include "unit.h"

static struct {
    pthread_mutex_t lock;
    char text[1024];
} said = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void say(const char *text)
{
    pthread_mutex_lock(&said.lock);
    strncat(said.text, text, sizeof said.text - strlen(said.text) - 1);
    pthread_mutex_unlock(&said.lock);
}

static bool has(const char *text)
{
    pthread_mutex_lock(&said.lock);
    const bool found = strstr(said.text, text);
    pthread_mutex_unlock(&said.lock);
    return found;
}

TEST_ONCE(progress_is_told_and_taken_back)
{
    progress_end(progress_begin("short work", say));
    CHECK(!has("short work"));
    struct progress *p = progress_begin("long work", say);
    for (int k = 0; k < 600 && p && !has("long work, "); k++)
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    progress_end(p);
    CHECK(!p || has("long work, "));
    const size_t n = strlen(said.text);
    CHECK(!p || (n > 4 && !strcmp(said.text + n - 4, "\r\033[K")));
}

TEST_ONCE(progress_has_a_bar_once_it_is_told_how_much)
{
    struct progress *p = progress_begin("half of it", say);
    progress_tell(NULL, 1);
    progress_tell(p, 50);
    for (int k = 0; k < 600 && p && !has("half of it ["); k++)
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    progress_end(p);
    CHECK(!p || has("half of it [############............], "));
}
