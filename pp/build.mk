# what pp/ builds
