/* heed: the program. */
#include <stdio.h>

int main(void)
{
    puts("heed " HEED_VERSION);
    return 0;
}
