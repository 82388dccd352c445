// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel_snapshot.c - keep the symbols of unloaded modules and BPF programs; detect another boot
 */
#include <errno.h>
#include <stdbool.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/record/kernel_snapshot.h"
#include "libdb/session/kernel_symbols.h"
#include "libdb/session/kernel_text.h"
#include "libutil/file.h"
#include "libutil/opener/ask.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#define SNAPSHOT_MAX	(64 << 20)	/* bytes, as [SS-4] has it */
#define MODULE_LINE	"\n# module "

/* The next part after @at, which begins with a line "# module NAME ...", or NULL. */
static const char *next_part(const char *at)
{
	const char *found = strstr(at, MODULE_LINE);

	return found ? found + 1 : NULL;
}

/* Of "# module NAME " with the blank, so that a name does not match the start of another one. */
static size_t title_length(const char *part)
{
	return strcspn(part + strlen(MODULE_LINE) - 1, " \n") + strlen(MODULE_LINE);
}

static bool has_part(const char *text, const char *part)
{
	size_t n = title_length(part);

	for (text = next_part(text); text; text = next_part(text))
		if (!strncmp(text, part, n))
			return true;
	return false;
}

/* Append the parts that are in @old but not in @new. */
static void add_other_parts(const char *old, const char *new, struct strbuf *all)
{
	const char *part, *next;

	for (part = next_part(old); part; part = next) {
		size_t len;

		next = next_part(part);
		len = next ? (size_t)(next - part) : strlen(part);
		if (!has_part(new, part))
			strbuf_add_bytes(all, part, len);
	}
}

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : line + strlen(line);
}

static uint64_t address_of(const char *line)
{
	return strtoull(line, NULL, 16);
}

/*
 * Append the kernel's part of @new. Merge into it, by address, lines of @old that are not in @new
 * and lie outside the kernel's own text: BPF programs that were unloaded.
 */
static void merge_kernel_part(const char *old, const char *new, struct strbuf *all)
{
	const char *o = next_line(old), *o_end = next_part(old), *n = next_line(new),
		   *n_end = next_part(new);
	uint64_t start, end;

	o_end = o_end ? o_end : old + strlen(old);
	n_end = n_end ? n_end : new + strlen(new);
	if (sscanf(new, "# kernel %" SCNx64 " %" SCNx64, &start, &end) != 2 ||
	    strncmp(old, "# kernel ", 9))
		o = o_end;
	strbuf_add_bytes(all, new, n - new);
	while (n < n_end || o < o_end) {
		bool is_own = o < o_end && address_of(o) >= start && address_of(o) < end;
		bool is_there = o < o_end && n < n_end && address_of(o) == address_of(n);
		const char **from = &n;

		if (is_own || is_there) {
			o = next_line(o);
			continue;
		}
		if (n >= n_end || (o < o_end && address_of(o) < address_of(n)))
			from = &o;
		strbuf_add_bytes(all, *from, next_line(*from) - *from);
		*from = next_line(*from);
	}
	strbuf_add(all, n_end);
}

/* Unless there would be too many. */
static void add_old_symbols(const char *old, const char *parts, char **new, size_t *len)
{
	struct strbuf all = STRBUF_INIT;

	merge_kernel_part(old, *new, &all);
	add_other_parts(parts, *new, &all);
	add_other_parts(old, *new, &all);
	if (all.len > SNAPSHOT_MAX) {
		strbuf_free(&all);
		return;
	}
	free(*new);
	*len = all.len;
	*new = strbuf_steal(&all);
}

int snapshot_update(const struct snapshot_kallsyms *kallsyms, const char *modules,
		    const char *snapshot, struct op_error *e)
{
	char *old = NULL, *new;
	size_t len, old_len;
	int err = kernel_symbols_make(kallsyms->text, kallsyms->len, kallsyms->path, modules, &new,
				      &len, e);

	if (err)
		return err;
	(void)kernel_text_read(snapshot, &old, &old_len, NULL);
	if (old || kallsyms->parts)
		add_old_symbols(old ? old : "", kallsyms->parts ? kallsyms->parts : "", &new, &len);
	err = len > SNAPSHOT_MAX ? -EFBIG : kernel_text_write(snapshot, new, len);
	free(old);
	free(new);
	return err ? op_error_set(e, err, "cannot replace '%s': %s", snapshot, strerror(-err)) : 0;
}

/* The address of _stext (or _text) in a kallsyms file, as hex digits; "" if hidden or absent. */
static void read_text_start(const char *kallsyms, char digits[20])
{
	FILE *f = opener_fopen(kallsyms);
	char line[600], name[512], type;

	digits[0] = '\0';
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%19s %c %511s", digits, &type, name) == 3 &&
		    (!strcmp(name, "_stext") || !strcmp(name, "_text")) &&
		    strspn(digits, "0") != strlen(digits))
			break;
		else
			digits[0] = '\0';
	if (f)
		fclose(f);
}

bool snapshot_is_of_another_boot(const char *kallsyms, const char *snapshot)
{
	char then[20], now[20], line[200];

	if (file_read_line(snapshot, line, sizeof(line)) ||
	    sscanf(line, "# kernel %19s ", then) != 1)
		return false;
	read_text_start(kallsyms, now);
	return now[0] && strcmp(then, now);
}
