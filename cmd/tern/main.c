/* The tern command: parses the command line and calls one function per subcommand. */
#include <stdio.h>

int main(void)
{
    puts("tern");
    return 0;
}
