/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kinds.h - what slices can be sent to */
#ifndef FLEET_PUSH_TARGET_KINDS_H
#define FLEET_PUSH_TARGET_KINDS_H

#include "fleet/push/target.h"

extern const struct push_kind push_clickhouse, push_folder, push_otlp, push_parca, push_pyroscope;

#endif
