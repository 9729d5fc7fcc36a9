/* Being told of progress; see the header. */
#include "base/progress.h"

#include <stddef.h>

void progress_tell(const Progress *progress, const char *what, const char *unit, double n,
                   double fraction)
{
    if (progress != NULL && progress->tell != NULL) {
        const ProgressStep step = {what, unit, n, fraction};
        progress->tell(progress->context, &step);
    }
}

double progress_share(double n, double total)
{
    return total <= 0 ? -1 : n >= total ? 1 : n / total;
}
