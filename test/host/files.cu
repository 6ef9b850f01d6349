// Files and folders by sys/stat.h; memory.h and malloc.h, which old programs ask for.
#include <errno.h>
#include <malloc.h>
#include <memory.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main()
{
    char folder[64], file[80];
    struct stat what;
    sprintf(folder, "/tmp/stat-%d", (int)getpid());
    sprintf(file, "%s/text", folder);
    const int none = stat(folder, &what);
    const int made = mkdir(folder, S_IRWXU), again = mkdir(folder, 0755), why = errno;
    printf("%d %d %d %d\n", none, made, again, why == EEXIST);
    memset(&what, 255, sizeof what);
    printf("%d", stat(folder, &what));
    printf(" %d %d %o\n", (int)S_ISDIR(what.st_mode), (int)S_ISREG(what.st_mode), (unsigned)what.st_mode & 0777);
    FILE *f = fopen(file, "w");
    fputs("twelve bytes", f);
    fclose(f);
    chmod(file, 0640);
    printf("%d", stat(file, &what));
    printf(" %d %ld %d %o %d\n", (int)S_ISREG(what.st_mode), (long)what.st_size, (int)what.st_nlink, (unsigned)what.st_mode & 0777, what.st_mtime > 1600000000);
    char *copy = (char *)malloc(4);
    memcpy(copy, "abc", 4);
    puts(copy);
    free(copy);
    printf("%d", unlink(file));
    printf(" %d", rmdir(folder));
    printf(" %d\n", access(folder, F_OK));
}
