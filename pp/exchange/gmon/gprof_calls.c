/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gprof_calls.c - split the keys of call-graph files, sort and add up the calls */
#include "pp/exchange/gmon/gprof_calls.h"

#include <stdlib.h>

#include "libutil/xalloc.h"
#include "pp/select/samples.h"

/* JIT code has a file for each pair of mappings; their keys are comparable with the bases added. */
static void read_file(const struct arranged_file *file, uint64_t key_base, struct call_list *list,
		      struct notices *notices)
{
	const struct report_image *image = file->image;
	struct sample_list samples = { 0 };
	struct sample_header header;
	uint64_t from_base, to_base;

	if (samples_add_file(&samples, file, &header, notices))
		return;
	from_base = key_base + samples_anon_base(image, header.anon_start);
	to_base = key_base + samples_anon_base(image, header.cg_to_anon_start);
	for (size_t i = 0; i < samples.nr; i++) {
		const struct sample *s = &samples.samples[i];

		xgrow(list->calls, list->nr, list->room);
		list->calls[list->nr++] = (struct place_call){
			(s->offset >> 32) + from_base, (uint32_t)s->offset + to_base, s->count };
	}
	samples_free(&samples);
}

static int compare_calls(const void *a, const void *b)
{
	const struct place_call *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

void gprof_calls_read(const struct arrangement *a, const struct report_image *image,
		      uint64_t key_base, struct call_list *ret, struct notices *notices)
{
	struct call_list list = { 0 };
	size_t nr = 0;

	for (size_t i = 0; i < a->nr_arcs; i++)
		if (a->arcs[i].file->image == image && a->arcs[i].file->callee == image)
			read_file(&a->arcs[i], key_base, &list, notices);
	if (list.nr)
		qsort(list.calls, list.nr, sizeof(*list.calls), compare_calls);
	for (size_t i = 0; i < list.nr; i++) {
		struct place_call *last = nr ? &list.calls[nr - 1] : NULL, *call = &list.calls[i];

		/* a count that exceeds 32 bits becomes several calls */
		if (last && !compare_calls(last, call) &&
		    last->count + call->count <= UINT32_MAX)
			last->count += call->count;
		else
			list.calls[nr++] = *call;
	}
	list.nr = nr;
	*ret = list;
}
