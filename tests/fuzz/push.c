// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * push.c - fuzz what oppush reads: the first byte says as what
 *
 * A cursor, a file of options, a target, a control group, an answer of OTLP or gRPC, parts from the
 * process that makes them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fleet/push/cursor.h"
#include "fleet/push/options.h"
#include "fleet/push/place.h"
#include "fleet/push/stream.h"
#include "fleet/push/target/kinds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool condition)
{
	if (!condition)
		abort();
}

static void read_options(char *text, size_t len)
{
	struct op_error e = { "" };
	char **words;
	size_t nr;

	if (push_config_words(text, len, "f", &words, &nr, &e)) {
		expect(!strncmp(e.text, "f:", 2));
		return;
	}
	for (size_t i = 0; i < nr; i++)
		expect(*words[i]);
	push_config_free(words, nr);
}

static void read_target(const char *text)
{
	struct push_target t;
	struct op_error e = { "" };

	if (push_target_parse(text, &t, &e)) {
		expect(*e.text);
		return;
	}
	expect(*t.name && !strchr(t.name, '/') && *t.place);
	free(t.name);
	free(t.place);
}

static void read_answer(char *text, size_t len)
{
	const struct http_answer a = { .status = 200, .grpc_status = -1,
				       .body = { text, len, len + 1 } };
	struct push_answer answer = { .verdict = PUSH_SENT };

	push_otlp.look(&a, &answer);
	expect(answer.verdict == PUSH_SENT ? !*answer.text : *answer.text);
	answer = (struct push_answer){ .verdict = PUSH_SENT };
	push_parca.look(&a, &answer);
	expect(answer.verdict == PUSH_SENT ? !*answer.text : *answer.text);
}

static void read_parts(const char *bytes, size_t len)
{
	int fd = memfd_create("parts", 0);
	struct push_part part;
	struct op_error e = { "" };

	expect(fd >= 0 && write(fd, bytes, len) == (ssize_t)len && !lseek(fd, 0, SEEK_SET));
	while (push_stream_next(fd, &part, &e) > 0) {
		expect(part.size <= PUSH_PART_MAX && !strpbrk(part.name, "\r\n"));
		push_part_free(&part);
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct push_cursor cursor;
	struct push_place place;
	char *text = malloc(size + 1);

	if (!text || !size) {
		free(text);
		return 0;
	}
	size--;
	memcpy(text, data + 1, size);
	text[size] = '\0';
	switch (*data % 6) {
	case 0: (void)push_cursor_parse(text, size, "f", &cursor, NULL); break;
	case 1: read_options(text, size); break;
	case 2: read_target(text); break;
	case 3: push_place_find(text, &place); break;
	case 4: read_answer(text, size); break;
	case 5: read_parts(text, size); break;
	}
	free(text);
	return 0;
}
