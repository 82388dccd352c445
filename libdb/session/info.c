// SPDX-License-Identifier: GPL-2.0-or-later
/* info.c - stats/session: who profiled what, when and how [SS-10] */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include "libdb/session/session.h"
#include "libdb/session/text_file.h"
#include "libutil/build_id.h"
#include "libutil/file.h"

#define INFO_LIMIT	(64 * 1024)

/* One row per key, in the order written. @size 0: a number. */
static const struct field {
	const char *key;
	size_t offset, size;
} fields[] = {
#define TEXT(name)   { #name, offsetof(struct session_info, name), \
		       sizeof(((struct session_info *)0)->name) }
#define NUMBER(name) { #name, offsetof(struct session_info, name), 0 }
	TEXT(collector), TEXT(model), TEXT(cpu_type), NUMBER(clock_khz), NUMBER(period_ns),
	TEXT(events), NUMBER(start_time), NUMBER(end_time), TEXT(host), TEXT(kernel),
	TEXT(machine), TEXT(kernel_build_id), TEXT(kernel_symbols), TEXT(vmlinux), TEXT(separate),
	TEXT(call_arcs), TEXT(profiled),
#undef TEXT
#undef NUMBER
};
#define NR_FIELDS (sizeof(fields) / sizeof(fields[0]))

int session_info_write(const char *stats_dir, const struct session_info *info)
{
	struct strbuf out = STRBUF_INIT;
	char *path;
	int err;

	for (const struct field *f = fields; f < fields + NR_FIELDS; f++) {
		const char *at = (const char *)info + f->offset;

		if (f->size && !*at)
			continue;
		strbuf_addf(&out, "%s ", f->key);
		if (f->size)
			text_add_escaped(&out, at, false);
		else
			strbuf_addf(&out, "%" PRIu64, *(const uint64_t *)(const void *)at);
		strbuf_add_char(&out, '\n');
	}
	path = path_join(stats_dir, SESSION_INFO_FILE);
	err = file_write_reserved(path, out.text, out.len, 0644);
	free(path);
	strbuf_free(&out);
	return err;
}

static void copy_text(char *to, size_t size, const char *from)
{
	size_t n = strlen(from);

	if (n >= size)
		n = size - 1;
	memcpy(to, from, n);
	to[n] = '\0';
}

void session_info_set_machine(struct session_info *info)
{
	char *notes, text[BUILD_ID_TEXT];
	struct build_id id = { .len = 0 };
	struct utsname u;
	size_t size;

	if (!uname(&u)) {
		copy_text(info->host, sizeof(info->host), u.nodename);
		copy_text(info->kernel, sizeof(info->kernel), u.release);
		copy_text(info->machine, sizeof(info->machine), u.machine);
	}
	info->kernel_build_id[0] = '\0';
	if (file_read_all("/sys/kernel/notes", 1 << 20, &notes, &size))
		return;
	if (!build_id_read_notes(notes, size, &id))
		copy_text(info->kernel_build_id, sizeof(info->kernel_build_id),
			  build_id_text(&id, text));
	free(notes);
}

static const struct field *find_field(const char *key)
{
	for (const struct field *f = fields; f < fields + NR_FIELDS; f++)
		if (!strcmp(f->key, key))
			return f;
	return NULL;
}

/* NULL, or what is wrong with @value. */
static const char *set_field(struct session_info *info, const struct field *f, char *value)
{
	char *at = (char *)info + f->offset;

	if (!f->size)
		return text_parse_decimal(value, (uint64_t *)(void *)at)
			? NULL : "expected a decimal number";
	if (!text_unescape(value))
		return "invalid escape";
	if (strlen(value) >= f->size)
		return "value is too long";
	strcpy(at, value);
	return NULL;
}

struct parsed {
	struct session_info info;
	unsigned int seen;	/* bits: fields that have a line */
};

static const char *parse_line(void *context, char *line)
{
	struct parsed *p = context;
	const struct field *f;
	char *value = strchr(line, ' ');
	unsigned int bit;

	if (!value || value == line)
		return "expected 'KEY VALUE'";
	*value++ = '\0';
	f = find_field(line);
	if (!f)
		return NULL;	/* of a later version [SS-10] */
	bit = 1u << (f - fields);
	if (p->seen & bit)
		return "duplicate key";
	p->seen |= bit;
	return set_field(&p->info, f, value);
}

int session_info_parse(char *text, size_t len, const char *name, struct session_info *ret,
		       struct op_error *e)
{
	struct text_lines lines = { text, text + len, name, TEXT_LAST_REFUSED, 0 };
	struct parsed p = { .seen = 0 };
	int err = text_each_line(&lines, parse_line, &p, e);

	if (!err)
		*ret = p.info;
	return err;
}

int session_info_read_e(const char *stats_dir, struct session_info *ret, struct op_error *e)
{
	char *path = path_join(stats_dir, SESSION_INFO_FILE), *text;
	size_t len;
	int err = file_read_all(path, INFO_LIMIT, &text, &len);

	if (err) {
		op_error_set(e, err, "cannot read '%s': %s", path, strerror(-err));
	} else {
		err = session_info_parse(text, len, path, ret, e);
		free(text);
	}
	free(path);
	return err;
}

int session_info_read(const char *stats_dir, struct session_info *ret)
{
	return session_info_read_e(stats_dir, ret, NULL);
}
