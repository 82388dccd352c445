// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * grow.c - room for records, and records into it
 *
 * Room that is not used is lost only while the file is open [ST-8], so steps are small next to the
 * file; and on a nearly full disk what little there is gets used.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "libdb/stack/private.h"
#include "libutil/file.h"

#define STEP_MIN	(UINT64_C(64) << 10)
#define STEP_MAX	(UINT64_C(16) << 20)
#define STEP_LAST	4096u

int stack_map(struct stack_store *s, uint64_t old_length, uint64_t length)
{
	int err = file_allocate(s->fd, old_length, length);
	void *map;

	if (err)
		return err;
	map = s->header ? mremap(s->header, s->length, length, MREMAP_MAYMOVE)
			: mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (map == MAP_FAILED) {
		err = -errno;
		(void)!ftruncate(s->fd, (off_t)old_length);
		return err;
	}
	s->header = map;
	s->records = map;
	s->length = length;
	return 0;
}

static uint64_t step_for(uint64_t length)
{
	uint64_t step = length / 8;

	if (step < STEP_MIN)
		step = STEP_MIN;
	if (step > STEP_MAX)
		step = STEP_MAX;
	return step & ~(uint64_t)(STEP_LAST - 1);
}

/* Have room for @nr units of 8 bytes behind what is used. -ENOSPC, -EFBIG, -ENOMEM. */
static int reserve(struct stack_store *s, uint32_t nr)
{
	uint64_t need = ((uint64_t)s->used + nr) * 8, want, least;
	int err;

	if (need > s->max_length)
		return -EFBIG;
	if (need <= s->length)
		return 0;
	want = s->length + step_for(s->length);
	least = (need + STEP_LAST - 1) & ~(uint64_t)(STEP_LAST - 1);
	if (want < least)
		want = least;
	if (want > s->max_length)
		want = s->max_length;
	err = stack_map(s, s->length, want);
	/* a limit on file sizes (-EFBIG) may lie in between too */
	if ((err == -ENOSPC || err == -EFBIG) && least < want)
		err = stack_map(s, s->length, least);
	return err;
}

/* Written whole before the length takes it in [ST-5]. */
uint32_t stack_append(struct stack_store *s, const struct stack_record *record, uint32_t nr,
		      int *ret_err)
{
	uint32_t pos = s->used;

	*ret_err = reserve(s, nr);
	if (!*ret_err)
		*ret_err = stack_index_reserve(s);
	if (*ret_err)
		return 0;
	memcpy(&s->records[pos], record, nr * sizeof(*record));
	s->used += nr;
	__atomic_store_n(&s->header->used, s->used, __ATOMIC_RELEASE);
	stack_index_insert(s, pos);
	return pos;
}
