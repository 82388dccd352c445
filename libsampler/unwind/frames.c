// SPDX-License-Identifier: GPL-2.0-or-later
/* frames.c - add a frame to those of a sample, for all unwinders */
#include "libsampler/sampling.h"

bool sampler_add_frame(struct sampler_frames *frames, uintptr_t address)
{
	struct sampler_frame *f;

	if (frames->nr == frames->room)
		return false;
	f = &frames->frames[frames->nr++];
	f->address = address;
	/* the first frame was interrupted; others are looked up by their call */
	f->is_interrupted = frames->nr == 1;
	f->module = module_at(f->is_interrupted ? address : address - 1);
	return true;
}
