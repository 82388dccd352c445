# what formats/ builds; programs that read or write profiles link -lz too
$(eval $(call library,libformats.a,formats/profile.c formats/profile_sums.c formats/formats.c \
	formats/profile_file.c formats/profile_gunzip.c \
	formats/shown_frames.c formats/callgrind_costs.c formats/callgrind_write.c))
