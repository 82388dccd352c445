// SPDX-License-Identifier: GPL-2.0-or-later
/* formats.c - lists of formats; find one by name, by suffix or by the bytes of a file */
#include <string.h>

#include "formats/all_formats.h"
#include "libutil/file.h"
#include "libutil/strbuf.h"

const struct profile_format *const profile_formats[] = {
	PROFILE_FORMATS(PROFILE_FORMAT_ENTRY)
	NULL
};

const struct profile_format *profile_format_by_name(const struct profile_format *const *list,
						    const char *name)
{
	for (; *list; list++)
		if (!strcmp((*list)->name, name))
			return *list;
	return NULL;
}

/* NAME.SUFFIX, or just a suffix with a dot: "speedscope.json". */
static bool has_suffix(const char *name, const char *suffix)
{
	size_t n = strlen(name), m = strlen(suffix);

	if (n == m && strchr(suffix, '.'))
		return !strcmp(name, suffix);
	return m && n > m + 1 && name[n - m - 1] == '.' && !strcmp(name + n - m, suffix);
}

const struct profile_format *profile_format_by_suffix(const struct profile_format *const *list,
						      const char *path)
{
	const struct profile_format *best = NULL;
	const char *name = path_base(path);

	for (; *list; list++)
		if ((*list)->write && has_suffix(name, (*list)->suffix) &&
		    (!best || strlen((*list)->suffix) > strlen(best->suffix)))
			best = *list;
	return best;
}

const struct profile_format *profile_format_find(const char *name)
{
	return profile_format_by_name(profile_formats, name);
}

const struct profile_format *profile_format_detect(const unsigned char *bytes, size_t size)
{
	for (const struct profile_format *const *f = profile_formats; *f; f++)
		if ((*f)->detect && (*f)->detect(bytes, size))
			return *f;
	return NULL;
}

char *profile_format_names(const struct profile_format *const *list, bool written)
{
	struct strbuf text = STRBUF_INIT;
	const char *last = NULL;

	for (; *list; list++) {
		if (written ? !(*list)->write : !(*list)->read)
			continue;
		if (last)
			strbuf_addf(&text, "%s%s", text.len ? ", " : "", last);
		last = (*list)->name;
	}
	if (last)
		strbuf_addf(&text, "%s%s", text.len ? " or " : "", last);
	return text.text;
}

/* Width of the longest suffix or name, at least @width. */
static int column_width(const struct profile_format *const *list, bool suffixes, int width)
{
	for (; *list; list++) {
		int len = (int)strlen(suffixes ? (*list)->suffix : (*list)->name);

		width = len > width ? len : width;
	}
	return width;
}

void profile_formats_print(const struct profile_format *const *list, bool written, FILE *out)
{
	int names = column_width(list, false, 12), suffixes = column_width(list, true, 15);

	for (; *list; list++) {
		if (written ? !(*list)->write : !(*list)->read)
			continue;
		fprintf(out, "%-*s ", names, (*list)->name);
		if (written)
			fprintf(out, "%-*s ", suffixes, (*list)->suffix);
		fprintf(out, "%s\n", (*list)->text);
	}
}
