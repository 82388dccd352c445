/* SPDX-License-Identifier: GPL-2.0-or-later */
/* findings.h - what opdoctor found out, in the order in which it is printed */
#ifndef CONTROL_OPDOCTOR_FINDINGS_H
#define CONTROL_OPDOCTOR_FINDINGS_H

#include <stddef.h>
#include <stdio.h>

enum verdict {
	VERDICT_OK,
	VERDICT_NOTE,		/* neither good nor bad */
	VERDICT_POOR,		/* it works, but profiles lack something */
	VERDICT_NO,		/* it does not work */
};

struct finding {
	const char *area, *name;	/* "collectors", "module": static, for programs */
	enum verdict verdict;
	char *text;			/* a clause without a full stop */
	char *advice;			/* what to do, or NULL */
};

struct findings {
	struct finding *all;
	size_t nr, room;
	const char *area;		/* of the next ones */
};

/* The following findings belong to @area, a static string. */
void findings_begin(struct findings *f, const char *area);
void finding_add(struct findings *f, enum verdict verdict, const char *name, const char *format,
		 ...) __attribute__((format(printf, 4, 5)));
/* What to do about the last one. */
void finding_advise(struct findings *f, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The formatted text is followed by "; " and what to do, as in messages. */
void finding_add_with_remedy(struct findings *f, enum verdict verdict, const char *name,
			     const char *format, ...) __attribute__((format(printf, 4, 5)));
/* NULL: there is none. */
const struct finding *finding_find(const struct findings *f, const char *area, const char *name);
void findings_free(struct findings *f);

/* Lines of at most @width columns. */
void findings_print(const struct findings *f, unsigned int width, FILE *out);
/* An array of objects: area, name, verdict, text, advice. */
void findings_print_json(const struct findings *f, FILE *out);

#endif
