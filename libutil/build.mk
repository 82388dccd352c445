# what libutil/ builds
$(eval $(call library,libutil.a,$(call sources,libutil libutil/opener libutil/opener/objects libutil/sandbox runtime),,-lzstd))
