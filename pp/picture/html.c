/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html.c - insert a picture's data into the page of pp/picture/page/
 *
 * "%%NAME%%" in pp/picture/page/page.html stands for a part. Names from binaries appear only in
 * the data, and the title is escaped [PI-10].
 */
#include "pp/picture/html.h"

#include <sha2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/message.h"
#include "pp/picture/parts.h"
#include "pp/report/format/xml_text.h"

static void put_base64(const uint8_t *bytes, size_t nr, FILE *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < nr; i += 3) {
		uint32_t bits = (uint32_t)bytes[i] << 16;

		bits |= i + 1 < nr ? (uint32_t)bytes[i + 1] << 8 : 0;
		bits |= i + 2 < nr ? bytes[i + 2] : 0;
		for (size_t k = 0; k < 4; k++)
			putc(i + k > nr ? '=' : digits[bits >> (18 - 6 * k) & 63], out);
	}
}

/* 'sha256-...', by which a policy names the text that is allowed. */
static void put_hash(const char *text, FILE *out)
{
	uint8_t digest[SHA256_DIGEST_LENGTH];
	SHA2_CTX sum;

	SHA256Init(&sum);
	SHA256Update(&sum, (const uint8_t *)text, strlen(text));
	SHA256Final(digest, &sum);
	fputs("'sha256-", out);
	put_base64(digest, sizeof(digest), out);
	putc('\'', out);
}

static void put_policy(FILE *out)
{
	fputs("default-src 'none'; base-uri 'none'; form-action 'none'; style-src ", out);
	put_hash(picture_page_css, out);
	fputs("; script-src ", out);
	put_hash(picture_page_js, out);
}

static void put_data(const struct picture_report *report, FILE *out)
{
	char *text = NULL;
	size_t len = 0;
	FILE *json = open_memstream(&text, &len);

	if (!json)
		bug("cannot open a memory stream");
	picture_json(report, json);
	if (fclose(json))
		bug("out of memory for the page");
	picture_json_in_page(text, out);
	free(text);
}

static void put_part(const char *name, size_t len, const struct picture_report *report, FILE *out)
{
	if (!strncmp(name, "POLICY", len))
		put_policy(out);
	else if (!strncmp(name, "STYLE", len))
		fputs(picture_page_css, out);
	else if (!strncmp(name, "SCRIPT", len))
		fputs(picture_page_js, out);
	else if (!strncmp(name, "TITLE", len))
		xml_content(out, report->title);
	else if (!strncmp(name, "DATA", len))
		put_data(report, out);
}

void picture_html(const struct picture_report *report, FILE *out)
{
	const char *at = picture_page_html, *mark;

	while ((mark = strstr(at, "%%"))) {
		const char *name = mark + 2, *end = strstr(name, "%%");

		if (!end)
			break;
		fwrite(at, 1, (size_t)(mark - at), out);
		put_part(name, (size_t)(end - name), report, out);
		at = end + 2;
	}
	fputs(at, out);
}
