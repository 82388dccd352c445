# what live/ builds
$(eval $(call library,liblive.a,live/serve.c live/http.c live/peer.c,libexchange.a libpicture.a))
$(eval $(call library,libtop.a,$(call sources,live/top),libannotate.a,-lncursesw))
$(eval $(call program,opserve,live/opserve.c,liblive.a))
$(eval $(call program,optop,live/optop.c,libtop.a))
