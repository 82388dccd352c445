/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ibs.h - the extended feature for AMD's instruction-based sampling
 *
 * Its arguments are parsed by daemon/collect/ibs/config.h. Each derived event has sample files of
 * its own. doc/ibs.md [IB-n].
 */
#ifndef DAEMON_RECORD_IBS_H
#define DAEMON_RECORD_IBS_H

#include "daemon/collect/ibs/config.h"
#include "daemon/record/ext_feature.h"

extern const struct ext_feature ibs_feature;

/* Its configuration, for collectors; NULL: @x is NULL or another feature. */
const struct ibs_config *ibs_config_of(const struct ext *x);

#endif
