/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crc32c.c - CRC32C by table lookup, four bytes at a time */
#include "feedback/xprof/crc32c.h"

#include <pthread.h>

#define POLYNOMIAL	0x82f63b78u	/* bits reversed */

static uint32_t tables[4][256];

static void make_tables(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t crc = i;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
		tables[0][i] = crc;
	}
	for (uint32_t i = 0; i < 256; i++)
		for (int t = 1; t < 4; t++)
			tables[t][i] = tables[t - 1][i] >> 8 ^ tables[0][tables[t - 1][i] & 0xff];
}

uint32_t crc32c(uint32_t crc, const void *bytes, size_t size)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const unsigned char *p = bytes;

	pthread_once(&once, make_tables);
	crc = ~crc;
	for (; size >= 4; size -= 4, p += 4) {
		crc ^= p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
		crc = tables[3][crc & 0xff] ^ tables[2][crc >> 8 & 0xff] ^
		      tables[1][crc >> 16 & 0xff] ^ tables[0][crc >> 24];
	}
	while (size--)
		crc = crc >> 8 ^ tables[0][(crc ^ *p++) & 0xff];
	return ~crc;
}
