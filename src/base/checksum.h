/* CRC-32 (the polynomial of gzip and PNG), by zlib. */
#ifndef HEED_BASE_CHECKSUM_H
#define HEED_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Continues crc (0 at the start) over len bytes. */
uint32_t checksum_crc32(uint32_t crc, const void *bytes, size_t len);

#endif
