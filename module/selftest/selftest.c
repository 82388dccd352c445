// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * selftest.c - check the module's pure parts as compiled for this kernel
 *
 * They are tested in depth in user space (tests/unit). Here are only checks that a different
 * compiler, architecture or byte order could break.
 */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include "module/ring.h"
#include "module/words.h"
#include "oprofilefs/number.h"
#include "module/selftest/selftest.h"

#ifdef DEBUG
#define AT_LOAD true
#else
#define AT_LOAD false
#endif

static bool selftest = AT_LOAD;
module_param(selftest, bool, 0444);
MODULE_PARM_DESC(selftest, "run self-tests at load, and fail to load if one fails");

#define EXPECT(condition)								\
	do {										\
		if (!(condition)) {							\
			pr_err("oprofile: selftest: %s:%d: expected %s\n", __func__,	\
			       __LINE__, #condition);					\
			return false;							\
		}									\
	} while (0)

static bool __init ring_overflows_and_wraps(void)
{
	struct op_owner o = { .mm = 1, .tid = 2, .tgid = 3, .generation = 1, .user = true };
	static struct op_entry entries[8] __initdata;
	static struct op_ring r __initdata;
	int i;

	op_ring_init(&r, entries, 8);
	EXPECT(op_ring_enter(&r));
	EXPECT(!op_ring_enter(&r));
	for (i = 0; i < 5; i++)
		EXPECT(op_ring_log(&r, &o, 100 + i, 0, 0));
	EXPECT(!op_ring_log(&r, &o, 105, 0, 0));
	op_ring_leave(&r);
	EXPECT(op_ring_filled(&r) == 8);
	EXPECT(op_ring_peek(&r, 7)->value == 104);
	op_ring_consume(&r, 3);
	o.tid = 4;
	EXPECT(op_ring_log(&r, &o, 106, 0, 0));
	EXPECT(op_ring_filled(&r) == 8);
	EXPECT(op_ring_peek(&r, 5)->kind == OP_ENTRY_TASK && op_ring_peek(&r, 5)->small == 4);
	EXPECT(op_ring_peek(&r, 7)->value == 106);
	return true;
}

static bool __init context_is_written_once(void)
{
	struct op_context c = {
		.cpu = 1, .tid = 2, .tgid = 3, .app = 4, .user = true, .cookie = 5,
	};
	static op_word room[512] __initdata;
	static struct op_words w __initdata;
	static struct op_emitted emitted __initdata;
	int i;

	op_words_init(&w, room, 512, 512);
	EXPECT(op_words_sample(&w, &emitted, &c, 0x10, 0));
	EXPECT(op_words_used(&w) == 3 + 7 + 2 + 3 + 2);
	EXPECT(op_words_sample(&w, &emitted, &c, 0x11, 0));
	EXPECT(op_words_used(&w) == 19);
	EXPECT(room[0] == OP_ESCAPE && room[1] == OP_CPU_SWITCH && room[2] == 1);
	EXPECT(room[12] == OP_ESCAPE && room[13] == OP_COOKIE_SWITCH && room[14] == 5);
	EXPECT(room[17] == 0x11 && room[18] == 0);
	for (i = 0; op_words_sample(&w, &emitted, &c, i, 0); i++)
		;
	EXPECT(op_words_used(&w) <= 512 - OP_WORDS_RESERVE);
	EXPECT(!emitted.cpu);
	EXPECT(op_words_module(&w, true, 0x1000, 0x2000, "name"));
	return true;
}

/* A sample with registers, from the ring to the words. */
static bool __init registers_stay_with_their_sample(void)
{
	static const u64 data[OP_RING_DATA] __initconst = {
		0x1111111122222222, 3, 4, 5, 6, 7, OP_ESCAPE };
	struct op_owner o = { .generation = 1 };
	struct op_context c = { .cpu = 1 };
	static struct op_entry entries[16] __initdata;
	static struct op_ring r __initdata;
	static op_word room[512] __initdata;
	static struct op_words w __initdata;
	static struct op_emitted emitted __initdata;
	u64 read[OP_RING_DATA];
	int i;

	op_ring_init(&r, entries, 16);
	EXPECT(op_ring_log(&r, &o, 100, 0, 0));
	op_ring_consume(&r, 4);
	EXPECT(op_ring_log_record(&r, &o, 101, 2, OP_IBS_OP, data, OP_RING_DATA, NULL));
	EXPECT(!op_ring_log_record(&r, &o, 102, 2, OP_IBS_OP, data, OP_RING_DATA + 1, NULL));
	EXPECT(op_ring_filled(&r) == 1 + OP_RING_DATA);
	EXPECT(op_ring_peek(&r, 0)->kind == OP_ENTRY_RECORD && op_ring_peek(&r, 0)->value == 101);
	EXPECT(op_record_code(op_ring_peek(&r, 0)) == OP_IBS_OP);
	EXPECT(op_record_data(op_ring_peek(&r, 0)) == OP_RING_DATA);
	for (i = 0; i < OP_RING_DATA; i++)
		read[i] = op_ring_peek(&r, 1 + i)->value;

	op_words_init(&w, room, 512, 512);
	EXPECT(op_words_ibs(&w, &emitted, &c, 101, OP_IBS_OP, read, OP_RING_DATA));
	EXPECT(op_words_used(&w) == 3 + 7 + 2 + 2 + OP_IBS_OP_WORDS + 1);
	EXPECT(room[12] == OP_ESCAPE && room[13] == OP_IBS_OP && room[14] == 101);
	EXPECT(room[15] == 0x22222222 && room[16] == 0x11111111 && room[17] == 3 && !room[18]);
	EXPECT(!room[14 + OP_IBS_OP_WORDS]);
	return true;
}

static bool __init numbers_are_read(void)
{
	u64 n = 7;

	EXPECT(!opfs_parse_number("12\n", 3, &n) && n == 12);
	EXPECT(!opfs_parse_number("0x1F", 4, &n) && n == 31);
	EXPECT(!opfs_parse_number("010", 3, &n) && n == 8);
	EXPECT(!opfs_parse_number("18446744073709551615", 20, &n) && n == ~0ull);
	EXPECT(opfs_parse_number("18446744073709551616", 20, &n) == -ERANGE);
	EXPECT(opfs_parse_number("", 0, &n) == -EINVAL && n == ~0ull);
	EXPECT(opfs_parse_number("-1", 2, &n) == -EINVAL);
	return true;
}

int __init op_selftest(void)
{
	if (!selftest)
		return 0;
	if (!ring_overflows_and_wraps() || !context_is_written_once() ||
	    !registers_stay_with_their_sample() || !numbers_are_read())
		return -ENOTRECOVERABLE;
	pr_info("oprofile: selftest passed\n");
	return 0;
}
