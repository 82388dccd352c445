/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made-code - works in code that it made itself, and has told in /tmp/perf-PID.map
 *
 *	made-code TURNS
 *
 * Half of the turns are spent in each of two functions, "made_first" and "made_second", of a page
 * each, in rounds, so that a slow moment of the host is not one's alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/vm/workloads/spin.h"

#define PAGE 4096
#define ROUNDS 50

static NOT_MERGED void model(uint64_t turns) { spin(turns); }

int main(int argc, char **argv)
{
	static const char *const names[] = { "made_first", "made_second" };
	uint64_t turns = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
	char path[64];
	char *code;
	FILE *map;

	code = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	if (code == MAP_FAILED || !map)
		return 1;
	for (int i = 0; i < 2; i++) {
		/* it calls nobody and names no address, so it works anywhere */
		memcpy(code + i * PAGE, (void *)(uintptr_t)model, 256);
		fprintf(map, "%llx %x %s\n", (unsigned long long)(uintptr_t)(code + i * PAGE),
			256, names[i]);
	}
	if (fclose(map))
		return 1;
	__builtin___clear_cache(code, code + 2 * PAGE);
	for (int i = 0; i < 2 * ROUNDS; i++) {
		void (*made)(uint64_t) = (void (*)(uint64_t))(uintptr_t)(code + i % 2 * PAGE);

		made(turns / (2 * ROUNDS));
	}
	return 0;
}
