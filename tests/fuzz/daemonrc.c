// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * daemonrc.c - fuzz the saved set-up: whatever is taken must read back as the same
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "control/opcontrol/daemonrc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_back(const struct setup *s)
{
	struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
	struct setup again;

	setup_init(&again);
	daemonrc_format(s, &first);
	if (daemonrc_parse(first.text, "again", &again, NULL))
		abort();
	daemonrc_format(&again, &second);
	if (strcmp(first.text, second.text))
		abort();
	strbuf_free(&first);
	strbuf_free(&second);
	setup_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct op_error e = { "" };
	struct setup s;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	setup_init(&s);
	if (!daemonrc_parse(text, "rc", &s, &e))
		read_back(&s);
	else if (strncmp(e.text, "rc:", 3))
		abort();	/* an error names its line */
	setup_free(&s);
	free(text);
	return 0;
}
