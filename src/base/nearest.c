/* Edit distance; see the header. */
#include "base/nearest.h"

#include <string.h>

static int least(int a, int b)
{
    return a < b ? a : b;
}

static char small(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int count_steps(const char *a, size_t len_a, const char *b, size_t len_b)
{
    /* Rows i-2, i-1 and i of the table: steps from the first i bytes of a to the first j of b. */
    int rows[3][NEAREST_MAX_BYTES + 1];
    for (size_t i = 0; i <= len_a; i++) {
        int *now = rows[i % 3];
        const int *before = rows[(i + 2) % 3], *two_before = rows[(i + 1) % 3];
        for (size_t j = 0; j <= len_b; j++) {
            if (i == 0 || j == 0) {
                now[j] = (int)(i + j);
                continue;
            }
            now[j] = least(before[j], now[j - 1]) + 1;
            now[j] = least(now[j], before[j - 1] + (small(a[i - 1]) != b[j - 1]));
            if (i > 1 && j > 1 && small(a[i - 1]) == b[j - 2] && small(a[i - 2]) == b[j - 1]) {
                now[j] = least(now[j], two_before[j - 2] + 1);
            }
        }
    }
    return rows[len_a % 3][len_b];
}

int nearest_distance(const char *word, size_t len, const char *candidate)
{
    const size_t len_candidate = strlen(candidate);
    if (len > NEAREST_MAX_BYTES || len_candidate > NEAREST_MAX_BYTES) {
        return NEAREST_NEVER;
    }
    if (len >= 3 && len < len_candidate && memcmp(word, candidate, len) == 0) {
        return 1;
    }
    if (len_candidate >= 4 && len_candidate < len && memcmp(word, candidate, len_candidate) == 0) {
        return 2;
    }
    const int steps = count_steps(word, len, candidate, len_candidate);
    return steps <= (len < 4 ? 1 : len < 8 ? 2 : 3) ? steps : NEAREST_NEVER;
}
