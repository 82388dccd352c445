# what libdb/ builds
