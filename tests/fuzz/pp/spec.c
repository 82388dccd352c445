/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spec.c - profile specifications, an argument per line, and matching with what they gave */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pp/select/spec.h"

#define MAX_ARGS 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct spec_image app = {"/bin/bash", "bash", NULL},
			  image = {"/ext4", "ext4", "/m/ext4.ko"};
	struct sample_name name = { .event = "CYCLES", .count = 1, .tgid = -1, .tid = 2, .cpu = 0 };
	const char *args[MAX_ARGS];
	struct profile_spec spec;
	struct op_error e;
	size_t nr = 0;
	char *text;

	if (size > 1000)	/* a glob of stars takes its time, and lines are typed */
		return 0;
	text = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = '\0';
	for (char *line = strtok(text, "\n"); line && nr < MAX_ARGS; line = strtok(NULL, "\n"))
		args[nr++] = line;
	if (!profile_spec_parse(args, nr, &spec, &e)) {
		profile_spec_matches(&spec, &name, "/a/b", &app, &image, NULL);
		profile_spec_wants_session(&spec, "current");
		profile_spec_free(&spec);
	}
	free(text);
	return 0;
}
