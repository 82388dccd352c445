// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel_symbols.c - read the snapshot of the kernel's symbols [SS-40] */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "libdb/session/kernel_symbols.h"
#include "libdb/session/kernel_text.h"
#include "libdb/session/text_file.h"
#include "libutil/xalloc.h"

size_t kernel_bpf_name(const char *symbol, size_t len)
{
	static const char prefix[] = "bpf_prog_";
	size_t n = strlen(prefix);

	if (len < n + 16 || memcmp(symbol, prefix, n))
		return 0;
	for (size_t i = n; i < len; i++)
		if (i < n + 16 ? !isxdigit((unsigned char)symbol[i]) :
				 !isalnum((unsigned char)symbol[i]) && !strchr("_-.", symbol[i]))
			return 0;
	return len < KERNEL_BPF_NAME_MAX ? len : KERNEL_BPF_NAME_MAX - 1;
}

struct parse {
	struct kernel_symbols *out;
	size_t room_parts;
	struct kernel_symbol *next;	/* where the next symbol goes */
};

/* "# kernel START END" or "# module NAME START SIZE", without the "# " */
static const char *parse_part(struct parse *p, char *line)
{
	const char *kind = text_next_word(&line), *start, *end;
	struct kernel_part part = { .name = "" };
	struct kernel_symbols *out = p->out;

	if (!kind || (strcmp(kind, "kernel") && strcmp(kind, "module")))
		return "expected '# kernel' or '# module'";
	if (*kind == 'm')
		part.name = text_next_word(&line);
	if (*kind == 'k' && out->nr_parts)
		return "'# kernel' is not the first part";
	start = text_next_word(&line);
	end = text_next_word(&line);
	if (!part.name || !start || !end || line || !text_parse_hex(start, &part.start) ||
	    !text_parse_hex(end, &part.end))
		return "expected a name and two hex numbers";
	if (*kind == 'm') {
		if (part.end > KERNEL_MODULE_SIZE_MAX ||
		    __builtin_add_overflow(part.start, part.end, &part.end))
			return "module size is out of range";
	} else if (part.end < part.start) {
		return "the kernel's end is below its start";
	}
	part.symbols = p->next;
	xgrow(out->parts, out->nr_parts, p->room_parts);
	out->parts[out->nr_parts++] = part;
	return NULL;
}

/* "ADDRESS TYPE NAME" */
static const char *parse_symbol(struct parse *p, char *line)
{
	const char *address = text_next_word(&line), *type = text_next_word(&line);
	struct kernel_part *part;

	if (!p->out->nr_parts)
		return "symbol before the first '# kernel' or '# module'";
	part = &p->out->parts[p->out->nr_parts - 1];
	if (!address || !text_parse_hex(address, &p->next->address) || !type ||
	    strlen(type) != 1 || !strchr("tTwW", *type))
		return "expected 'address type name' with type t, T, w or W";
	if (!line || !*line || strchr(line, ' '))
		return "expected one name after the type";
	if (*part->name && p->next->address >= part->end - part->start)
		return "symbol address is past the end of its module";
	p->next->type = *type;
	p->next->name = line;
	p->next++;
	part->nr_symbols++;
	return NULL;
}

static int compare_addresses(const void *a, const void *b)
{
	const struct kernel_symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

static void sort_part(struct kernel_part *part)
{
	for (size_t i = 1; i < part->nr_symbols; i++) {
		if (part->symbols[i].address >= part->symbols[i - 1].address)
			continue;
		qsort(part->symbols, part->nr_symbols, sizeof(*part->symbols), compare_addresses);
		return;
	}
}

static const char *parse_line(void *context, char *line)
{
	return line[0] == '#' && line[1] == ' ' ? parse_part(context, line + 2) :
						   parse_symbol(context, line);
}

/* The names point into @text, malloc'd and NUL terminated, which is *ret's then; else freed. */
static int parse(char *text, size_t len, const char *name, struct kernel_symbols *ret,
		 struct op_error *e)
{
	struct text_lines lines = { .name = name, .p = text, .end = text + len };
	struct kernel_symbols out = { .text = text };
	struct parse p = { .out = &out };
	size_t nr_lines = 1;
	int err;

	for (const char *q = text; (q = memchr(q, '\n', (size_t)(text + len - q))); q++)
		nr_lines++;
	out.symbols = malloc(nr_lines * sizeof(*out.symbols));
	if (!out.symbols) {
		kernel_symbols_free(&out);
		return op_error_set(e, -ENOMEM, "cannot read '%s': no memory for %zu symbols", name,
				    nr_lines);
	}
	p.next = out.symbols;
	err = text_each_line(&lines, parse_line, &p, e);
	if (err) {
		kernel_symbols_free(&out);
		return err;
	}
	for (size_t i = 0; i < out.nr_parts; i++)
		sort_part(&out.parts[i]);
	*ret = out;
	return 0;
}

int kernel_symbols_parse(const char *text, size_t len, const char *name,
			 struct kernel_symbols *ret, struct op_error *e)
{
	char *copy = xmalloc(len + 1);

	memcpy(copy, text, len);
	copy[len] = '\0';
	return parse(copy, len, name, ret, e);
}

int kernel_symbols_read(const char *snapshot, struct kernel_symbols *ret, struct op_error *e)
{
	char *text;
	size_t len;
	int err = kernel_text_read(snapshot, &text, &len, e);

	return err ? err : parse(text, len, snapshot, ret, e);
}

void kernel_symbols_free(struct kernel_symbols *s)
{
	free(s->parts);
	free(s->symbols);
	free(s->text);
	*s = (struct kernel_symbols){ .nr_parts = 0 };
}

const struct kernel_part *kernel_symbols_part(const struct kernel_symbols *s, const char *name)
{
	for (size_t i = s->nr_parts; i-- > 0;)
		if (!strcmp(s->parts[i].name, name))
			return &s->parts[i];
	return NULL;
}
