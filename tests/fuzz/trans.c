// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trans.c - any words: the decoder neither reads outside them nor loses count of one, and cuts
 * make no difference. The first byte says where the words are cut, and whether the op samples
 * of IBS have branch targets.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/collect/ibs/events.h"
#include "daemon/record/trans.h"
#include "libutil/hash.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take_samples(void *context, const struct trans_state *s, bool changed,
			 const uint64_t *pcs, const uint32_t *counters, size_t nr)
{
	uint64_t *hash = context;

	(void)changed;
	for (size_t i = 0; i < nr; i++) {
		*hash = hash_mix(*hash, pcs[i]);
		*hash = hash_mix(*hash, counters[i]);
		*hash = hash_mix(*hash, (uint64_t)s->mode << 32 | s->cpu);
		*hash = hash_mix(*hash, (uint64_t)s->tid << 32 | s->tgid);
		*hash = hash_mix(*hash, s->cookie ^ s->app_cookie << 1);
		*hash = hash_mix(*hash, s->anon.start ^ s->anon.end << 1 ^ strlen(s->anon.name));
	}
}

static void take_range(void *context, bool loaded, uint64_t start, uint64_t size, const char *name)
{
	uint64_t *hash = context;

	*hash = hash_mix(*hash, start ^ size ^ loaded ^ strlen(name));
}

/* With what the daemon derives from it. */
static void take_ibs(void *context, const struct trans_state *s, enum op_code code,
		     const op_word *words)
{
	uint64_t *hash = context;
	size_t nr, nr_words = code == OP_IBS_OP ? OP_IBS_OP_WORDS : OP_IBS_FETCH_WORDS;
	const struct ibs_event *events = ibs_event_table(&nr);
	struct ibs_registers regs = { { words[3] | words[4] << 32, words[5] | words[6] << 32,
					nr_words > 7 ? words[7] | words[8] << 32 : 0 } };

	*hash = hash_mix(*hash, s->cpu + code + words[0]);
	for (size_t i = 1; i < nr_words; i++)
		if (words[i] > UINT32_MAX)
			abort();
	ibs_mask_reserved(s->cpu, &regs);
	for (size_t i = 0; i < nr; i++)
		*hash = hash_mix(*hash, ibs_event_weight(&events[i], &regs));
}

/* Every frame is to be read, and every mapping to be whole. */
static void take_stack(void *context, const struct trans_state *leaf,
		       const struct trans_frame *frames, size_t nr, uint32_t counter,
		       unsigned int end)
{
	uint64_t *hash = context;

	if (!nr || nr > OP_STACK_DEPTH_MAX + 1 || (end & OP_STACK_END_MASK) >= NR_OP_STACK_ENDS)
		abort();
	*hash = hash_mix(*hash, (uint64_t)counter << 32 | end);
	*hash = hash_mix(*hash, (uint64_t)leaf->tid << 32 | leaf->cpu);
	for (size_t i = 0; i < nr; i++) {
		const struct trans_frame *f = &frames[i];

		*hash = hash_mix(*hash, f->address);
		*hash = hash_mix(*hash, f->cookie ^ f->kernel);
		if (!f->anon != (f->kernel || f->cookie != OP_NO_COOKIE))
			abort();
		if (f->anon)
			*hash = hash_mix(*hash, f->anon->start ^ strlen(f->anon->name));
	}
}

static void take_want_table(void *context, op_word cookie)
{
	uint64_t *hash = context;

	*hash = hash_mix(*hash, cookie);
}

static const struct trans_ops ops = {
	.samples = take_samples,
	.module_range = take_range,
	.ibs = take_ibs,
	.stack = take_stack,
	.want_table = take_want_table,
};

static uint64_t decode(const op_word *words, size_t nr, size_t cut, bool branch_target,
		       struct trans_stats *stats)
{
	uint64_t hash = 0;
	struct trans *t = trans_new(&ops, &hash);

	trans_expect_branch_target(t, branch_target);
	while (nr) {
		size_t n = cut && cut < nr ? cut : nr;

		trans_feed(t, words, n);
		words += n;
		nr -= n;
	}
	trans_end(t);
	*stats = *trans_stats(t);
	trans_free(t);
	return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trans_stats whole, cut;
	bool target;
	size_t nr;
	op_word *words;

	if (size < 1)
		return 0;
	nr = (size - 1) / sizeof(*words);
	words = malloc(nr * sizeof(*words) + 1);	/* of exact size, for the sanitizer */
	if (!words)
		return 0;
	memcpy(words, data + 1, nr * sizeof(*words));
	target = data[0] & 0x80;
	if (decode(words, nr, 0, target, &whole) !=
	    decode(words, nr, 1 + (data[0] & 0x7f) % 20, target, &cut))
		abort();
	if (memcmp(&whole, &cut, sizeof(whole)))
		abort();
	if (whole.words != nr ||
	    whole.words != whole.note_words + 2 * whole.pairs + whole.words_skipped)
		abort();
	free(words);
	return 0;
}
