/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gcc_afdo.c - gcc's auto-profile: gcc -fauto-profile=FILE
 *
 * Little-endian 32-bit words: a header of three, then sections for names and functions and an empty
 * one. Rules: doc/sample-pgo.md [SG-13]..[SG-16].
 */
#include "pp/exchange/autofdo/sample_pgo.h"

#include <stdlib.h>
#include <string.h>

#include "formats/all_formats.h"
#include "libutil/hash.h"
#include "libutil/strbuf.h"
#include "libutil/table.h"
#include "libutil/xalloc.h"
#include "pp/exchange/export/session_format.h"

enum {
	MAGIC		= 0x67636461,
	VERSION		= 2,		/* gcc 12's */
	NAMES		= 0xaa000000,
	FUNCTIONS	= 0xac000000,
	MODULES		= 0xae000000,
	INDIRECT_CALL	= 3,		/* gcc ignores it */
};

struct afdo {
	const char **names;		/* [0]: "" */
	size_t nr, room;
	struct hash_table by_name;
};

static bool has_name(const void *afdo, uint32_t id, const void *name)
{
	return !strcmp(((const struct afdo *)afdo)->names[id], name);
}

static uint32_t name_index(struct afdo *a, const char *name)
{
	uint64_t hash = hash_string(name);
	uint32_t id = hash_table_find(&a->by_name, hash, has_name, a, name);

	if (id == HASH_NONE) {
		xgrow(a->names, a->nr, a->room);
		id = (uint32_t)a->nr++;
		a->names[id] = name;
		hash_table_add(&a->by_name, hash, id);
	}
	return id;
}

static void add32(struct strbuf *s, uint32_t n)
{
	unsigned char bytes[] = { n, n >> 8, n >> 16, n >> 24 };

	strbuf_add_bytes(s, bytes, sizeof(bytes));
}

static void add64(struct strbuf *s, uint64_t n)
{
	add32(s, n);
	add32(s, n >> 32);
}

/* gcc 12 writes discriminators but ignores them when it reads a profile. */
static uint32_t no_discriminator(uint32_t raw)
{
	(void)raw;
	return 0;
}

static bool is_count(const struct pgo_position *p)
{
	return p->is_counted || p->nr_targets;
}

static void add_count(struct strbuf *s, struct afdo *a, const struct pgo_position *p)
{
	add32(s, p->offset << 16);
	add32(s, p->nr_targets);
	add64(s, p->count);
	for (size_t i = 0; i < p->nr_targets; i++) {
		add32(s, INDIRECT_CALL);
		add64(s, name_index(a, p->targets[i].function));
		add64(s, p->targets[i].count);
	}
}

static void add_function(struct strbuf *s, struct afdo *a, const struct pgo_function *f)
{
	uint32_t nr_counts = 0, nr_inlined = 0;

	for (size_t i = 0; i < f->nr; i++) {
		nr_counts += is_count(&f->positions[i]);
		nr_inlined += f->positions[i].nr_inlined;
	}
	add32(s, name_index(a, f->name));
	add32(s, nr_counts);
	add32(s, nr_inlined);
	for (size_t i = 0; i < f->nr; i++)
		if (is_count(&f->positions[i]))
			add_count(s, a, &f->positions[i]);
	for (size_t i = 0; i < f->nr; i++)
		for (size_t k = 0; k < f->positions[i].nr_inlined; k++) {
			add32(s, f->positions[i].offset << 16);
			add_function(s, a, f->positions[i].inlined[k]);
		}
}

static void add_section(struct strbuf *file, uint32_t tag, const struct strbuf *content)
{
	add32(file, tag);
	add32(file, content->len / 4);		/* gcc ignores it */
	strbuf_add_bytes(file, content->text, content->len);
}

static void add_names(struct strbuf *s, const struct afdo *a)
{
	add32(s, a->nr);
	for (size_t i = 0; i < a->nr; i++) {
		size_t size = strlen(a->names[i]) + 1;

		add32(s, size);
		strbuf_add_bytes(s, a->names[i], size);
	}
}

static void add_functions(struct strbuf *s, struct afdo *a, const struct pgo_tree *t)
{
	add32(s, t->nr);
	for (size_t i = 0; i < t->nr; i++) {
		add64(s, t->functions[i]->head);
		add_function(s, a, t->functions[i]);
	}
}

static int write_afdo(const struct profile *p, const struct format_write_options *options,
		      FILE *out, struct op_error *e)
{
	const struct format_session *s = options->session;
	struct pgo_options pgo = { .collection = s->collection, .notices = s->notices,
				   .event = options->event,
				   .discriminator = no_discriminator,
				   .nest_indirect = true };
	struct strbuf file = STRBUF_INIT, names = STRBUF_INIT, functions = STRBUF_INIT;
	struct pgo_samples samples;
	struct afdo a = { 0 };
	int err = pgo_samples_read(p, &pgo, &samples, e);

	if (err)
		return err;
	xgrow(a.names, a.nr, a.room);
	a.names[a.nr++] = "";
	add_functions(&functions, &a, &samples.tree);
	add_names(&names, &a);
	add32(&file, MAGIC);
	add32(&file, VERSION);
	add32(&file, 0);
	add_section(&file, NAMES, &names);
	add_section(&file, FUNCTIONS, &functions);
	add32(&file, MODULES);
	add32(&file, 0);
	add32(&file, 0);
	fwrite(file.text, 1, file.len, out);
	strbuf_free(&file);
	strbuf_free(&names);
	strbuf_free(&functions);
	free(a.names);
	hash_table_free(&a.by_name);
	pgo_samples_free(&samples);
	return 0;
}

const struct profile_format format_gcc_afdo = {
	.name = "gcc-afdo",
	.suffix = "afdo",
	.text = "gcc 12's auto-profile, for gcc -fauto-profile",
	.one_event = true,
	.no_names = true,
	.needs_session = true,
	.write = write_afdo,
};
