// SPDX-License-Identifier: GPL-2.0-or-later
/* words.c - the event buffer's words: samples decode in the context in which they were written */
#include "tests/tap.h"
#include "module/words.h"

static op_word room[1024];
static struct op_words words;
static struct op_emitted emitted;

static u32 random_state = 1;

static u32 any(u32 below)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % below;
}

static struct op_context any_context(void)
{
	struct op_context c = {
		.cpu = any(2), .tid = any(3), .tgid = any(2), .app = any(3), .user = any(2),
	};

	if (c.user)
		c.cookie = any(3);
	if (c.user && c.cookie == OP_NO_COOKIE)
		c.anon = (struct op_anon){
			.start = 0x1000 * any(3), .end = 0x9000, .name = { any(2) },
		};
	return c;
}

/* A simple decoder up to the first sample within @n words. Words used; 0: garbage. */
static size_t decode(const op_word *w, size_t n, struct op_context *c)
{
	size_t i = 0;

	while (i + 1 < n && w[i] == OP_ESCAPE) {
		switch (w[i + 1]) {
		case OP_CPU_SWITCH:
			c->cpu = w[i + 2];
			i += 3;
			break;
		case OP_CTX_SWITCH:
			if (w[i + 4] != OP_ESCAPE || w[i + 5] != OP_CTX_TGID)
				return 0;
			c->tid = w[i + 2];
			c->app = w[i + 3];
			c->tgid = w[i + 6];
			i += 7;
			break;
		case OP_KERNEL_ENTER:
		case OP_USER_ENTER:
			c->user = w[i + 1] == OP_USER_ENTER;
			i += 2;
			break;
		case OP_COOKIE_SWITCH:
			c->cookie = w[i + 2];
			i += 3;
			break;
		case OP_ANON_MAP:
			c->anon.start = w[i + 2];
			c->anon.end = w[i + 3];
			memcpy(c->anon.name, w + i + 4, sizeof(c->anon.name));
			i += 2 + OP_ANON_MAP_WORDS;
			break;
		default:
			return 0;
		}
	}
	return i + 2;
}

static bool same(const struct op_context *got, const struct op_context *want)
{
	if (got->cpu != want->cpu || got->tid != want->tid || got->tgid != want->tgid ||
	    got->app != want->app || got->user != want->user)
		return false;
	if (!want->user)
		return true;
	return got->cookie == want->cookie &&
	       (want->cookie != OP_NO_COOKIE || op_anon_same(&got->anon, &want->anon));
}

static size_t take_all(op_word *out)
{
	const op_word *from;
	size_t n, total = 0;

	while ((n = op_words_peek(&words, &from, 7))) {	/* odd pieces, wrapping */
		memcpy(out + total, from, n * sizeof(*from));
		op_words_consume(&words, n);
		total += n;
	}
	return total;
}

TEST(random_samples_decode_to_their_context)
{
	struct op_context got = { .cpu = 99 };
	op_word record[64];

	op_words_init(&words, room, 1024, 1000);
	memset(&emitted, 0, sizeof(emitted));
	for (u64 pc = 0; pc < 20000; pc++) {
		struct op_context want = any_context();
		size_t n;

		if (any(50) == 0)
			memset(&emitted, 0, sizeof(emitted));
		CHECK(op_words_sample(&words, &emitted, &want, pc, 3), "room for %llu",
		      (unsigned long long)pc);
		n = take_all(record);
		CHECK(n <= OP_WORDS_RECORD, "%zu words", n);
		CHECK(decode(record, n, &got) == n, "record of %zu words", n);
		CHECK(record[n - 2] == pc && record[n - 1] == 3, "sample %llu",
		      (unsigned long long)pc);
		CHECK(same(&got, &want), "context of %llu", (unsigned long long)pc);
	}
}

/* The registers in a note's words: halves, then the rest whole. */
static u32 registers(const op_word *w, size_t nr, u64 *data)
{
	u32 n = 0;

	for (; nr >= 2; nr -= 2, w += 2)
		data[n++] = w[0] | w[1] << 32;
	if (nr)
		data[n++] = w[0];
	return n;
}

/* [EB-30] to [EB-32] */
TEST(ibs_samples_decode_to_their_registers)
{
	static const struct {
		u32 code, nr, words;
	} kinds[] = { { OP_IBS_FETCH, 3, 7 }, { OP_IBS_OP, 6, 13 }, { OP_IBS_OP, 7, 14 } };
	struct op_context got = { .cpu = 99 };
	u64 data[7], read[8];
	op_word record[64];

	op_words_init(&words, room, 1024, 1000);
	memset(&emitted, 0, sizeof(emitted));
	for (u64 pc = 0; pc < 20000; pc++) {
		struct op_context want = any_context();
		u32 kind = any(3), nr = kinds[kind].nr;
		size_t n, payload = kinds[kind].words;

		for (u32 i = 0; i < nr; i++)
			data[i] = (u64)any(1 << 24) << 40 | any(1 << 24) << 16 | any(1 << 16);
		CHECK(op_words_ibs(&words, &emitted, &want, pc, kinds[kind].code, data, nr),
		      "room");
		n = take_all(record);
		CHECK(n <= OP_WORDS_RECORD && n >= payload + 2, "%zu words", n);
		CHECK(decode(record, n - payload - 2, &got) == n - payload && same(&got, &want),
		      "context of %llu", (unsigned long long)pc);
		CHECK(record[n - payload - 2] == OP_ESCAPE &&
		      record[n - payload - 1] == kinds[kind].code &&
		      record[n - payload] == pc, "note of %llu", (unsigned long long)pc);
		CHECK(registers(record + n - payload + 1, payload - 1, read) == nr &&
		      !memcmp(read, data, nr * sizeof(*data)), "registers of %llu",
		      (unsigned long long)pc);
	}
}

TEST(registers_are_never_mistaken_for_an_escape)
{
	u64 data[7] = { ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull };
	struct op_context c = { .cpu = 1 };
	op_word record[64];
	size_t n;

	op_words_init(&words, room, 1024, 1000);
	memset(&emitted, 0, sizeof(emitted));
	CHECK(op_words_ibs(&words, &emitted, &c, 5, OP_IBS_OP, data, 7), "room");
	n = take_all(record);
	for (size_t i = n - 14; i < n; i++)
		CHECK(record[i] != OP_ESCAPE, "word %zu of %zu", i, n);
	CHECK(record[n - 1] == 0 && record[n - 2] == 0xffffffff, "halves, and no target");
}

TEST(ibs_samples_that_do_not_fit_leave_nothing)
{
	struct op_context c = { .cpu = 1, .tid = 2, .tgid = 3, .user = true, .cookie = 4 };
	u64 data[7] = { 1, 2, 3, 4, 5, 6, 7 };
	size_t used;

	op_words_init(&words, room, 1024, OP_WORDS_RESERVE + 15 + 15);
	memset(&emitted, 0, sizeof(emitted));
	CHECK(!op_words_ibs(&words, &emitted, &c, 5, OP_IBS_OP, data, 7), "a word is missing");
	CHECK(!op_words_used(&words) && !emitted.cpu, "nothing was written");
	CHECK(op_words_ibs(&words, &emitted, &c, 5, OP_IBS_OP, data, 6), "without the target");
	used = op_words_used(&words);
	CHECK(used == 15 + 15, "%zu", used);
}

/* [EB-40] [EB-44] */
TEST(stacks_decode_to_their_contexts)
{
	static op_word record[OP_WORDS_STACK(20)];
	struct op_context got = { .cpu = 99 }, want[21];

	op_words_init(&words, room, 1024, 1000);
	memset(&emitted, 0, sizeof(emitted));
	for (u64 pc = 0; pc < 20000; pc++) {
		struct op_words_stack stack = { .words = record };
		static op_word read[OP_WORDS_STACK(20)];
		u32 nr = any(21), end = any(7);
		size_t n, at = 2;

		want[0] = any_context();
		op_words_stack_begin(&stack, &emitted, &want[0]);
		op_words_stack_sample(&stack, pc, 3);
		for (u32 i = 1; i <= nr; i++) {
			struct op_context place = any_context();

			want[i] = want[0];
			want[i].user = place.user;
			want[i].cookie = place.cookie;
			want[i].anon = place.anon;
			op_words_stack_caller(&stack, &want[i], pc + i);
		}
		CHECK(op_words_stack_end(&words, &emitted, &stack, end), "room");
		n = take_all(read);
		CHECK(n <= OP_WORDS_STACK(nr), "%zu words of %u callers", n, nr);
		CHECK(read[0] == OP_ESCAPE && read[1] == OP_TRACE_BEGIN, "begin");
		for (u32 i = 0; i <= nr; i++) {
			at += decode(read + at, n - at, &got);
			CHECK(read[at - 2] == pc + i && read[at - 1] == (i ? 0 : 3),
			      "frame %u of %llu", i, (unsigned long long)pc);
			CHECK(same(&got, &want[i]), "context of frame %u", i);
		}
		CHECK(at + 3 == n && read[at] == OP_ESCAPE && read[at + 1] == OP_STACK_END &&
		      read[at + 2] == end, "end after %zu of %zu words", at, n);
	}
}

TEST(a_stack_may_begin_with_an_ibs_sample)
{
	static op_word record[OP_WORDS_STACK(1)], read[OP_WORDS_STACK(1)], ibs[64];
	struct op_context c = { .cpu = 1, .tid = 2, .tgid = 3 };
	u64 data[7] = { ~0ull, 2, 3, 4, 5, 6, 7 };
	struct op_words_stack stack = { .words = record };
	size_t n, leaf;

	op_words_init(&words, room, 1024, 1000);
	memset(&emitted, 0, sizeof(emitted));
	CHECK(op_words_ibs(&words, &emitted, &c, 5, OP_IBS_OP, data, 7), "room");
	leaf = take_all(ibs);
	memset(&emitted, 0, sizeof(emitted));
	op_words_stack_begin(&stack, &emitted, &c);
	op_words_stack_ibs(&stack, 5, OP_IBS_OP, data, 7);
	op_words_stack_caller(&stack, &c, 6);
	CHECK(op_words_stack_end(&words, &emitted, &stack, OP_STACK_COMPLETE), "room");
	n = take_all(read);
	CHECK(read[0] == OP_ESCAPE && read[1] == OP_TRACE_BEGIN &&
	      !memcmp(read + 2, ibs, leaf * sizeof(*ibs)), "as without a stack");
	CHECK(n == 2 + leaf + 2 + 3 && read[2 + leaf] == 6, "then its caller: %zu words", n);
}

/* [EB-47] */
TEST(stacks_that_do_not_fit_leave_nothing)
{
	static op_word record[OP_WORDS_STACK(200)];
	struct op_words_stack stack = { .words = record };
	struct op_context c = { .cpu = 1, .tid = 2, .tgid = 3 };

	op_words_init(&words, room, 1024, OP_WORDS_RESERVE + 300);
	memset(&emitted, 0, sizeof(emitted));
	op_words_stack_begin(&stack, &emitted, &c);
	op_words_stack_sample(&stack, 5, 0);
	for (u32 i = 0; i < 150; i++)
		op_words_stack_caller(&stack, &c, i);
	CHECK(!op_words_stack_end(&words, &emitted, &stack, 0), "150 callers in 300 words");
	CHECK(!op_words_used(&words) && !emitted.cpu, "nothing was written");
	op_words_stack_begin(&stack, &emitted, &c);
	op_words_stack_sample(&stack, 5, 0);
	CHECK(!emitted.cpu, "emitted only when written");
	CHECK(op_words_stack_end(&words, &emitted, &stack, 0) && emitted.cpu, "without callers");
}

TEST(after_a_full_buffer_the_context_is_repeated)
{
	struct op_context c = { .cpu = 1, .tid = 2, .tgid = 3, .user = true, .cookie = 4 };
	struct op_context got = { 0 };
	op_word record[1024];
	size_t used, n;

	op_words_init(&words, room, 1024, 1000);
	memset(&emitted, 0, sizeof(emitted));
	while (op_words_sample(&words, &emitted, &c, 5, 0))
		;
	used = op_words_used(&words);
	CHECK(used <= 1000 - OP_WORDS_RESERVE, "%zu", used);
	CHECK(!op_words_sample(&words, &emitted, &c, 5, 0) && op_words_used(&words) == used,
	      "still full");
	CHECK(op_words_module(&words, true, 1, 2, "a-module"), "the reserve takes module notes");
	CHECK(take_all(record) == used + OP_WORDS_MODULE_NOTE, "all of it");
	CHECK(!memcmp(record + used + 5, "a-module", 9), "name");
	CHECK(op_words_sample(&words, &emitted, &c, 5, 0), "room again");
	n = take_all(record);
	CHECK(n == 3 + 7 + 2 + 3 + 2 && decode(record, n, &got) == n && same(&got, &c),
	      "%zu words", n);
}

TEST(the_reserve_can_run_out)
{
	int notes = 0;

	op_words_init(&words, room, 1024, 300);
	while (op_words_module(&words, false, 1, 2, "a-name-that-is-longer-than-the-sixty-four-"
			       "bytes-a-note-has-room-for"))
		notes++;
	CHECK(notes == 300 / OP_WORDS_MODULE_NOTE, "%d", notes);
}

/* Those found at set-up leave the reserve for modules that come and go. */
TEST(found_modules_leave_the_reserve)
{
	op_word record[1024];
	int notes = 0;

	op_words_init(&words, room, 1024, 300);
	CHECK(op_words_module_found(&words, 0xa000, 0x500, "m"), "room");
	CHECK(take_all(record) == 2 + OP_MODULE_RANGE_WORDS, "no OP_MODULE_LOADED");
	CHECK(record[0] == OP_ESCAPE && record[1] == OP_MODULE_RANGE && record[2] == 1 &&
	      record[3] == 0xa000 && record[4] == 0x500 && record[5] == 'm' && !record[6] &&
	      !record[5 + OP_MODULE_NAME_WORDS - 1], "the note");
	while (op_words_module_found(&words, 1, 2, "m"))
		notes++;
	CHECK(notes == (300 - OP_WORDS_RESERVE) / (2 + OP_MODULE_RANGE_WORDS), "%d", notes);
	CHECK(op_words_module(&words, true, 1, 2, "later"), "the reserve takes module notes");
}

TEST_MAIN()
