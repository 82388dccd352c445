/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sha256.h - checksums as sha256sum(1) has them (FIPS 180-4) */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_TEXT	65	/* as hex digits, with the NUL */

struct sha256 {
	uint32_t state[8];
	uint64_t length;		/* bytes so far */
	unsigned char block[64];	/* what is left of them */
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *bytes, size_t n);

/* Lower-case hex of all that was added; @s is used up. Returns @text. */
const char *sha256_text(struct sha256 *s, char text[SHA256_TEXT]);

#endif
