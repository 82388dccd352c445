/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compat.h - what differs between kernels 5.10 and newest, under one name each
 *
 * Included before every file of the module (Kbuild). HAVE_* comes from Kbuild, which looks into
 * the headers being built against: distributions port features back, so version numbers lie.
 * Nothing outside this folder asks for a version or a feature.
 */
#ifndef OP_COMPAT_H
#define OP_COMPAT_H

#include "clock.h"
#include "cpuid.h"
#include "fs.h"
#include "hrtimer.h"
#include "irq_work.h"
#include "mm.h"
#include "module.h"
#include "regs.h"
#include "tracepoint.h"

#endif
