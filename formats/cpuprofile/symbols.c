// SPDX-License-Identifier: GPL-2.0-or-later
/* symbols.c - names in the file itself: of Java, and of google-pprof --raw */
#include "formats/cpuprofile/symbols.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "formats/file/text_lines.h"
#include "libutil/sorted.h"
#include "libutil/xalloc.h"

/* The next line, without blanks at its end. */
static bool next_line(struct text *t, struct text *line)
{
	if (!text_next_line(t, line))
		return false;
	while (line->end > line->at && isspace((unsigned char)line->end[-1]))
		line->end--;
	return true;
}

static void skip_blanks(struct text *line)
{
	while (line->at < line->end && isblank((unsigned char)*line->at))
		line->at++;
}

/* "0x4005d0 " */
static bool take_address(struct text *line, uint64_t *ret)
{
	const char *first;
	uint64_t value = 0;

	skip_blanks(line);
	if (!text_begins(*line, "0x"))
		return false;
	line->at += 2;
	first = line->at;
	for (; line->at < line->end && isxdigit((unsigned char)*line->at); line->at++) {
		int digit = tolower((unsigned char)*line->at);

		if (value >> 60)
			return false;
		value = value << 4 | (uint64_t)(isdigit(digit) ? digit - '0' : digit - 'a' + 10);
	}
	*ret = value;
	if (line->at == first || line->at == line->end || !isblank((unsigned char)*line->at))
		return false;
	skip_blanks(line);
	return line->at < line->end && !memchr(line->at, 0, (size_t)(line->end - line->at));
}

static void begin_symbol(struct cpuprofile_symbols *s, uint64_t address)
{
	xgrow(s->symbols, s->nr_symbols, s->room_symbols);
	s->symbols[s->nr_symbols++] = (struct cpuprofile_symbol){
		.address = address, .first_line = (uint32_t)s->nr_lines,
	};
}

static void add_line(struct cpuprofile_symbols *s, struct profile *p, struct text name,
		     uint32_t file, uint32_t line)
{
	uint32_t id = profile_string_n(p, name.at, (size_t)(name.end - name.at));
	struct profile_function function = { .name = id, .system_name = id, .file = file };

	xgrow(s->lines, s->nr_lines, s->room_lines);
	s->lines[s->nr_lines++] = (struct profile_line){ profile_function(p, &function), line };
	s->symbols[s->nr_symbols - 1].nr_lines++;
}

static int compare_symbols(const void *x, const void *y)
{
	const struct cpuprofile_symbol *a = x, *b = y;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->first_line > b->first_line) - (a->first_line < b->first_line);
}

static void sort_symbols(struct cpuprofile_symbols *s)
{
	if (s->nr_symbols)
		qsort(s->symbols, s->nr_symbols, sizeof(*s->symbols), compare_symbols);
}

/* "name (file:line)" or "name (file)"; anything else is just a name. */
static void add_java_name(struct cpuprofile_symbols *s, struct profile *p, struct text name)
{
	const char *open, *colon, *end = name.end - 1;
	uint32_t line = 0;

	for (open = end; open > name.at && *open != '('; open--)
		;
	if (*end != ')' || open <= name.at || !isblank((unsigned char)open[-1])) {
		add_line(s, p, name, 0, 0);
		return;
	}
	for (colon = end; colon > open && isdigit((unsigned char)colon[-1]); colon--)
		;
	if (colon < end && colon > open + 1 && colon[-1] == ':' && end - colon <= 9) {
		line = (uint32_t)strtoul(colon, NULL, 10);
		end = colon - 1;
	}
	for (name.end = open; name.end > name.at && isblank((unsigned char)name.end[-1]);)
		name.end--;
	add_line(s, p, name, profile_string_n(p, open + 1, (size_t)(end - open - 1)), line);
}

void cpuprofile_java_symbols(struct profile *p, const char *text, size_t size,
			     struct cpuprofile_symbols *ret)
{
	struct text t = { text, text + size }, line;
	uint64_t address;

	while (next_line(&t, &line)) {
		if (!take_address(&line, &address))
			continue;
		begin_symbol(ret, address);
		add_java_name(ret, p, line);
	}
	sort_symbols(ret);
}

/* "inner--outer": functions inlined at one address. */
static void add_inlined_names(struct cpuprofile_symbols *s, struct profile *p, struct text names)
{
	while (names.at < names.end) {
		struct text name = names;
		const char *dashes = memmem(names.at, (size_t)(names.end - names.at), "--", 2);

		/* dashes at the ends belong to the name: "operator--" */
		if (dashes && dashes > names.at && dashes + 2 < names.end)
			name.end = dashes;
		add_line(s, p, name, 0, 0);
		names.at = name.end == names.end ? names.end : name.end + 2;
	}
}

bool cpuprofile_is_symbolized(const unsigned char *bytes, size_t size)
{
	struct text t = { (const char *)bytes, (const char *)bytes + size };

	if (!text_begins(t, "---"))
		return false;
	t.at += 3;
	skip_blanks(&t);
	return text_begins(t, "symbol");
}

size_t cpuprofile_symbol_section(struct profile *p, const unsigned char *bytes, size_t size,
				 struct cpuprofile_symbols *ret, uint32_t *ret_binary)
{
	struct text t = { (const char *)bytes, (const char *)bytes + size }, line;
	uint64_t address;

	if (!cpuprofile_is_symbolized(bytes, size))
		return 0;
	next_line(&t, &line);
	while (next_line(&t, &line)) {
		if (text_begins(line, "---"))
			break;
		if (text_begins(line, "binary=")) {
			line.at += strlen("binary=");
			if (!memchr(line.at, 0, (size_t)(line.end - line.at)))
				*ret_binary = profile_string_n(p, line.at,
							       (size_t)(line.end - line.at));
		} else if (take_address(&line, &address)) {
			begin_symbol(ret, address);
			add_inlined_names(ret, p, line);
		}
	}
	sort_symbols(ret);
	/* "--- profile" is a line of its own, after which the words begin */
	if (text_begins(t, "---"))
		next_line(&t, &line);
	return (size_t)(t.at - (const char *)bytes);
}

const struct cpuprofile_symbol *cpuprofile_symbol_find(const struct cpuprofile_symbols *symbols,
						       uint64_t address)
{
	size_t low = first_not(symbols->nr_symbols, i, symbols->symbols[i].address < address);

	if (low == symbols->nr_symbols || symbols->symbols[low].address != address)
		return NULL;
	return &symbols->symbols[low];
}

void cpuprofile_symbols_free(struct cpuprofile_symbols *symbols)
{
	free(symbols->symbols);
	free(symbols->lines);
	*symbols = (struct cpuprofile_symbols){ 0 };
}
