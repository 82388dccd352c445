/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * populate.c - one image at a time: open it once, then its applications' samples in one pass each
 */
#include "populate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "build_id.h"
#include "demangle_name.h"
#include "merge_boots.h"
#include "sessions.h"
#include "xalloc.h"

static bool list_has(const struct spec_list *list, const struct symbol_row *row)
{
	for (size_t i = 0; i < list->nr; i++)
		if (!strcmp(list->items[i].text, row->name) ||
		    !strcmp(list->items[i].text, row->shown))
			return true;
	return false;
}

static struct symbol_row *new_row(const struct populate_options *options, struct row_list *rows,
				  const struct image *image, const struct image *app,
				  const char *name, uint64_t vma)
{
	struct symbol_row *row = rows_add(rows, image, app, name, vma);

	if (options->demangle)
		row->shown = demangle_name(row->name);
	return row;
}

/* --include-symbols and --exclude-symbols, by either name; once the row is complete. */
static void filter_rows(const struct populate_options *options, struct row_list *rows, size_t from)
{
	size_t kept = from;

	if (!options->include.nr && !options->exclude.nr)
		return;
	for (size_t i = from; i < rows->nr; i++) {
		struct symbol_row *row = rows->rows[i];
		bool keep = (!options->include.nr || list_has(&options->include, row)) &&
			    !list_has(&options->exclude, row);

		rows->rows[i] = rows->rows[kept];
		rows->rows[kept] = row;
		kept += keep;
	}
	while (rows->nr > kept)
		rows_drop_last(rows);
}

/* Index of the first symbol from @from on that ends after @place; steps double, then halve. */
static size_t next_symbol(const struct binary *b, size_t from, uint64_t place)
{
	size_t step = 1, low = from, high;

	while (low < b->nr_symbols && b->symbols[low].end <= place) {
		high = low + step < b->nr_symbols ? low + step : b->nr_symbols - 1;
		if (b->symbols[high].end > place) {
			while (low < high) {
				size_t middle = low + (high - low) / 2;

				if (b->symbols[middle].end <= place)
					low = middle + 1;
				else
					high = middle;
			}
			return low;
		}
		low = high + 1;
		step *= 2;
	}
	return low;
}

struct pass {
	const struct binary *binary;
	const struct image *image, *app;
	const struct populate_options *options;
	struct row_list *rows;
	struct symbol_row **outside;	/* per section, and one for no section */
};

static struct symbol_row *outside_row(struct pass *p, uint64_t place)
{
	const struct code_section *section = binary_section(p->binary, place);
	size_t i = section ? (size_t)(section - p->binary->sections) : p->binary->nr_sections;
	char *name;

	if (p->outside[i])
		return p->outside[i];
	name = section ? xasprintf("[%s]", section->name) : xstrdup("[no section]");
	p->outside[i] = new_row(p->options, p->rows, p->image, p->app, name,
				section ? section->vma : 0);
	free(name);
	return p->outside[i];
}

static struct symbol_row *symbol_row(struct pass *p, const struct code_symbol *symbol)
{
	struct symbol_row *row = new_row(p->options, p->rows, p->image, p->app, symbol->name,
					 symbol->vma);
	struct strbuf line = STRBUF_INIT;

	if (p->options->lines && binary_line(p->binary, symbol, p->options->long_names, &line))
		row->line = strbuf_steal(&line);
	else
		strbuf_free(&line);
	return row;
}

static void pass_over(struct pass *p, const struct sample_list *samples)
{
	const struct binary *b = p->binary;
	struct symbol_row *row = NULL;
	size_t at = 0, row_at = SIZE_MAX;

	for (size_t i = 0; i < samples->nr; i++) {
		const struct sample *s = &samples->samples[i];
		uint64_t place = s->offset + b->key_base;

		if (!s->count)
			continue;
		if (place < s->offset)
			place = UINT64_MAX;	/* keeps the order */
		at = next_symbol(b, at, place);
		if (at == b->nr_symbols || b->symbols[at].start > place) {
			if (!p->options->compat)
				outside_row(p, place)->counts[s->class] += s->count;
			continue;
		}
		if (at != row_at) {
			row = symbol_row(p, &b->symbols[at]);
			row_at = at;
		}
		row->counts[s->class] += s->count;
	}
}

void populate_symbols(const struct binary *binary, const struct sample_list *samples,
		      const struct image *image, const struct image *app,
		      const struct populate_options *options, struct row_list *rows)
{
	struct pass p = { binary, image, app, options, rows, NULL };
	size_t first = rows->nr;

	if (binary->nr_symbols) {
		p.outside = xcalloc(binary->nr_sections + 1, sizeof(*p.outside));
		pass_over(&p, samples);
		free(p.outside);
	} else {
		/* no symbols: one row for all, named as the image [SY-4] */
		struct symbol_row *row = NULL;

		for (size_t i = 0; i < samples->nr; i++) {
			if (!samples->samples[i].count)
				continue;
			if (!row)
				row = rows_add(rows, image, app, image->name, 0);
			row->counts[samples->samples[i].class] += samples->samples[i].count;
		}
	}
	filter_rows(options, rows, first);
}

void populate_check_age(const struct image *image, const struct sample_file *file,
			const struct sample_header *header, struct notices *notices)
{
	const struct image_ids *ids = file->session->ids;
	const char *want = ids ? image_ids_find(ids, image->path) : NULL;
	char text[BUILD_ID_TEXT];
	struct build_id id;
	struct stat st;

	if (want && *want && strcmp(want, "-") && !build_id_read(image->found, &id)) {
		if (strcmp(want, build_id_text(&id, text)))
			notice_add(notices,
				   "'%s' is another build than the one profiled "
				   "(build-id %s, was %s): its symbols may be wrong",
				   image->found, text, want);
		return;
	}
	if (stat(image->found, &st) < 0)
		return;
	if (!header->mtime)
		notice_add(notices, "cannot tell whether '%s' was changed since it was profiled",
			   image->found);
	else if (header->mtime != (uint64_t)st.st_mtime)
		notice_add(notices,
			   "'%s' is %s than when it was profiled: its symbols may be wrong",
			   image->found, header->mtime < (uint64_t)st.st_mtime ? "newer" : "older");
}

static const struct kernel_part *snapshot_part(const struct inverted_image *inverted)
{
	const struct report_session *session = inverted->session;

	if (!session || !session->has_kernel_symbols ||
	    !strcmp(inverted->image->path, "no-vmlinux"))
		return NULL;
	if (!strcmp(inverted->image->path, "kallsyms"))
		return kernel_symbols_part(&session->kernel, "");
	return kernel_symbols_part(&session->kernel, inverted->image->path);
}

/* Names that are no file and were never meant to be one. */
static bool is_nowhere(const struct image *image)
{
	return image->kind == IMAGE_ANON ||
	       (image->kind == IMAGE_KERNEL &&
		(!strcmp(image->path, "no-vmlinux") || !strcmp(image->path, "kallsyms")));
}

void populate_open_image(const struct inverted_image *inverted,
			 const struct populate_options *options, struct finder *finder,
			 struct binary *ret, struct notices *notices)
{
	const struct kernel_part *part = snapshot_part(inverted);
	struct image *image = inverted->image;
	struct binary_options how = {
		.is_kernel = image->is_kernel,
		.use_dynamic = !options->compat,
		.root = options->root,
	};
	struct op_error e = { "" };

	*ret = (struct binary){ 0 };
	if (part) {
		binary_from_snapshot(part, ret);
		return;
	}
	if (is_nowhere(image))
		return;
	find_image(finder, image, notices);
	if (image->is_ambiguous)
		return;		/* find_image() said so */
	if (!image->found)
		notice_add(notices, "'%s' is not there%s: shown without symbols", image->name,
			   image->is_kernel ? " (a folder to search: --image-path)" : "");
	else if (binary_open(image->found, &how, ret, &e))
		notice_add(notices, "cannot read symbols of '%s': %s", image->found, e.text);
}

static void print_symbols(const struct inverted_image *inverted, const struct binary *binary,
			  FILE *out)
{
	fprintf(out, "binary %s: %s, %zu symbols, keys count from 0x%" PRIx64 "\n",
		inverted->image->name, inverted->image->found ? inverted->image->found : "no file",
		binary->nr_symbols, binary->key_base);
	for (size_t i = 0; i < binary->nr_symbols; i++)
		fprintf(out, "symbol 0x%" PRIx64 "-0x%" PRIx64 " vma 0x%" PRIx64 " %s\n",
			binary->symbols[i].start, binary->symbols[i].end, binary->symbols[i].vma,
			binary->symbols[i].name);
}

static void populate_image(const struct inverted_image *inverted,
			   const struct populate_options *options, struct finder *finder,
			   struct row_list *rows, struct notices *notices)
{
	const struct report_session *checked = NULL;
	struct sample_header header;
	struct binary binary;
	uint64_t mtime = 0;
	size_t size;

	/* whether it is a kernel image says how its keys count */
	if (!sample_header_read(inverted->apps[0].files[0]->file->path, &header, &size, NULL))
		inverted->image->is_kernel |= header.is_kernel;
	populate_open_image(inverted, options, finder, &binary, notices);
	if (options->print_symbols)
		print_symbols(inverted, &binary, options->print_symbols);
	for (size_t i = 0; i < inverted->nr_apps; i++) {
		const struct inverted_app *app = &inverted->apps[i];
		struct sample_list samples = { 0 };

		/* a module may be an application too, shown by the name it was found by */
		find_image(finder, app->app, notices);
		for (size_t j = 0; j < app->nr; j++) {
			const struct sample_file *file = app->files[j]->file;

			if (samples_add_file(&samples, app->files[j], &header, notices))
				continue;
			if (!binary.files || (file->session == checked && header.mtime == mtime))
				continue;
			populate_check_age(inverted->image, file, &header, notices);
			checked = file->session;
			mtime = header.mtime;
		}
		samples_sort(&samples);
		populate_symbols(&binary, &samples, inverted->image, app->app, options, rows);
		samples_free(&samples);
	}
	binary_close(&binary);
}

void populate(const struct inversion *inversion, const struct populate_options *options,
	      struct finder *finder, struct row_list *rows, struct notices *notices)
{
	size_t *starts = xcalloc(inversion->nr_images + 1, sizeof(*starts));
	size_t nr = 0;		/* boots of the image at hand */

	for (size_t i = 0; i < inversion->nr_images; i++) {
		starts[nr++] = rows->nr;
		populate_image(&inversion->images[i], options, finder, rows, notices);
		if (i + 1 < inversion->nr_images &&
		    inversion->images[i + 1].image == inversion->images[i].image)
			continue;
		if (nr > 1)
			merge_boots(rows, starts, nr);
		nr = 0;
	}
	free(starts);
}
