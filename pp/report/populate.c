/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * populate.c - open each image once, then pass over the samples of its applications
 *
 * Most time of a report is spent reading files and sorting samples, and images are independent: a
 * thread takes the next image, works on lists of its own, and the lists are joined in order at the
 * end.
 */
#include "pp/report/populate.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/cpus.h"
#include "libutil/print_line.h"
#include "libutil/progress.h"
#include "libutil/xalloc.h"
#include "pp/report/inlined.h"
#include "pp/report/merge_boots.h"
#include "pp/report/row_lines.h"

#define MAX_THREADS 16

struct work {
	struct populated_image *image;
	struct row_list rows;
	struct notices notices;
};

struct crew {
	const struct populate_options *options;
	struct finder *finder;
	struct work *works;
	size_t nr_works, nr_classes;
	atomic_size_t next;
};

static void print_symbols(const struct inverted_image *inverted, const struct binary *binary,
			  FILE *out)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_addf(&line, "binary %s: %s, %zu symbols, keys count from 0x%" PRIx64,
		    inverted->image->name,
		    inverted->image->found ? inverted->image->found : "no file",
		    binary->nr_symbols, binary->key_base);
	print_line(&line, out);
	for (size_t i = 0; i < binary->nr_symbols; i++) {
		char *name = binary_symbol_name(binary, i);

		strbuf_addf(&line, "symbol 0x%" PRIx64 "-0x%" PRIx64 " vma 0x%" PRIx64 " %s",
			    binary->symbols[i].start, binary->symbols[i].end,
			    binary->symbols[i].vma, name);
		print_line(&line, out);
		free(name);
	}
	strbuf_free(&line);
}

/* The samples of one application in the image. */
struct app_samples {
	struct sample_list samples;
	uint64_t vma_base;
};

static void read_app(struct work *w, const struct crew *crew, const struct inverted_app *app,
		     struct app_samples *ret, const struct report_session **checked,
		     uint64_t *mtime)
{
	struct populated_image *p = w->image;
	struct sample_header header;

	ret->vma_base = p->binary.vma_base;
	for (size_t i = 0; i < app->nr; i++) {
		const struct sample_file *file = app->files[i]->file;

		int err = samples_add_file(&ret->samples, app->files[i], &header, &w->notices);

		p->nr_failed += err && err != -ENODATA;
		if (err)
			continue;
		/* the original does not add it, despite its manual; code made at run time has it */
		if (!crew->options->compat && p->inverted->image->kind == IMAGE_ANON &&
		    !p->inverted->image->found)
			ret->vma_base = header.anon_start;
		if (!p->binary.is_file || (file->session == *checked && header.mtime == *mtime))
			continue;
		populate_check_age(p->inverted->image, file, &header, &w->notices);
		*checked = file->session;
		*mtime = header.mtime;
	}
	samples_sort(&ret->samples);
}

/* All applications at once, so that the debug information of each function is decoded once. */
static void find_inlined(struct work *w, const struct crew *crew, const struct app_samples *apps,
			 size_t nr_apps)
{
	const struct populate_options *o = crew->options;
	struct binary *b = &w->image->binary;
	size_t room = 0, nr = 0;
	uint64_t *places;

	if (!o->inlines ||
	    !inlined_open(b, w->image->inverted->image->found, o->root, o->cache_dir))
		return;
	for (size_t i = 0; i < nr_apps; i++)
		room += apps[i].samples.nr;
	places = xcalloc(room + 1, sizeof(*places));
	for (size_t i = 0; i < nr_apps; i++)
		for (size_t k = 0; k < apps[i].samples.nr; k++) {
			uint64_t place = row_place(b, apps[i].samples.samples[k].offset);

			if (!nr || places[nr - 1] != place)
				places[nr++] = place;
		}
	inlined_prepare(b, places, nr, &w->notices);
	free(places);
}

static void make_rows(struct work *w, const struct crew *crew)
{
	const struct inverted_image *inverted = w->image->inverted;
	struct app_samples *apps = xcalloc(inverted->nr_apps + 1, sizeof(*apps));
	const struct report_session *checked = NULL;
	uint64_t mtime = 0;

	for (size_t i = 0; i < inverted->nr_apps; i++)
		read_app(w, crew, &inverted->apps[i], &apps[i], &checked, &mtime);
	find_inlined(w, crew, apps, inverted->nr_apps);
	if (crew->options->keep_binaries)
		w->image->app_samples = xcalloc(inverted->nr_apps + 1,
						sizeof(*w->image->app_samples));
	for (size_t i = 0; i < inverted->nr_apps; i++) {
		w->image->binary.vma_base = apps[i].vma_base;
		populate_symbols(&w->image->binary, &apps[i].samples, inverted->image,
				 inverted->apps[i].app, crew->options, &w->rows);
		if (w->image->app_samples)
			w->image->app_samples[i] = apps[i].samples;
		else
			samples_free(&apps[i].samples);
	}
	free(apps);
}

static void populate_image(struct work *w, const struct crew *crew)
{
	const struct inverted_image *inverted = w->image->inverted;

	rows_init(&w->rows, crew->nr_classes);
	populate_open_image(inverted, crew->options, crew->finder, &w->image->binary, &w->notices);
	if (crew->options->print_symbols)
		print_symbols(inverted, &w->image->binary, crew->options->print_symbols);
	make_rows(w, crew);
	for (size_t i = 0; i < w->rows.nr; i++)
		w->rows.rows[i]->session = inverted->session;
	if (crew->options->lines && inverted->image->found)
		row_lines_set(&w->image->binary, inverted->image->found, crew->options,
			      w->rows.rows, w->rows.nr, &w->notices);
	w->image->is_file = w->image->binary.is_file;
	w->image->from = w->image->binary.from;
	w->image->looked_in = w->image->binary.looked_in;
	w->image->binary.looked_in = NULL;
	if (!crew->options->keep_binaries) {
		inlined_close(&w->image->binary);
		binary_close(&w->image->binary);
	}
}

static void work_on(struct crew *crew)
{
	size_t i;

	while ((i = atomic_fetch_add(&crew->next, 1)) < crew->nr_works) {
		progress_tell(NULL, i, crew->nr_works, "images");
		populate_image(&crew->works[i], crew);
	}
}

static void *thread_main(void *crew)
{
	work_on(crew);
	return NULL;
}

/* This thread works too, so a thread that cannot be created is not an error. */
static void run_crew(struct crew *crew)
{
	pthread_t threads[MAX_THREADS];
	size_t nr = 0, wanted = nr_cpus_online();

	if (wanted > MAX_THREADS)
		wanted = MAX_THREADS;
	/* symbols are printed in order; libbfd, for lines in compatibility mode, has no locks */
	if (crew->options->print_symbols || (crew->options->lines && crew->options->compat))
		wanted = 1;
	while (nr + 1 < wanted && nr + 1 < crew->nr_works &&
	       !pthread_create(&threads[nr], NULL, thread_main, crew))
		nr++;
	work_on(crew);
	while (nr)
		pthread_join(threads[--nr], NULL);
}

/* All changes to images are made before the threads start. */
static void prepare(const struct inverted_image *inverted, struct finder *finder,
		    struct notices *notices)
{
	struct sample_header header;

	/* keys of kernel images have another base */
	if (!sample_file_read_header(inverted->apps[0].files[0]->file, &header, NULL))
		inverted->image->is_kernel |= header.is_kernel;
	find_image(finder, inverted->image, notices);
	/* a module may be an application too, shown by the name of its file */
	for (size_t i = 0; i < inverted->nr_apps; i++)
		find_image(finder, inverted->apps[i].app, notices);
}

static void add_samples(struct populated_image *image, const struct row_list *rows)
{
	for (size_t i = 0; i < rows->nr; i++) {
		const struct symbol_row *row = rows->rows[i];
		uint64_t sum = 0;

		for (size_t c = 0; c < rows->nr_classes; c++)
			sum += row->counts[c];
		image->samples += sum;
		if (!row_is_function(row) || *row->name == '[')
			image->unnamed += sum;
	}
}

static void join(struct crew *crew, struct row_list *rows, struct notices *notices)
{
	for (size_t i = 0; i < crew->nr_works; i++) {
		struct work *w = &crew->works[i];

		w->image->first_row = rows->nr;
		w->image->nr_rows = w->rows.nr;
		add_samples(w->image, &w->rows);
		rows_append(rows, &w->rows);
		notices_append(notices, &w->notices);
	}
}

void populate(const struct inversion *inversion, const struct populate_options *options,
	      struct finder *finder, struct row_list *rows, struct population *ret,
	      struct notices *notices)
{
	struct population population = { .nr = inversion->nr_images };
	struct crew crew = {
		.options = options, .finder = finder, .nr_works = inversion->nr_images,
		.nr_classes = rows->nr_classes,
	};

	population.images = xcalloc(population.nr + 1, sizeof(*population.images));
	crew.works = xcalloc(crew.nr_works + 1, sizeof(*crew.works));
	for (size_t i = 0; i < crew.nr_works; i++) {
		population.images[i].inverted = &inversion->images[i];
		crew.works[i].image = &population.images[i];
		prepare(&inversion->images[i], finder, notices);
	}
	run_crew(&crew);
	join(&crew, rows, notices);
	for (size_t i = 0; i < population.nr; i++)
		population.nr_failed += population.images[i].nr_failed;
	free(crew.works);
	if (!options->keep_all)
		merge_boots(rows, NULL, 0);
	*ret = population;
}

void population_free(struct population *population)
{
	for (size_t i = 0; i < population->nr; i++) {
		struct populated_image *p = &population->images[i];

		for (size_t k = 0; p->app_samples && k < p->inverted->nr_apps; k++)
			samples_free(&p->app_samples[k]);
		free(p->app_samples);
		inlined_close(&p->binary);
		binary_close(&p->binary);
		free(p->looked_in);
	}
	free(population->images);
	*population = (struct population){ 0 };
}
