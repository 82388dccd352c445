// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * made.c - executable memory that no module covers: code made at run time [SM-46]
 *
 * The mappings are read when an address is in none of the known ones, but not all the time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsampler/unwind/made.h"
#include "libutil/clock.h"
#include "libutil/file.h"

#define MAPS_LIMIT	(64u << 20)	/* bytes */
#define READ_AGAIN_NS	(100 * NS_PER_MS)

static struct range {
	uintptr_t low, high;
} *ranges;
static size_t nr, room;
static uint64_t read_at;

static bool is_known(uintptr_t address)
{
	for (size_t i = 0; i < nr; i++)
		if (address >= ranges[i].low && address < ranges[i].high)
			return true;
	return false;
}

static void add(uintptr_t low, uintptr_t high)
{
	if (nr == room) {
		size_t more = room ? 2 * room : 64;
		struct range *list = realloc(ranges, more * sizeof(*list));

		if (!list)
			return;
		ranges = list;
		room = more;
	}
	ranges[nr++] = (struct range){ low, high };
}

static void read_mappings(void)
{
	char *text, *rest, perms[5];
	uintptr_t low, high;

	if (file_read_all("/proc/self/maps", MAPS_LIMIT, &text, NULL))
		return;
	nr = 0;
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &low, &high, perms) == 3 &&
		    perms[2] == 'x')
			add(low, high);
	free(text);
}

bool made_code_at(uintptr_t address)
{
	uint64_t now;

	if (is_known(address))
		return true;
	now = now_ns();
	if (read_at && now - read_at < READ_AGAIN_NS)
		return false;
	read_at = now;
	read_mappings();
	return is_known(address);
}

void made_code_forget(void)
{
	free(ranges);
	made_code_after_fork();
}

/* They may be half changed. */
void made_code_after_fork(void)
{
	ranges = NULL;
	nr = room = 0;
	read_at = 0;
}
