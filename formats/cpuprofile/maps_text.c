// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * maps_text.c - read and write the mappings after a CPU profile, as lines of /proc/PID/maps
 *
 * There are three kinds of lines: "build=PATH", which $build in later paths stands for, mappings as
 * the kernel writes them, and brief ones that may have a build ID. Rules: doc/cpuprofile.md.
 */
#include "formats/cpuprofile/maps_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "formats/cpuprofile/maps_line.h"
#include "libutil/plain_text.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#define REPLACED_ALWAYS (1u << 20)	/* bytes; beyond that in proportion to the text */

/* All mappings are images of the profile @all; those that are needed become images of @p. */
struct maps_text {
	struct profile *p;
	struct profile *all;
	uint32_t *in_p;			/* for each image of @all; PROFILE_NONE: not yet added */
	size_t room;
	size_t may_replace;		/* bytes that replacing $build may still add [PF-7] */
};

/* Is this the word $build, and not just its beginning? [GC-9] */
static bool is_build_variable(const char *at, const char *end)
{
	static const char name[] = "$build";
	size_t len = sizeof(name) - 1;

	if ((size_t)(end - at) < len || memcmp(at, name, len))
		return false;
	return at + len == end || (!isalnum((unsigned char)at[len]) && at[len] != '_');
}

/* Replace $build by @build, if there was one, and \012 by a newline. */
static void expand_path(struct maps_text *m, const struct maps_mapping *mapping,
		      const struct maps_build *build, struct strbuf *ret)
{
	const char *end = mapping->path + mapping->path_len;

	strbuf_reset(ret);
	for (const char *at = mapping->path; at < end;) {
		if (build->path && is_build_variable(at, end) && build->len <= m->may_replace) {
			strbuf_add_bytes(ret, build->path, build->len);
			m->may_replace -= build->len;
			at += strlen("$build");
		} else if (end - at >= 4 && !memcmp(at, "\\012", 4)) {
			strbuf_add_char(ret, '\n');
			at += 4;
		} else {
			strbuf_add_char(ret, *at++);
		}
	}
}

static enum profile_image_kind kind_of(const char *path)
{
	if (!strncmp(path, "[kernel", 7))
		return PROFILE_KERNEL;
	if (*path == '[' || !*path || !strncmp(path, "//anon", 6) || !strcmp(path, "anon"))
		return PROFILE_ANON;
	return PROFILE_FILE;
}

static uint32_t add_image(struct maps_text *m, uint32_t id)
{
	struct profile_image image = m->all->images[id];

	if (m->in_p[id] != PROFILE_NONE)
		return m->in_p[id];
	image.path = profile_string(m->p, profile_text(m->all, image.path));
	image.build_id = profile_string(m->p, profile_text(m->all, image.build_id));
	return m->in_p[id] = profile_add_image(m->p, &image);
}

/* A brief and a full line may describe the same mapping: then they are one image. */
static bool merge_with_last(struct maps_text *m, const struct profile_image *image)
{
	struct profile_image *last = m->all->nr_images ? &m->all->images[m->all->nr_images - 1]
						       : NULL;

	if (!last || last->start != image->start || last->limit != image->limit ||
	    last->path != image->path || last->offset != image->offset)
		return false;
	if (!last->build_id)
		last->build_id = image->build_id;
	return true;
}

static void add_mapping(struct maps_text *m, const struct maps_mapping *mapping, const char *path)
{
	struct profile_image image = {
		.path = profile_string(m->all, path),
		.start = mapping->start, .limit = mapping->limit, .offset = mapping->offset,
		.kind = kind_of(path),
	};
	uint32_t *in_p;
	char id[129];

	if (mapping->build_id_len && mapping->build_id_len < sizeof(id)) {
		for (size_t i = 0; i < mapping->build_id_len; i++)
			id[i] = (char)tolower((unsigned char)mapping->build_id[i]);
		image.build_id = profile_string_n(m->all, id, mapping->build_id_len);
	}
	if (merge_with_last(m, &image))
		return;
	if (m->all->nr_images == m->room) {
		m->room = m->room ? 2 * m->room : 16;
		m->in_p = xrealloc_array(m->in_p, m->room, sizeof(*m->in_p));
	}
	in_p = &m->in_p[profile_add_image(m->all, &image)];
	/* to be added by add_images_of_code(), because a later line may have the build ID */
	*in_p = mapping->is_code ? 0 : PROFILE_NONE;
}

/* [GC-24] */
static bool is_comment(const struct maps_mapping *m)
{
	return !m->start && m->limit == 1 && !m->is_code && m->path_len > 2 &&
	       !memcmp(m->path, "# ", 2);
}

static void add_comment(struct maps_text *m, const struct maps_mapping *mapping)
{
	char *text = xasprintf("%.*s", (int)mapping->path_len - 2, mapping->path + 2);

	plain_text(text, strlen(text));
	profile_comment(m->p, text);
	free(text);
}

/* [GC-12] */
static int read_line(struct maps_text *m, struct text line, unsigned long number,
		     const struct format_read_options *options, struct maps_build *build,
		     struct strbuf *path, struct op_error *e)
{
	struct maps_mapping mapping = { 0 };

	if (line.end - line.at >= MAPS_LINE_MAX)
		return format_warn_or_fail(options, e, "text line %lu: ignored: %zu bytes are too "
					   "long", number, text_length(line));
	if (memchr(line.at, 0, text_length(line)) || maps_line_build(line, build))
		return 0;
	if (!maps_line_full(line, &mapping) && !maps_line_brief(line, &mapping))
		return 0;
	if (is_comment(&mapping)) {
		add_comment(m, &mapping);
		return 0;
	}
	if (mapping.start >= mapping.limit)
		return format_warn_or_fail(options, e, "text line %lu: ignored: the mapping ends "
					   "before it begins", number);
	expand_path(m, &mapping, build, path);
	add_mapping(m, &mapping, path->text);
	return 0;
}

static bool is_known(struct text line)
{
	struct maps_mapping mapping = { 0 };
	struct maps_build build;

	return maps_line_build(line, &build) || maps_line_full(line, &mapping) ||
	       maps_line_brief(line, &mapping);
}

/* Controls, and bytes that UTF-8 never has. */
static bool is_text(char byte)
{
	unsigned char c = (unsigned char)byte;

	return (c >= ' ' || c == '\t' || c == '\n' || c == '\r') && c != 0x7f && c < 0xf5 &&
	       c != 0xc0 && c != 0xc1;
}

const char *maps_text_start(const char *begin, const char *end)
{
	while (end > begin && is_text(end[-1]))
		end--;
	return end;
}

size_t maps_text_junk(const char *text, size_t size)
{
	struct text all = { text, text + size }, line = { text, text }, rest;
	const char *build, *at;

	text_next_line(&all, &line);
	if (is_known(line))
		return 0;
	build = memmem(line.at, text_length(line), "build=", strlen("build="));
	if (build)
		return (size_t)(build - text);
	at = maps_text_start(line.at, line.end);
	if (at == line.at)
		return 0;
	rest = (struct text){ at, line.end };
	return (size_t)((is_known(rest) ? rest.at : all.at) - text);
}

static int read_lines(struct maps_text *m, const char *text, size_t size,
		      const struct format_read_options *options, struct op_error *e)
{
	struct text all = { text, text + size }, line;
	size_t junk = maps_text_junk(text, size);
	struct strbuf path = STRBUF_INIT;
	struct maps_build build = { NULL, 0 };
	unsigned long number = 1;
	int err = 0;

	if (junk)
		err = format_warn_or_fail(options, e, "text line 1: ignored %zu bytes between the "
					  "trailer and the text", junk);
	all.at += junk;
	for (; !err && text_next_line(&all, &line); number++)
		err = read_line(m, line, number, options, &build, &path, e);
	strbuf_free(&path);
	return err;
}

/* The first image that looks like a program is the main one. [GC-13] */
static void add_images_of_code(struct maps_text *m)
{
	for (uint32_t i = 0; i < m->all->nr_images; i++) {
		const struct profile_image *image = &m->all->images[i];
		bool wanted = m->in_p[i] != PROFILE_NONE;

		m->in_p[i] = PROFILE_NONE;
		if (!wanted)
			continue;
		add_image(m, i);
		if (m->p->main_image == PROFILE_NONE && image->kind == PROFILE_FILE &&
		    !maps_is_library(profile_text(m->all, image->path)))
			m->p->main_image = m->in_p[i];
	}
}

int maps_text_read(const char *text, size_t size, const struct format_read_options *options,
		   struct profile *p, struct maps_text **ret, struct op_error *e)
{
	struct maps_text *m = xcalloc(1, sizeof(*m));
	int err;

	m->p = p;
	m->all = profile_new();
	m->may_replace = REPLACED_ALWAYS + 8 * size;
	err = read_lines(m, text, size, options, e);
	if (err) {
		maps_text_free(m);
		return err;
	}
	add_images_of_code(m);
	*ret = m;
	return 0;
}

void maps_text_free(struct maps_text *m)
{
	if (!m)
		return;
	profile_free(m->all);
	free(m->in_p);
	free(m);
}

uint32_t maps_text_image(struct maps_text *m, uint64_t address)
{
	uint32_t id = profile_image_at(m->all, address);

	return id == PROFILE_NONE ? PROFILE_NONE : add_image(m, id);
}

bool maps_is_library(const char *path)
{
	static const char *const endings[] = { ".so", ".dll", ".dylib", ".bundle", ".node" };

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		const char *at = strstr(path, endings[i]);
		size_t len = strlen(endings[i]);

		for (; at; at = strstr(at + 1, endings[i]))
			if (!at[len] || (at[len] == '.' && isdigit((unsigned char)at[len + 1])))
				return true;
	}
	return false;
}

bool maps_text_is_canonical(const char *text)
{
	const char *newline;

	if (!*text)
		return false;
	for (; *text; text = newline + 1) {
		struct maps_mapping mapping = { 0 };
		struct maps_build build;
		struct text line;

		newline = strchr(text, '\n');
		if (!newline)
			return false;
		line = (struct text){ text, newline };
		if (!maps_line_build(line, &build) && !maps_line_full(line, &mapping) &&
		    (isblank((unsigned char)*text) || !maps_line_brief(line, &mapping)))
			return false;
	}
	return true;
}

/* As the kernel writes it, because a newline would end the line. */
static void write_path(const char *path, FILE *out)
{
	for (; *path; path++)
		if (*path == '\n')
			fputs("\\012", out);
		else
			putc(*path, out);
}

static void write_full(const struct profile_image *image, const char *path, FILE *out)
{
	fprintf(out, "%08llx-%08llx r-xp %08llx 00:00 %-11d ", (unsigned long long)image->start,
		(unsigned long long)image->limit, (unsigned long long)image->offset, 0);
	write_path(path, out);
	putc('\n', out);
}

static void write_brief(const struct profile *p, const struct profile_image *image,
			const char *path, FILE *out)
{
	const char *build_id = profile_text(p, image->build_id);

	if (!*build_id || !*path || strpbrk(path, " \t\n"))
		return;
	fprintf(out, "%08llx-%08llx: %s (@%llx) %s\n", (unsigned long long)image->start,
		(unsigned long long)image->limit, path, (unsigned long long)image->offset,
		build_id);
}

/*
 * Full lines have no room for a build ID; brief ones, which Go's pprof reads, have. So an image
 * with a build ID gets both, and readers take the first one. google-pprof assumes offset 0 in brief
 * lines of libraries, so for a library with another offset the brief line comes last. [GC-22]
 */
void maps_text_write(const struct profile *p, const bool *wanted, FILE *out)
{
	for (uint32_t i = 0; i < p->nr_images; i++) {
		const struct profile_image *image = &p->images[i];
		const char *path = profile_text(p, image->path);
		bool brief_last = image->offset && strstr(path, ".so");

		if (image->start >= image->limit || (wanted && !wanted[i]))
			continue;
		if (!brief_last)
			write_brief(p, image, path, out);
		write_full(image, path, out);
		if (brief_last)
			write_brief(p, image, path, out);
	}
}
