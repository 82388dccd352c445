// SPDX-License-Identifier: GPL-2.0-or-later
/* hash.c - hashes of byte strings, eight bytes at a time */
#include <stdatomic.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include "libutil/clock.h"
#include "libutil/hash.h"

uint64_t hash_seed(void)
{
	static _Atomic uint64_t seed;
	uint64_t now = atomic_load_explicit(&seed, memory_order_relaxed), none = 0;

	if (now)
		return now;
	if (getrandom(&now, sizeof(now), GRND_NONBLOCK) != sizeof(now))
		now = clock_ns(CLOCK_REALTIME);	/* early in a boot */
	now |= 1;
	return atomic_compare_exchange_strong(&seed, &none, now) ? now : none;
}

static uint64_t hash_from(uint64_t seed, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	uint64_t h = seed ^ n, word;

	for (; n >= sizeof(word); n -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		h = hash_mix(h, word);
	}
	word = 0;
	if (n)
		memcpy(&word, p, n);
	return hash_mix(h, word);
}

uint64_t hash_bytes(const void *bytes, size_t n)
{
	return hash_from(0, bytes, n);
}

uint64_t hash_string(const char *s)
{
	return hash_bytes(s, strlen(s));
}

uint64_t hash_foreign(const void *bytes, size_t n)
{
	return hash_from(hash_seed(), bytes, n);
}
