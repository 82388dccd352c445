/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * assembly.c - print the disassembler's lines with the samples of each instruction
 *
 * Each symbol has a listing of its own, as if objdump had been run for it. In compatibility mode
 * an image with many symbols has a single listing, as in the original.
 */
#include "pp/annotate/assembly.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/strbuf.h"
#include "libutil/progress.h"
#include "libutil/sorted.h"
#include "libutil/xalloc.h"
#include "pp/annotate/listing.h"
#include "pp/annotate/text.h"
#include "pp/binary/disassemble/disassemble.h"

#define SYMBOLS_APART	50	/* if an image has more, the original prints one listing */
#define CONTEXT		8	/* instructions around one with samples, outside of symbols */
#define LARGE_GAP	(1 << 20)	/* bytes outside of symbols; decoding takes 0.4 s per MB */
#define NEAR_BYTES	160	/* CONTEXT instructions and one more are not longer */
#define LONGEST		16	/* bytes of an instruction */

/* The samples of the current symbol; those before @next have been printed. */
struct printer {
	const struct annotation *a;
	const struct annotate_options *options;
	const struct annotated_image *image;
	const char *header;
	FILE *out;
	struct notices *notices;
	struct listing *listing;	/* of source lines, or NULL */
	struct strbuf line;
	uint64_t *sums;
	size_t symbol;			/* the current one, or SIZE_MAX: several in one listing */
	size_t *starts, nr_starts;	/* the image's symbols by address, made when needed */
	size_t next, end;		/* into a->samples */
	bool is_on;			/* print lines: false within other symbols */
	/* outside of symbols, only instructions near samples are printed */
	bool near_only;
	size_t after;			/* number of instructions to print after the last sample */
	bool left_out;
	bool no_headings;	/* they were printed for another part of the gap */
	struct strbuf before[CONTEXT];	/* the last lines that were not printed, a ring */
	size_t nr_before;
	/* an instruction is printed when its end is known, because samples may lie within it */
	bool has_held;
	struct strbuf held;
};

static void put_line(struct printer *p, const uint64_t *counts, const char *text)
{
	annotate_field(&p->line, p->a, counts);
	strbuf_add_char(&p->line, ':');
	strbuf_add(&p->line, text);
	strbuf_add_char(&p->line, '\n');
	fwrite(p->line.text, 1, p->line.len, p->out);
	strbuf_reset(&p->line);
}

/* Keep a line that is not near a sample so far: the next ones may have samples. */
static void keep_before(struct printer *p, const char *text)
{
	struct strbuf *slot = &p->before[p->nr_before++ % CONTEXT];

	p->left_out |= p->nr_before > CONTEXT;
	strbuf_reset(slot);
	strbuf_add(slot, text);
}

static void put_before(struct printer *p)
{
	size_t first = p->nr_before > CONTEXT ? p->nr_before - CONTEXT : 0;

	if (p->left_out)
		put_line(p, NULL, "\t...");
	for (size_t i = first; i < p->nr_before; i++)
		put_line(p, NULL, p->before[i % CONTEXT].text);
	p->nr_before = 0;
	p->left_out = false;
}

static void put_near(struct printer *p, const uint64_t *counts, const char *text)
{
	if (counts) {
		put_before(p);
		p->after = CONTEXT;
		put_line(p, counts, text);
	} else if (p->after) {
		p->after--;
		put_line(p, NULL, text);
	} else {
		keep_before(p, text);
	}
}

/* Print the held instruction, which ends at @vma: it has all samples before that. */
static void put_held(struct printer *p, uint64_t vma)
{
	bool any = false;

	if (!p->has_held)
		return;
	memset(p->sums, 0, p->a->nr_classes * sizeof(*p->sums));
	for (; p->next < p->end && p->a->samples[p->next].vma < vma; p->next++) {
		any = true;
		for (size_t c = 0; c < p->a->nr_classes; c++)
			p->sums[c] += annotated_sample_counts(p->a, p->next)[c];
	}
	if (p->near_only)
		put_near(p, any ? p->sums : NULL, p->held.text);
	else
		put_line(p, any ? p->sums : NULL, p->held.text);
	strbuf_reset(&p->held);
	p->has_held = false;
}

static int compare_starts(const void *a, const void *b, void *context)
{
	const struct annotated_symbol *symbols = context;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	if (symbols[x].vma != symbols[y].vma)
		return symbols[x].vma < symbols[y].vma ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The image's symbols are in the order of the file, which may not be that of addresses. */
static void sort_starts(struct printer *p)
{
	p->starts = xcalloc(p->image->nr + 1, sizeof(*p->starts));
	for (size_t i = p->image->first; i < p->image->first + p->image->nr; i++)
		if (p->a->symbols[i].has_symbols)
			p->starts[p->nr_starts++] = i;
	qsort_r(p->starts, p->nr_starts, sizeof(*p->starts), compare_starts, p->a->symbols);
}

/* The symbol of this image that has samples and begins at @vma, or SIZE_MAX. */
static size_t find_symbol(struct printer *p, uint64_t vma)
{
	size_t low;

	if (!p->starts)
		sort_starts(p);
	low = first_not(p->nr_starts, i, p->a->symbols[p->starts[i]].vma < vma);
	return low < p->nr_starts && p->a->symbols[p->starts[low]].vma == vma ? p->starts[low]
									      : SIZE_MAX;
}

static void put_symbol_line(struct printer *p, const char *text, size_t symbol)
{
	annotate_name(&p->line, text);
	if (symbol != SIZE_MAX)
		annotate_symbols(&p->line, p->a, &symbol, 1);
	strbuf_add_char(&p->line, '\n');
	fwrite(p->line.text, 1, p->line.len, p->out);
	strbuf_reset(&p->line);
}

static void begin_symbol(struct printer *p, uint64_t vma, const char *text)
{
	size_t symbol = p->symbol == SIZE_MAX || p->options->compat ? find_symbol(p, vma)
								     : p->symbol;

	p->is_on = symbol != SIZE_MAX;
	if (!p->is_on)
		return;
	if (p->a->symbols[symbol].vma != vma) {
		if (!p->near_only)	/* another name within the symbol */
			put_symbol_line(p, text, SIZE_MAX);
		return;
	}
	p->next = p->a->symbols[symbol].first;
	p->end = p->next + p->a->symbols[symbol].nr;
	put_symbol_line(p, text, symbol);
}

static void on_line(void *context, enum disassembly_line kind, uint64_t vma, const char *text)
{
	struct printer *p = context;

	put_held(p, vma);
	if (p->no_headings && kind != DISASSEMBLY_INSTRUCTION && kind != DISASSEMBLY_OTHER)
		return;
	if (kind == DISASSEMBLY_SYMBOL) {
		begin_symbol(p, vma, text);
	} else if (!p->is_on) {
		return;
	} else if (kind == DISASSEMBLY_INSTRUCTION) {
		strbuf_add(&p->held, text);
		p->has_held = true;
	} else if (!p->near_only || kind == DISASSEMBLY_FILE ||
		   vma == p->a->symbols[p->symbol].vma) {
		put_line(p, NULL, text);
	}
}

static void put_source_line(void *context, const char *text)
{
	put_line(context, NULL, text);
}

static void before_instruction(void *context, uint64_t vma, const char *section, uint64_t offset)
{
	struct printer *p = context;

	put_held(p, vma);
	if (!p->near_only)
		listing_before(p->listing, section, offset, put_source_line, p);
}

static bool wants_symbol(void *context, uint64_t vma)
{
	(void)vma;
	return ((struct printer *)context)->is_on;
}

struct ranked_symbol {
	const struct annotation *a;
	uint64_t count;
	size_t symbol;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked_symbol *x = a, *y = b;
	int order;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	order = strcmp(x->a->symbols[x->symbol].shown, y->a->symbols[y->symbol].shown);
	if (order)
		return order;
	return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

static bool is_above(const struct annotation *a, size_t symbol, double percent, size_t nr_classes)
{
	const uint64_t *counts = annotated_symbol_counts(a, symbol);

	for (size_t c = 0; c < nr_classes; c++)
		if (a->totals[c] && 100.0 * counts[c] / a->totals[c] >= percent)
			return true;
	return false;
}

/* The image's symbols that are shown, those with most samples first; malloc'd. */
static struct ranked_symbol *rank_symbols(const struct printer *p, bool first_class_only,
					  size_t *ret_nr)
{
	const struct annotated_image *image = p->image;
	size_t nr_classes = first_class_only ? 1 : p->a->nr_classes, nr = 0;
	struct ranked_symbol *ranked = xcalloc(image->nr + 1, sizeof(*ranked));

	for (size_t i = image->first; i < image->first + image->nr; i++)
		if (is_above(p->a, i, p->options->threshold, nr_classes))
			ranked[nr++] = (struct ranked_symbol){
				p->a, *annotated_symbol_counts(p->a, i), i
			};
	qsort(ranked, nr, sizeof(*ranked), compare_ranked);
	*ret_nr = nr;
	return ranked;
}

static void begin_listing(struct printer *p, size_t symbol)
{
	p->symbol = symbol;
	p->is_on = true;
	p->near_only = symbol != SIZE_MAX && p->a->symbols[symbol].is_outside;
	p->after = p->nr_before = 0;
	p->left_out = false;
	if (p->listing)
		listing_restart(p->listing);
}

struct boundary {
	uint64_t wanted;
	bool found;
};

static void on_boundary(void *context, enum disassembly_line kind, uint64_t vma, const char *text)
{
	struct boundary *b = context;

	(void)text;
	b->found |= kind == DISASSEMBLY_INSTRUCTION && vma == b->wanted;
}

/*
 * The first address from @begin on from which decoding gets to the sample at @vma, because
 * instructions of some machines have several lengths. @begin if there is none: the file is another
 * build, or bytes before the sample are data.
 */
static uint64_t begin_near(struct disassembler *d, const char *section, uint64_t begin,
			   uint64_t vma)
{
	for (unsigned int i = 0; i < LONGEST; i++) {
		struct boundary b = { vma, false };
		const struct disassembly_reader reader = { .line = on_boundary, .context = &b };

		disassemble(d, section, begin + i, vma + 1, &reader);
		if (b.found)
			return begin + i;
	}
	return begin;
}

/* Decode only what is near samples: a gap can be all code of a program with 200 MB. */
static void put_large_gap(struct printer *p, struct disassembler *d,
			  const struct disassembly_reader *reader,
			  const struct annotated_symbol *s)
{
	const struct annotated_place *samples = &p->a->samples[s->first];
	uint64_t end = s->vma + s->size, begin = s->vma, stop;

	if (samples[0].vma - begin > NEAR_BYTES) {
		disassemble(d, s->section, begin, begin + 1, reader);
		p->no_headings = true;
	}
	for (size_t i = 0; i < s->nr; p->no_headings = true) {
		if (i || p->no_headings) {
			begin = begin_near(d, s->section, samples[i].vma - NEAR_BYTES,
					   samples[i].vma);
			put_held(p, begin);
			p->nr_before = p->after = 0;
			p->left_out = true;
		}
		do {
			stop = end - samples[i].vma > NEAR_BYTES ? samples[i].vma + NEAR_BYTES
								 : end;
			i++;
		} while (i < s->nr && (samples[i].vma < stop ||
				     samples[i].vma - stop < NEAR_BYTES));
		disassemble(d, s->section, begin, stop, reader);
	}
	put_held(p, UINT64_MAX);
	p->no_headings = false;
}

static void put_symbol(struct printer *p, struct disassembler *d,
		       const struct disassembly_reader *reader, size_t symbol)
{
	const struct annotated_symbol *s = &p->a->symbols[symbol];

	begin_listing(p, symbol);
	if (p->near_only && s->size > LARGE_GAP && s->size / s->nr > 16 * NEAR_BYTES)
		put_large_gap(p, d, reader, s);
	else if (s->has_symbols)
		disassemble(d, p->options->compat ? NULL : s->section, s->vma, s->vma + s->size,
			    reader);
	else
		disassemble_heading(d, reader);
	put_held(p, UINT64_MAX);
}

static void put_symbols(struct printer *p, struct disassembler *d,
			const struct disassembly_reader *reader, bool first_class_only)
{
	size_t nr;
	struct ranked_symbol *ranked = rank_symbols(p, first_class_only, &nr);

	if (p->options->compat && nr > SYMBOLS_APART) {
		begin_listing(p, SIZE_MAX);
		disassemble(d, NULL, 0, UINT64_MAX, reader);
		put_held(p, UINT64_MAX);
	} else {
		for (size_t i = 0; i < nr; i++) {
			progress_tell(p->image->path, i, nr, "functions");
			put_symbol(p, d, reader, ranked[i].symbol);
		}
	}
	free(ranked);
}

static int put_image(struct printer *p, const struct annotated_image *image, const char *cache_dir,
		     bool first_class_only, struct op_error *e)
{
	struct disassembly_reader reader = { .line = on_line, .wants = wants_symbol, .context = p };
	struct disassembler *d;
	int err;

	p->image = image;
	if (p->options->compat || image == p->a->images)
		fputs(p->header, p->out);	/* the original prints it for each image */
	if (!image->binary.files || image->image->is_kept) {
		/* a missing file was reported when it was looked for */
		if (image->image->is_kept)
			notice_add(p->notices, "no instructions for '%s': the history has only its "
				   "symbols", image->image->name);
		else if (image->image->kind == IMAGE_KERNEL && image->binary.nr_symbols)
			notice_add(p->notices, "no instructions for '%s': only its symbols are "
				   "known; profile with opcontrol --vmlinux=FILE",
				   image->image->name);
		return 0;
	}
	/* objdump opens the debug file only for source lines */
	err = disassembler_open(&image->binary, &p->options->disassembly,
				p->options->compat && !p->options->source, &d, e);
	if (err == -EINVAL)
		return err;
	if (err) {
		notice_add(p->notices, "cannot disassemble '%s': %s", image->path, e->text);
		return 0;
	}
	if (p->options->source || p->options->disassembly.line_numbers)
		p->listing = listing_open(&image->binary, image->path, p->options,
					  cache_dir, p->notices);
	reader.before = p->listing ? before_instruction : NULL;
	put_symbols(p, d, &reader, first_class_only);
	listing_close(p->listing);
	free(p->starts);
	p->listing = NULL;
	p->starts = NULL;
	p->nr_starts = 0;
	disassembler_close(d);
	return 0;
}

int annotate_assembly(const struct annotation *a, const struct annotate_options *options,
		      const char *header, const char *cache_dir, bool first_class_only, FILE *out,
		      struct notices *notices, struct op_error *e)
{
	struct printer p = { .a = a, .options = options, .header = header, .out = out,
			     .notices = notices, .line = STRBUF_INIT, .held = STRBUF_INIT };
	int err = 0;

	p.sums = xcalloc(a->nr_classes + 1, sizeof(*p.sums));
	for (size_t i = 0; i < CONTEXT; i++)
		p.before[i] = (struct strbuf)STRBUF_INIT;
	for (size_t i = 0; i < a->nr_images && !err; i++)
		err = put_image(&p, &a->images[i], cache_dir, first_class_only, e);
	free(p.sums);
	strbuf_free(&p.line);
	strbuf_free(&p.held);
	for (size_t i = 0; i < CONTEXT; i++)
		strbuf_free(&p.before[i]);
	return err;
}
