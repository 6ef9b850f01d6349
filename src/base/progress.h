/* A line that tells what takes long, and for how long: from its first second on, each second anew,
 * in place. For terminals; it is gone when the work is done. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

struct progress;
/* `say` is called from another thread. NULL: no thread could be had, and nothing will be said. */
struct progress *progress_begin(const char *what, void (*say)(const char *text));
/* How much of it is done: from now on the line has a bar, and is there at once. p may be NULL. */
void progress_tell(struct progress *p, unsigned percent);
void progress_end(struct progress *p); /* NULL: does nothing */

#endif
