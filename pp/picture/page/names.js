/* names.js - names in frames: the first part of both scripts, in front of page.js and graph.js */
"use strict";

/* A name without the outer scopes that there is no room for: "Disc::area" of "geo::Disc::area". */
function leaveScopes(name, room) {
	var depth = 0, start = 0;
	for (var i = 0; i < name.length && name.length - start > room; i++) {
		if ("<([{".indexOf(name[i]) >= 0)
			depth++;
		else if (">)]}".indexOf(name[i]) >= 0)
			depth--;
		else if (!depth && name.substr(i, 2) === "::" && i + 2 < name.length)
			start = i + 2;
	}
	return name.slice(start);
}

