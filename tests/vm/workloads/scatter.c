/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scatter - samples at as many addresses as can be: jump about in 32768 tiny functions
 *
 *	scatter SECONDS
 *
 * Makes sample files grow, which is when a killed daemon could leave them broken.
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define TINY_BYTES 16

void tiny_functions(void);
__asm__(".text\n.balign 16\n.globl tiny_functions\n.type tiny_functions, @function\n"
	"tiny_functions:\n"
	".rept 32768\n.skip 15, 0x90\nret\n.endr\n"
	".size tiny_functions, . - tiny_functions\n");

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
	uint32_t x = 1;

	while (time(NULL) < end)
		for (int i = 0; i < 20000; i++) {
			x = x * 1664525 + 1013904223;
			((void (*)(void))((char *)tiny_functions + (x >> 17) * TINY_BYTES))();
		}
	return 0;
}
