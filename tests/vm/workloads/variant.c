/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variant - one of many programs and libraries alike but for where their work lies
 *
 *	vNN TURNS [NEXT TURNS [NEXT TURNS ...]]	burn, then exec NEXT with what follows
 *
 * Compiled with -DVARIANT=NN for NN below NR_VARIANTS, with -DLIBRARY as libvNN.so. Variant NN has
 * its hot function NN + 1 pages into filler that is never run. So a sample of one file that is
 * booked under another lands in filler there, and can't be taken for right.
 */
#include <stdlib.h>
#include <unistd.h>
#include "tests/vm/workloads/spin.h"

#define NR_VARIANTS 20
#define TEXT_2(x) #x
#define TEXT(x) TEXT_2(x)
#define NAME_2(prefix, n) prefix##n
#define NAME_1(prefix, n) NAME_2(prefix, n)
#define HOT NAME_1(hot_v, VARIANT)

#define FILLER(name, pages)                                                                    \
	__asm__(".section .text.hot_area,\"ax\",@progbits\n"                                   \
		".type " name ", @function\n" name ":\n"                                       \
		".skip (" pages ") * 4096, 0x90\n"                                             \
		".size " name ", . - " name "\n.previous\n")

/* 1VARIANT - 100 is the number, whatever leading zero VARIANT has */
FILLER("filler_before_v" TEXT(VARIANT), "1" TEXT(VARIANT) " - 99");

void HOT(uint64_t turns);

__attribute__((section(".text.hot_area"))) NOT_MERGED void HOT(uint64_t turns)
{
	spin(turns);
}

FILLER("filler_after_v" TEXT(VARIANT), TEXT(NR_VARIANTS) " - (1" TEXT(VARIANT) " - 100)");

#ifdef LIBRARY

/* Own name in each, one name to look up in all. */
void burn(uint64_t turns) __attribute__((alias(TEXT(NAME_1(hot_v, VARIANT)))));

#else

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	HOT(strtoull(argv[1], NULL, 0));
	if (argc < 3)
		return 0;
	execv(argv[2], argv + 2);
	return 127;
}

#endif
