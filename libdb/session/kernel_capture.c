// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel_capture.c - make a snapshot of the running kernel's text symbols [SS-40]
 *
 * A kernel has some 100,000 symbols, and starting to profile must not wait for them. So the text of
 * kallsyms is read once, and symbols point into its lines instead of copying them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "libdb/session/kernel_symbols.h"
#include "libdb/session/text_file.h"
#include "libutil/file.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#define KALLSYMS_LIMIT	(256 * 1024 * 1024)
#define MODULES_LIMIT	(16 * 1024 * 1024)

#define IN_KERNEL	(-1)		/* kallsym.module: the kernel proper, or in no module */

struct kallsym {
	uint64_t address;
	const char *name;
	int module;			/* index, or IN_KERNEL */
	char type;
};

struct module {
	const char *name;
	uint64_t start, size;
};

struct capture {
	char *modules_text;
	struct kallsym *symbols;
	size_t nr_symbols, room_symbols;
	struct module *modules;
	size_t nr_modules, room_modules;
	int last_module;		/* symbols of one module come together */
	uint64_t text_start, text_end;	/* _stext, _etext; 0: missing */
	bool any_address;
};

/* "name size users deps state address ..." */
static const char *parse_module(void *context, char *line)
{
	struct capture *c = context;
	struct module m = { .name = text_next_word(&line) };
	const char *address;
	uint64_t end;

	if (!m.name || !text_parse_decimal(text_next_word(&line), &m.size))
		return "expected a module's name and size";
	text_next_word(&line);
	text_next_word(&line);
	text_next_word(&line);
	address = text_next_word(&line);
	if (!address || strncmp(address, "0x", 2) || !text_parse_hex(address + 2, &m.start))
		return "expected a module's address";
	if (m.size > KERNEL_MODULE_SIZE_MAX || __builtin_add_overflow(m.start, m.size, &end))
		return "module size is out of range";
	xgrow(c->modules, c->nr_modules, c->room_modules);
	c->modules[c->nr_modules++] = m;
	return NULL;
}

/* A BPF program has a part of its own; one that is loaded several times has several. */
static bool add_program(struct capture *c, struct kallsym *s)
{
	if (!kernel_bpf_name(s->name, strlen(s->name)))
		return false;
	xgrow(c->modules, c->nr_modules, c->room_modules);
	c->modules[c->nr_modules] = (struct module){ s->name, s->address, KERNEL_BPF_SIZE_MAX };
	s->module = (int)c->nr_modules++;
	return true;
}

/* Index of the module called @name, or IN_KERNEL: trampolines have no module. */
static int find_module(struct capture *c, const char *name)
{
	if (c->last_module != IN_KERNEL && !strcmp(c->modules[c->last_module].name, name))
		return c->last_module;
	for (size_t i = 0; i < c->nr_modules; i++)
		if (!strcmp(c->modules[i].name, name))
			return c->last_module = (int)i;
	return IN_KERNEL;
}

static bool is_text(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

static void note_text_range(struct capture *c, const char *name, uint64_t address)
{
	if ((!strcmp(name, "_text") || !strcmp(name, "_stext")) &&
	    (!c->text_start || address < c->text_start))
		c->text_start = address;
	if (!strcmp(name, "_etext"))
		c->text_end = address;
}

/* "address type name" and perhaps a tab and "[module]" */
static const char *parse_symbol(void *context, char *line)
{
	struct capture *c = context;
	char *rest = line, *address = text_next_word(&rest), *type = text_next_word(&rest), *tab;
	struct kallsym s = { .name = rest, .module = IN_KERNEL };

	if (!address || !text_parse_hex(address, &s.address) || !type || !type[0] || type[1] ||
	    !rest || !*rest)
		return "expected 'address type name'";
	s.type = *type;
	c->any_address |= s.address != 0;
	tab = strpbrk(rest, "\t ");
	if (tab) {
		size_t n;

		*tab++ = '\0';
		n = strlen(tab);
		if (n < 3 || tab[0] != '[' || tab[n - 1] != ']')
			return "expected '[module]' after the name";
		tab[n - 1] = '\0';
		if (strcmp(tab + 1, "bpf") || !add_program(c, &s))
			s.module = find_module(c, tab + 1);
	} else {
		note_text_range(c, s.name, s.address);
	}
	/* trampolines and the like have no part of their own: they belong to the kernel's */
	if (!is_text(s.type) || !*s.name)
		return NULL;
	xgrow(c->symbols, c->nr_symbols, c->room_symbols);
	c->symbols[c->nr_symbols++] = s;
	return NULL;
}

/* Call @parse for each line of @text. */
static int each_line(struct capture *c, char *text, size_t len, const char *name,
		     const char *(*parse)(void *, char *), struct op_error *e)
{
	struct text_lines lines = { text, text + len, name, TEXT_LAST_ACCEPTED, 0 };

	return text_each_line(&lines, parse, c, e);
}

/* @name: of the file with kallsyms, for errors. */
static int read_lists(struct capture *c, char *kallsyms, size_t kallsyms_len, const char *name,
		      const char *modules, struct op_error *e)
{
	size_t len = 0;
	int err;

	err = file_read_all(modules, MODULES_LIMIT, &c->modules_text, &len);
	if (err && err != -ENOENT)	/* a kernel without modules has no such file */
		return op_error_set(e, err, "cannot read '%s': %s", modules, strerror(-err));
	if (!err)
		err = each_line(c, c->modules_text, len, modules, parse_module, e);
	else
		err = 0;
	if (err)
		return err;
	return each_line(c, kallsyms, kallsyms_len, name, parse_symbol, e);
}

/* Whether the symbol lies in the module it names: a module's init text is freed by now. */
static bool is_in_its_part(const struct capture *c, const struct kallsym *s)
{
	const struct module *m;

	if (s->module == IN_KERNEL)
		return true;
	m = &c->modules[s->module];
	return s->address >= m->start && s->address - m->start < m->size;
}

/* The kernel first, then each module, by address; equal addresses keep the order of the file. */
static int compare_symbols(const void *a, const void *b)
{
	const struct kallsym *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

static void add_hex(struct strbuf *out, uint64_t value)
{
	char digits[16];
	int n = sizeof(digits);

	do {
		digits[--n] = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value);
	strbuf_add_bytes(out, digits + n, sizeof(digits) - (size_t)n);
}

static void add_part_line(struct strbuf *out, const struct capture *c, int module)
{
	const struct module *m;

	if (module == IN_KERNEL) {
		strbuf_addf(out, "# kernel %llx %llx\n", (unsigned long long)c->text_start,
			    (unsigned long long)c->text_end);
		return;
	}
	m = &c->modules[module];
	strbuf_addf(out, "# module %.*s %llx %llx\n", KERNEL_BPF_NAME_MAX - 1, m->name,
		    (unsigned long long)m->start, (unsigned long long)m->size);
}

static void add_symbol(struct strbuf *out, const struct capture *c, const struct kallsym *s)
{
	add_hex(out, s->module == IN_KERNEL ? s->address :
					      s->address - c->modules[s->module].start);
	strbuf_add_char(out, ' ');
	strbuf_add_char(out, s->type);
	strbuf_add_char(out, ' ');
	strbuf_add(out, s->name);
	strbuf_add_char(out, '\n');
}

/* For kernels without _stext and _etext: from the first to the last symbol. */
static void guess_text_range(struct capture *c)
{
	for (size_t i = 0; i < c->nr_symbols; i++) {
		const struct kallsym *s = &c->symbols[i];

		if (s->module != IN_KERNEL)
			break;
		if (!c->text_start)
			c->text_start = s->address;
		if (s->address >= c->text_end)
			c->text_end = s->address + 1;
	}
}

static void format_snapshot(struct capture *c, struct strbuf *out)
{
	size_t i = 0;

	if (c->nr_symbols)
		qsort(c->symbols, c->nr_symbols, sizeof(*c->symbols), compare_symbols);
	if (!c->text_start || c->text_end <= c->text_start) {
		c->text_start = c->text_end = 0;
		guess_text_range(c);
	}
	for (int module = IN_KERNEL; module < (int)c->nr_modules; module++) {
		add_part_line(out, c, module);
		for (; i < c->nr_symbols && c->symbols[i].module == module; i++)
			if (is_in_its_part(c, &c->symbols[i]))
				add_symbol(out, c, &c->symbols[i]);
	}
}

int kernel_symbols_read_kallsyms(const char *kallsyms, char **ret, size_t *ret_len,
				 struct op_error *e)
{
	int err = file_read_all(kallsyms, KALLSYMS_LIMIT, ret, ret_len);

	return err ? op_error_set(e, err, "cannot read '%s': %s", kallsyms, strerror(-err)) : 0;
}

int kernel_symbols_make(char *text, size_t len, const char *name, const char *modules,
			char **ret_text, size_t *ret_len, struct op_error *e)
{
	struct capture c = { .last_module = IN_KERNEL };
	struct strbuf out = STRBUF_INIT;
	int err = read_lists(&c, text, len, name, modules, e);

	if (!err && !c.any_address)
		err = op_error_set(e, -EACCES, "'%s' hides the kernel's addresses; run as root "
				   "and set kernel.kptr_restrict to 1", name);
	if (!err) {
		format_snapshot(&c, &out);
		*ret_len = out.len;
		*ret_text = strbuf_steal(&out);
	}
	free(c.modules_text);
	free(c.symbols);
	free(c.modules);
	return err;
}

int kernel_symbols_capture(const char *kallsyms, const char *modules, char **ret_text,
			   size_t *ret_len, struct op_error *e)
{
	char *text;
	size_t len;
	int err = kernel_symbols_read_kallsyms(kallsyms, &text, &len, e);

	if (err)
		return err;
	err = kernel_symbols_make(text, len, kallsyms, modules, ret_text, ret_len, e);
	free(text);
	return err;
}
