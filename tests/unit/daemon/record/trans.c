// SPDX-License-Identifier: GPL-2.0-or-later
/* trans.c - the word decoder: every note, split anywhere, and garbage */
#include <inttypes.h>
#include "daemon/record/trans.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"
#include "tests/fake_collector.h"
#include "tests/tap.h"

#define E OP_ESCAPE
#define NAME_A UINT64_C(0x6161616161616161)
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static bool branch_target;	/* op samples end with it */

/* The decoder's calls as text: one line per sample or event. */
static void print_samples(void *context, const struct trans_state *s, bool changed,
			  const uint64_t *pcs, const uint32_t *counters, size_t nr)
{
	static const char mode[] = { '?', 'k', 'u' };

	(void)changed;
	for (size_t i = 0; i < nr; i++) {
		strbuf_addf(context, "%c %" PRIx64 " %u cpu%u %u/%u app%d image%d", mode[s->mode],
			    pcs[i], counters[i], s->cpu, s->tgid, s->tid, (int)s->app_cookie,
			    (int)s->cookie);
		if (s->anon.end)
			strbuf_addf(context, " %s %" PRIx64 "-%" PRIx64, s->anon.name,
				    s->anon.start, s->anon.end);
		if (s->cgroup)
			strbuf_addf(context, " group%" PRIx64, s->cgroup);
		if (*s->comm)
			strbuf_addf(context, " called '%s'", s->comm);
		if (s->tracing)
			strbuf_add(context, " leaf");
		strbuf_add_char(context, '\n');
	}
}

static void print_range(void *context, bool loaded, uint64_t start, uint64_t size, const char *name)
{
	strbuf_addf(context, "range %d %" PRIx64 " %" PRIx64 " %s\n", loaded, start, size, name);
}

static void print_loaded(void *context)
{
	strbuf_add(context, "loaded\n");
}

static void print_ibs(void *context, const struct trans_state *s, enum op_code code,
		      const op_word *words)
{
	size_t nr = code == OP_IBS_FETCH ? OP_IBS_FETCH_WORDS : OP_IBS_OP_WORDS + branch_target;

	strbuf_addf(context, "%s cpu%u image%d", code == OP_IBS_FETCH ? "fetch" : "op", s->cpu,
		    (int)s->cookie);
	for (size_t i = 0; i < nr; i++)
		strbuf_addf(context, " %" PRIx64, words[i]);
	strbuf_add_char(context, '\n');
}

static void print_stack(void *context, const struct trans_state *leaf,
			const struct trans_frame *frames, size_t nr, uint32_t counter,
			unsigned int end)
{
	strbuf_addf(context, "stack counter%u cpu%u %u/%u app%d end%x:", counter, leaf->cpu,
		    leaf->tgid, leaf->tid, (int)leaf->app_cookie, end);
	for (size_t i = 0; i < nr; i++) {
		strbuf_addf(context, " %" PRIx64, frames[i].address);
		if (frames[i].kernel)
			strbuf_add(context, "@kernel");
		else if (frames[i].anon)
			strbuf_addf(context, "@%s", frames[i].anon->name);
		else
			strbuf_addf(context, "@%d", (int)frames[i].cookie);
	}
	strbuf_add_char(context, '\n');
}

static void print_want_table(void *context, op_word cookie)
{
	strbuf_addf(context, "wants the table of %" PRIu64 "\n", cookie);
}

static void print_cookie_end(void *context, op_word cookie)
{
	strbuf_addf(context, "%" PRIu64 " ends\n", cookie);
}

static const struct trans_ops ops = {
	.samples = print_samples,
	.module_range = print_range,
	.module_loaded = print_loaded,
	.ibs = print_ibs,
	.stack = print_stack,
	.want_table = print_want_table,
	.cookie_end = print_cookie_end,
};

/* Decode @words in two parts, split at @cut. */
static char *decode(const op_word *words, size_t nr, size_t cut, struct trans_stats *ret)
{
	struct strbuf got = STRBUF_INIT;
	struct trans *t = trans_new(&ops, &got);

	trans_expect_branch_target(t, branch_target);
	trans_feed(t, words, cut);
	trans_feed(t, words + cut, nr - cut);
	trans_end(t);
	*ret = *trans_stats(t);
	CHECK(ret->words == ret->note_words + 2 * ret->pairs + ret->words_skipped,
	      "%" PRIu64 " words, %" PRIu64 " + 2 * %" PRIu64 " + %" PRIu64, ret->words,
	      ret->note_words, ret->pairs, ret->words_skipped);
	trans_free(t);
	return strbuf_steal(&got);
}

static const struct {
	const char *what;
	op_word words[64];		/* ends at END */
	const char *want;
	unsigned int skipped, incomplete, unknown;
} streams[] = {
#define END 0xdeadbeefdeadbeefu
	{ "nothing", { END }, "", 0, 0, 0 },
	{ "before any note", { 0x10, 0, END }, "? 10 0 cpu0 0/0 app-1 image-1\n", 0, 0, 0 },
	{ "kernel, then user",
	  { E, OP_CPU_SWITCH, 3, E, OP_KERNEL_ENTER, 0xffff, 0, E, OP_USER_ENTER, E,
	    OP_COOKIE_SWITCH, 7, 0x20, 1,
	    END },
	  "k ffff 0 cpu3 0/0 app-1 image-1\nu 20 1 cpu3 0/0 app-1 image7\n", 0, 0, 0 },
	{ "task",
	  { E, OP_USER_ENTER, E, OP_CTX_SWITCH, 12, 5, E, OP_CTX_TGID, 11, E, OP_COOKIE_SWITCH, 5,
	    1, 0, 2, 0, END },
	  "u 1 0 cpu0 11/12 app5 image5\nu 2 0 cpu0 11/12 app5 image5\n", 0, 0, 0 },
	{ "task with unknown program and cookie",
	  { E, OP_USER_ENTER, E, OP_CTX_SWITCH, 12, E, E, OP_CTX_TGID, 11, E, OP_COOKIE_SWITCH, E,
	    1, 0, END },
	  "u 1 0 cpu0 11/12 app-1 image-1\n", 0, 0, 0 },
	{ "kernel keeps the cookie",
	  { E, OP_USER_ENTER, E, OP_COOKIE_SWITCH, 9, E, OP_KERNEL_ENTER, E, OP_USER_ENTER, 4, 0,
	    END },
	  "u 4 0 cpu0 0/0 app-1 image9\n", 0, 0, 0 },
	{ "mapping, forgotten at the next cookie",
	  { E, OP_USER_ENTER, E, OP_COOKIE_SWITCH, 0, E, OP_ANON_MAP, 0x1000, 0x3000,
	    0x5d706165685bu, 0, 0, 0,
	    0x1234, 0, E, OP_COOKIE_SWITCH, 2, 0x10, 0, END },
	  "u 1234 0 cpu0 0/0 app-1 image0 [heap] 1000-3000\nu 10 0 cpu0 0/0 app-1 image2\n",
	  0, 0, 0 },
	{ "module",
	  { E, OP_MODULE_RANGE, 1, 0xa000, 0x500, 0x656c75646f6d, 0, 0, 0, 0, 0, 0, 0, E,
	    OP_MODULE_LOADED, END },
	  "range 1 a000 500 module\nloaded\n", 0, 0, 0 },
	{ "stack without an end: a leaf and its callers, then another",
	  { E, OP_TRACE_BEGIN, E, OP_USER_ENTER, E, OP_COOKIE_SWITCH, 1, 0x10, 2, 0x20, 0, E,
	    OP_COOKIE_SWITCH, 2,
	    0x30, 0, E, OP_TRACE_BEGIN, 0x40, 2, END },
	  "u 10 2 cpu0 0/0 app-1 image1 leaf\nstack counter2 cpu0 0/0 app-1 end7: 10@1 20@1 30@2\n"
	  "u 40 2 cpu0 0/0 app-1 image2 leaf\nstack counter2 cpu0 0/0 app-1 end7: 40@2\n",
	  0, 0, 0 },
	{ "another CPU ends a stack",
	  { E, OP_TRACE_BEGIN, E, OP_KERNEL_ENTER, 0x10, 0, E, OP_CPU_SWITCH, 1, 0x20, 0, END },
	  "k 10 0 cpu0 0/0 app-1 image-1 leaf\nstack counter0 cpu0 0/0 app-1 end7: 10@kernel\n"
	  "k 20 0 cpu1 0/0 app-1 image-1\n", 0, 0, 0 },
	{ "another task or a module note ends a stack, but not before its leaf",
	  { E, OP_TRACE_BEGIN, E, OP_CPU_SWITCH, 2, E, OP_CTX_SWITCH, 5, 6, E, OP_CTX_TGID, 7,
	    E, OP_KERNEL_ENTER, 0x10, 0, 0x20, 0, E, OP_CTX_SWITCH, 8, 9, E, OP_CTX_TGID, 8,
	    0x30, 0,
	    E, OP_TRACE_BEGIN, 0x40, 0, 0x50, 0, E, OP_MODULE_LOADED, 0x60, 0, END },
	  "k 10 0 cpu2 7/5 app6 image-1 leaf\n"
	  "stack counter0 cpu2 7/5 app6 end7: 10@kernel 20@kernel\n"
	  "k 30 0 cpu2 8/8 app9 image-1\nk 40 0 cpu2 8/8 app9 image-1 leaf\n"
	  "stack counter0 cpu2 8/8 app9 end7: 40@kernel 50@kernel\nloaded\n"
	  "k 60 0 cpu2 8/8 app9 image-1\n", 0, 0, 0 },
	{ "stack from the kernel into two mappings and a file, and a sample without one",
	  { E, OP_TRACE_BEGIN, E, OP_KERNEL_ENTER, 0xff10, 1, 0xff20, 0, E, OP_USER_ENTER,
	    E, OP_COOKIE_SWITCH, 0, E, OP_ANON_MAP, 0x1000, 0x3000, 0x5d706165685bu, 0, 0, 0,
	    0x1234, 0, 0x1240, 0, E, OP_ANON_MAP, 0x5000, 0x6000, 0x7469, 0, 0, 0, 0x5678, 0,
	    E, OP_COOKIE_SWITCH, 3, 0x30, 0, E, OP_STACK_END, 0x100, 0x40, 1, END },
	  "k ff10 1 cpu0 0/0 app-1 image-1 leaf\n"
	  "stack counter1 cpu0 0/0 app-1 end100: ff10@kernel ff20@kernel 1234@[heap] 1240@[heap]"
	  " 5678@it 30@3\nu 40 1 cpu0 0/0 app-1 image3\n", 0, 0, 0 },
	{ "stack of one frame; an end without a stack; an end without a leaf",
	  { E, OP_STACK_END, 0, E, OP_USER_ENTER, E, OP_COOKIE_SWITCH, 3, E, OP_TRACE_BEGIN, 0x30,
	    0, E, OP_STACK_END, OP_STACK_NO_TABLE, E, OP_TRACE_BEGIN, E, OP_STACK_END, 0, 0x40, 0,
	    END },
	  "u 30 0 cpu0 0/0 app-1 image3 leaf\nstack counter0 cpu0 0/0 app-1 end2: 30@3\n"
	  "u 40 0 cpu0 0/0 app-1 image3\n", 0, 0, 0 },
	{ "stack of a sample in unknown mode",
	  { E, OP_TRACE_BEGIN, 0x10, 0, E, OP_USER_ENTER, 0x20, 0, E, OP_STACK_END, 0, 0x30, 0,
	    END },
	  "? 10 0 cpu0 0/0 app-1 image-1 leaf\nu 30 0 cpu0 0/0 app-1 image-1\n", 0, 0, 0 },
	{ "stack cut by garbage: callers that follow are not samples",
	  { E, OP_TRACE_BEGIN, E, OP_KERNEL_ENTER, 0x10, 0, 0x20, 0, E, 999, 1, E, OP_USER_ENTER,
	    E, OP_COOKIE_SWITCH, 3, 0x30, 0, E, OP_STACK_END, 0, 0x40, 0, END },
	  "k 10 0 cpu0 0/0 app-1 image-1 leaf\n"
	  "stack counter0 cpu0 0/0 app-1 end7: 10@kernel 20@kernel\n"
	  "u 40 0 cpu0 0/0 app-1 image3\n", 3, 0, 1 },
	{ "invalid ends",
	  { E, OP_TRACE_BEGIN, E, OP_KERNEL_ENTER, 0x10, 0, E, OP_STACK_END, 9, E, OP_TRACE_BEGIN,
	    E, OP_KERNEL_ENTER, 0x20, 0, E, OP_STACK_END, 0x200, E, OP_STACK_END, 0, END },
	  "k 10 0 cpu0 0/0 app-1 image-1 leaf\nstack counter0 cpu0 0/0 app-1 end7: 10@kernel\n"
	  "k 20 0 cpu0 0/0 app-1 image-1 leaf\nstack counter0 cpu0 0/0 app-1 end7: 20@kernel\n",
	  6, 2, 0 },
	{ "control groups, up to the next task",
	  { E, OP_KERNEL_ENTER, E, OP_CGROUP, 0x77, 0x10, 0, E, OP_CPU_SWITCH, 1, 0x20, 0, E,
	    OP_CTX_SWITCH, 7, 1, E, OP_CTX_TGID, 7, 0x30, 0, E, OP_CGROUP, 0x78, 0x40, 0, E,
	    OP_CGROUP, E, OP_USER_ENTER, END },
	  "k 10 0 cpu0 0/0 app-1 image-1 group77\nk 20 0 cpu1 0/0 app-1 image-1 group77\n"
	  "k 30 0 cpu1 7/7 app1 image-1\nk 40 0 cpu1 7/7 app1 image-1 group78\n", 2, 1, 0 },
	{ "names of tasks, up to the next task",
	  { E, OP_KERNEL_ENTER, E, OP_COMM, NAME_A, 0, 0x10, 0, E, OP_COMM, NAME_A, NAME_A, 0x20, 0,
	    E, OP_CTX_SWITCH, 7, 1, E, OP_CTX_TGID, 7, 0x30, 0, END },
	  "k 10 0 cpu0 0/0 app-1 image-1 called 'aaaaaaaa'\n"
	  "k 20 0 cpu0 0/0 app-1 image-1 called 'aaaaaaaaaaaaaaaa'\n"
	  "k 30 0 cpu0 7/7 app1 image-1\n", 0, 0, 0 },
	{ "table wanted, also inside a stack",
	  { E, OP_WANT_TABLE, 5, E, OP_TRACE_BEGIN, E, OP_KERNEL_ENTER, 0x10, 0, E, OP_WANT_TABLE,
	    6, 0x20, 0, E, OP_STACK_END, 1, E, OP_WANT_TABLE, E, OP_KERNEL_ENTER, END },
	  "wants the table of 5\nk 10 0 cpu0 0/0 app-1 image-1 leaf\nwants the table of 6\n"
	  "stack counter0 cpu0 0/0 app-1 end1: 10@kernel 20@kernel\n", 2, 1, 0 },
	{ "cookies that end, after the samples before; an open stack has ended, too",
	  { E, OP_USER_ENTER, E, OP_COOKIE_SWITCH, 3, 0x10, 0, E, OP_COOKIE_END, 3, 0x20, 0,
	    E, OP_TRACE_BEGIN, 0x30, 0, 0x40, 0, E, OP_COOKIE_END, 4, 0x50, 0, E, OP_COOKIE_END,
	    E, OP_KERNEL_ENTER, END },
	  "u 10 0 cpu0 0/0 app-1 image3\n3 ends\nu 20 0 cpu0 0/0 app-1 image3\n"
	  "u 30 0 cpu0 0/0 app-1 image3 leaf\nstack counter0 cpu0 0/0 app-1 end7: 30@3 40@3\n"
	  "4 ends\nu 50 0 cpu0 0/0 app-1 image3\n", 2, 1, 0 },
	{ "instruction-based samples",
	  { E, OP_CPU_SWITCH, 1, E, OP_USER_ENTER, E, OP_COOKIE_SWITCH, 3, 0x40, 0,
	    E, OP_IBS_FETCH, 1ull << 60, 2, 3, 4, 5, 6, 7, 0x50, 0,
	    E, OP_IBS_OP, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, UINT32_MAX, 0x60, 1, END },
	  "u 40 0 cpu1 0/0 app-1 image3\nfetch cpu1 image3 1000000000000000 2 3 4 5 6 7\n"
	  "u 50 0 cpu1 0/0 app-1 image3\nop cpu1 image3 1 2 3 4 5 6 7 8 9 a b c ffffffff\n"
	  "u 60 1 cpu1 0/0 app-1 image3\n", 0, 0, 0 },
	{ "an instruction-based sample begins a stack",
	  { E, OP_TRACE_BEGIN, E, OP_KERNEL_ENTER, E, OP_IBS_FETCH, 1, 2, 3, 4, 5, 6, 7, 0x20, 0, E,
	    OP_STACK_END, 0, 0x30, 0, END },
	  "fetch cpu0 image-1 1 2 3 4 5 6 7\n"
	  "stack counter4294967294 cpu0 0/0 app-1 end0: 1@kernel 20@kernel\n"
	  "k 30 0 cpu0 0/0 app-1 image-1\n", 0, 0, 0 },
	{ "an instruction-based sample ends a trace",
	  { E, OP_TRACE_BEGIN, E, OP_KERNEL_ENTER, 0x10, 0, E, OP_IBS_FETCH, 1, 2, 3, 4, 5, 6, 7,
	    0x20, 0, END },
	  "k 10 0 cpu0 0/0 app-1 image-1 leaf\nstack counter0 cpu0 0/0 app-1 end7: 10@kernel\n"
	  "fetch cpu0 image-1 1 2 3 4 5 6 7\n"
	  "k 20 0 cpu0 0/0 app-1 image-1\n",
	  0, 0, 0 },
	{ "half a register with more than 32 bits",
	  { E, OP_KERNEL_ENTER, E, OP_IBS_FETCH, 1, 2, 3, 1ull << 32, 5, 6, 7, 8, 0, E,
	    OP_USER_ENTER, 9, 0, END },
	  "u 9 0 cpu0 0/0 app-1 image-1\n", 11, 1, 0 },
	{ "instruction-based sample without an address",
	  { E, OP_IBS_OP, E, 999, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, E, OP_USER_ENTER, 9, 0,
	    END },
	  "u 9 0 cpu0 0/0 app-1 image-1\n", 15, 1, 0 },
	{ "instruction-based sample cut by another note",
	  { E, OP_IBS_FETCH, 1, 2, 3, E, OP_CPU_SWITCH, 2, E, OP_USER_ENTER, 9, 0, END },
	  "u 9 0 cpu2 0/0 app-1 image-1\n", 5, 1, 0 },
	{ "ends inside an instruction-based sample",
	  { E, OP_IBS_OP, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, END },
	  "", 14, 1, 0 },
	{ "counter that is too large", { E, OP_KERNEL_ENTER, 8, 1ull << 40, END },
	  "k 8 4294967295 cpu0 0/0 app-1 image-1\n", 0, 0, 0 },
	{ "unknown code, state unknown after it",
	  { E, OP_KERNEL_ENTER, 1, 0, E, 999, 2, 0, 3, 0, E, OP_CPU_SWITCH, 2, 4, 0, E,
	    OP_USER_ENTER, 5, 0, END },
	  "k 1 0 cpu0 0/0 app-1 image-1\n? 4 0 cpu2 0/0 app-1 image-1\n"
	  "u 5 0 cpu2 0/0 app-1 image-1\n", 6, 0, 1 },
	{ "code 7 outside a task note", { E, OP_CTX_TGID, 5, E, OP_KERNEL_ENTER, 1, 0, END },
	  "k 1 0 cpu0 0/0 app-1 image-1\n", 3, 0, 1 },
	{ "task note cut by another",
	  { E, OP_CTX_SWITCH, 12, E, OP_KERNEL_ENTER, 1, 0, 2, 0, END },
	  "k 1 0 cpu0 0/0 app-1 image-1\nk 2 0 cpu0 0/0 app-1 image-1\n", 3, 1, 0 },
	{ "pair cut by a note",
	  { E, OP_KERNEL_ENTER, 1, E, OP_CPU_SWITCH, 1, E, OP_KERNEL_ENTER, 2, 0, END },
	  "k 2 0 cpu1 0/0 app-1 image-1\n", 1, 1, 0 },
	{ "escape after escape", { E, E, E, OP_KERNEL_ENTER, 1, 0, END },
	  "k 1 0 cpu0 0/0 app-1 image-1\n", 2, 0, 1 },
	{ "module note that is neither load nor unload",
	  { E, OP_MODULE_RANGE, 9, 0xa000, 0x500, 1, 0, 0, 0, 0, 0, 0, 0, E, OP_KERNEL_ENTER, 1, 0,
	    END },
	  "k 1 0 cpu0 0/0 app-1 image-1\n", 13, 1, 0 },
	{ "ends inside a note", { E, OP_KERNEL_ENTER, 1, 0, E, OP_CTX_SWITCH, 12, END },
	  "k 1 0 cpu0 0/0 app-1 image-1\n", 3, 1, 0 },
	{ "ends inside a pair", { E, OP_KERNEL_ENTER, 1, END }, "", 1, 1, 0 },
};

static size_t length(const op_word *words)
{
	size_t n = 0;

	while (words[n] != END)
		n++;
	return n;
}

TEST(every_code_split_everywhere)
{
	for (size_t i = 0; i < ARRAY_SIZE(streams); i++) {
		size_t nr = length(streams[i].words);

		for (size_t cut = 0; cut <= nr; cut++) {
			struct trans_stats stats;
			char *got = decode(streams[i].words, nr, cut, &stats);

			CHECK(!strcmp(got, streams[i].want), "%s, cut at %zu: want\n%sgot\n%s",
			      streams[i].what, cut, streams[i].want, got);
			CHECK(stats.words_skipped == streams[i].skipped,
			      "%s, cut at %zu: %" PRIu64 " skipped", streams[i].what, cut,
			      stats.words_skipped);
			CHECK(stats.incomplete == streams[i].incomplete,
			      "%s, cut at %zu: %" PRIu64 " incomplete", streams[i].what, cut,
			      stats.incomplete);
			CHECK(stats.unknown_codes == streams[i].unknown,
			      "%s, cut at %zu: %" PRIu64 " unknown", streams[i].what, cut,
			      stats.unknown_codes);
			free(got);
		}
	}
}

/* The fourteenth word belongs to the sample only if branch targets were requested. */
TEST(branch_target_split_everywhere)
{
	static const op_word words[] = { E, OP_IBS_OP, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
					 1ull << 63, E, OP_KERNEL_ENTER, 8, 0 };
	static const op_word none[] = { E, OP_IBS_OP, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
					E, OP_KERNEL_ENTER, 8, 0 };
	struct trans_stats stats;
	char *got;

	branch_target = true;
	for (size_t cut = 0; cut <= ARRAY_SIZE(words); cut++) {
		got = decode(words, ARRAY_SIZE(words), cut, &stats);
		CHECK(!strcmp(got, "op cpu0 image-1 1 2 3 4 5 6 7 8 9 a b c d 8000000000000000\n"
				    "k 8 0 cpu0 0/0 app-1 image-1\n"), "cut at %zu: %s", cut, got);
		free(got);
	}
	got = decode(none, ARRAY_SIZE(none), 5, &stats);
	CHECK(!strcmp(got, "k 8 0 cpu0 0/0 app-1 image-1\n") && stats.incomplete == 1, "%s", got);
	free(got);
	branch_target = false;
	got = decode(words, ARRAY_SIZE(words), 5, &stats);
	CHECK(stats.words_skipped == 1, "an incomplete pair: %" PRIu64, stats.words_skipped);
	free(got);
}

TEST(one_word_at_a_time)
{
	for (size_t i = 0; i < ARRAY_SIZE(streams); i++) {
		struct strbuf got = STRBUF_INIT;
		struct trans *t = trans_new(&ops, &got);

		for (size_t at = 0; streams[i].words[at] != END; at++)
			trans_feed(t, &streams[i].words[at], 1);
		trans_end(t);
		CHECK(!strcmp(got.text, streams[i].want), "%s: %s", streams[i].what, got.text);
		trans_free(t);
		strbuf_free(&got);
	}
}

/* Pairs that share the state are handed over together, with whether it changed. */
static struct {
	size_t calls, pairs, changes, longest;
} runs;

static void count_run(void *context, const struct trans_state *s, bool changed, const uint64_t *pcs,
		      const uint32_t *counters, size_t nr)
{
	(void)context, (void)s, (void)pcs, (void)counters;
	runs.calls++;
	runs.pairs += nr;
	runs.changes += changed;
	if (nr > runs.longest)
		runs.longest = nr;
}

TEST(runs_of_pairs)
{
	static const struct trans_ops counting = { .samples = count_run };
	struct trans *t = trans_new(&counting, NULL);
	struct fake_collector f;

	fake_collector_init(&f, NULL, 0);
	fake_kernel(&f);
	for (int i = 0; i < 1000; i++)
		fake_sample(&f, 0x1000 + i, 0);
	fake_cpu(&f, 1);
	for (int i = 0; i < 10; i++)
		fake_sample(&f, 0x1000 + i, 0);
	trans_feed(t, f.words, f.nr);
	CHECK(runs.pairs == 1010, "%zu", runs.pairs);
	CHECK(runs.changes == 2, "changed %zu times", runs.changes);
	CHECK(runs.calls < 10, "%zu calls", runs.calls);
	CHECK(runs.longest > 100, "%zu", runs.longest);
	trans_free(t);
	fake_collector_free(&f);
}

TEST_MAIN()
