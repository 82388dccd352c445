# what formats/ builds: each format is a folder; programs that read or write profiles link these too
$(eval $(call library,libformats.a,$(call sources,formats formats/*),libutil.a,-lz -lzstd -ljansson -lm))
