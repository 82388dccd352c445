# what events/ builds
