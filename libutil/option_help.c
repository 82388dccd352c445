// SPDX-License-Identifier: GPL-2.0-or-later
/* option_help.c - print the help of a popt table; needs only popt's header */
#include <stdbool.h>
#include <string.h>
#include "libutil/option_help.h"

#define NAME_WIDTH	26

void option_help_print(const struct poptOption *options, FILE *out)
{
	for (; options->longName; options++) {
		bool optional = options->argInfo & POPT_ARGFLAG_OPTIONAL;
		char letter[8] = "   ", name[80];
		int len;

		if (options->shortName)
			snprintf(letter, sizeof(letter), "-%c,", options->shortName);
		len = snprintf(name, sizeof(name), "%s%s%s%s%s", options->longName,
			       optional ? "[" : "", options->argDescrip ? "=" : "",
			       options->argDescrip ? options->argDescrip : "", optional ? "]" : "");
		fprintf(out, "  %s --%s", letter, name);
		if (len > NAME_WIDTH) {
			fputc('\n', out);
			len = -(int)strlen("  -x, --");
		}
		fprintf(out, "%*s%s\n", NAME_WIDTH + 1 - len, "", options->descrip);
	}
}
