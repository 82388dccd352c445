# what live/ builds
$(eval $(call library,liblive.a,live/serve.c live/http.c live/peer.c,libexchange.a))
$(eval $(call program,opserve,live/opserve.c,liblive.a))
