/* CRC-32; see the header. */
#include "base/checksum.h"

#include <zlib.h>

uint32_t checksum_crc32(uint32_t crc, const void *bytes, size_t len)
{
    /* zlib starts anew when bytes is NULL, which an empty run may be. */
    return len == 0 ? crc : (uint32_t)crc32_z(crc, bytes, len);
}
