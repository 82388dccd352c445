# what events/ builds
$(eval $(call library,libevents.a,events/cpu_type.c))
