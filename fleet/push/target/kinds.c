// SPDX-License-Identifier: GPL-2.0-or-later
/* kinds.c - the list of all kinds of targets */
#include "fleet/push/target/kinds.h"

const struct push_kind *const push_kinds[] = {
	&push_clickhouse, &push_folder, &push_otlp, &push_parca, &push_pyroscope, NULL
};
