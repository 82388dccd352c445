/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hash.h - well-mixed hashes for tables in memory (sample files have their own, in libdb) */
#ifndef LIBUTIL_HASH_H
#define LIBUTIL_HASH_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t hash_u64(uint64_t x)
{
	x ^= x >> 32;
	x *= 0x9e3779b97f4a7c15u;
	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9u;
	return x ^ x >> 32;
}

static inline uint64_t hash_mix(uint64_t seed, uint64_t x)
{
	return hash_u64(seed ^ (x + 0x9e3779b97f4a7c15u + (seed << 6) + (seed >> 2)));
}

/* The same in each process. */
uint64_t hash_bytes(const void *bytes, size_t n);
uint64_t hash_string(const char *s);

/*
 * For keys that other users choose: random in each process. Otherwise they could choose many keys
 * with the same hash, which make a table as slow as a list.
 */
uint64_t hash_seed(void);
uint64_t hash_foreign(const void *bytes, size_t n);

#endif
