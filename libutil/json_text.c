/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_text.c - write JSON; bytes that are not UTF-8 become U+FFFD */
#include "libutil/json_text.h"

#include <inttypes.h>
#include <math.h>

#include "libutil/utf8.h"

static void put_string(FILE *out, const char *value)
{
	putc('"', out);
	while (*value) {
		size_t n = utf8_length(value);
		unsigned char c = *value;

		if (n > 1)
			fwrite(value, 1, n, out);
		else if (!n)
			fputs("\\ufffd", out);
		else if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < ' ' || c == 0x7f)
			fprintf(out, "\\u%04x", c);
		else
			putc(c, out);
		value += n ? n : 1;
	}
	putc('"', out);
}

static void start(struct json *j, const char *name)
{
	if (j->has_member)
		putc(',', j->out);
	j->has_member = true;
	if (name) {
		put_string(j->out, name);
		putc(':', j->out);
	}
}

void json_line(struct json *j)
{
	if (j->has_member)
		putc(',', j->out);
	j->has_member = false;
	fprintf(j->out, "\n%*s", j->depth, "");
}

void json_open(struct json *j, const char *name, char bracket)
{
	start(j, name);
	putc(bracket, j->out);
	j->has_member = false;
	j->depth++;
}

void json_close(struct json *j, char bracket)
{
	putc(bracket, j->out);
	j->has_member = true;
	j->depth--;
}

void json_text(struct json *j, const char *name, const char *value)
{
	start(j, name);
	if (value)
		put_string(j->out, value);
	else
		fputs("null", j->out);
}

void json_number(struct json *j, const char *name, uint64_t value)
{
	start(j, name);
	fprintf(j->out, "%" PRIu64, value);
}

void json_signed(struct json *j, const char *name, int64_t value, int64_t null)
{
	start(j, name);
	if (value == null)
		fputs("null", j->out);
	else
		fprintf(j->out, "%" PRId64, value);
}

void json_real(struct json *j, const char *name, double value)
{
	start(j, name);
	if (isfinite(value))
		fprintf(j->out, "%.10g", value);
	else
		fputs("null", j->out);
}

void json_bool(struct json *j, const char *name, bool value)
{
	start(j, name);
	fputs(value ? "true" : "false", j->out);
}

void json_address(struct json *j, const char *name, uint64_t value)
{
	start(j, name);
	fprintf(j->out, "\"0x%" PRIx64 "\"", value);
}

void json_numbers(struct json *j, const char *name, const uint64_t *values, size_t nr)
{
	json_open(j, name, '[');
	for (size_t i = 0; i < nr; i++)
		json_number(j, NULL, values[i]);
	json_close(j, ']');
}
