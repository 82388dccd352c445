/*
 * graph.js - search and zoom in the SVG flame graph
 *
 * The graph is complete without it. Names are read from the frames' titles and become only text.
 */
(function () {

var SVG = "http://www.w3.org/2000/svg", HTML = "http://www.w3.org/1999/xhtml";
var LEFT = 10, DRAWN = 1180, CHAR = 6.7;	/* DRAWN: width of the outermost frame as written */
var NARROW = 700, SEARCH_HEIGHT = 34;
var group = document.getElementById("frames");
var svg = group.ownerSVGElement, isAlone = svg === document.documentElement;
var details = document.getElementById("details");
var title = document.getElementById("what"), whole = svg.querySelector("title").textContent;
var notes = document.getElementById("notes"), notesText = notes.textContent;
var height = svg.viewBox.baseVal.height, detailsAt = Number(details.getAttribute("y"));
var frames = Array.prototype.map.call(group.querySelectorAll(".f"), function (g) {
	var rect = g.querySelector("rect"), lines = g.querySelector("title").textContent.split("\n");
	return {
		g: g, rect: rect, text: g.querySelector("text"), name: lines[0], description: lines.join("   "),
		brief: g.getAttribute("data-brief") || lines[0],
		x: Number(rect.getAttribute("x")), y: Number(rect.getAttribute("y")),
		width: Number(rect.getAttribute("width"))
	};
});
var zoomed = frames[0], focused = frames[0], width = DRAWN + 2 * LEFT;

/* As much of a frame's name as fits. */
function label(text, width) {
	var room = Math.floor((width - 6) / CHAR), chars = Array.from(text);
	if (chars.length <= room)
		return text;
	chars = Array.from(leaveScopes(text, room));
	if (chars.length <= room)
		return chars.join("");
	return room < 3 ? "" : chars.slice(0, room - 1).join("") + "…";
}

/* The same for characters that differ in width. */
function cutTo(e, text, room) {
	var chars = Array.from(text), nr = chars.length;
	e.textContent = text;
	while (nr > 0 && e.getComputedTextLength() > room) {
		nr = Math.min(nr - 1, Math.floor(nr * room / e.getComputedTextLength()));
		e.textContent = chars.slice(0, nr).join("") + "…";
	}
}

function place(frame, x, width) {
	frame.rect.setAttribute("x", x.toFixed(2));
	frame.rect.setAttribute("width", Math.max(width, 0.1).toFixed(2));
	frame.text.setAttribute("x", (x + 3).toFixed(2));
	frame.text.textContent = label(frame.brief, width);
}

function isWithin(frame, outer) {
	return frame.x >= outer.x - 0.01 && frame.x + frame.width <= outer.x + outer.width + 0.6;
}

function zoom(to) {
	var room = width - 2 * LEFT, scale = room / to.width;
	zoomed = to;
	frames.forEach(function (f) {
		var above = f.y > to.y && isWithin(to, f);
		var away = !above && (f.y > to.y || !isWithin(f, to));
		f.g.classList.toggle("away", away);
		f.g.classList.toggle("above", above && f !== to);
		if (above || f === to)
			place(f, LEFT, room);
		else if (!away)
			place(f, LEFT + (f.x - to.x) * scale, f.width * scale);
	});
	reset.style.visibility = to === frames[0] ? "hidden" : "visible";
}

/* Frames as wide as the container allows; text keeps its size. */
function fit() {
	var now = Math.max(Math.round(svg.getBoundingClientRect().width), 240), more, total;
	if (now === width)
		return;
	width = now;
	more = width < NARROW ? SEARCH_HEIGHT : 0;
	total = Math.max(height + more, isAlone ? window.innerHeight : 0);
	svg.setAttribute("viewBox", "0 0 " + width + " " + total);
	svg.style.height = total + "px";
	group.setAttribute("transform", "translate(0 " + more + ")");
	details.setAttribute("y", detailsAt + more);
	cutTo(title, whole, more ? width - 2 * LEFT : width - 370);
	cutTo(notes, notesText, width - 2 * LEFT);
	input.parentNode.setAttribute("x", more ? LEFT : width - 232);
	input.parentNode.setAttribute("y", more ? 58 : 10);
	reset.parentNode.setAttribute("x", more ? 250 : width - 334);
	reset.parentNode.setAttribute("y", more ? 58 : 10);
	zoom(zoomed);
}

function describe(frame) {
	cutTo(details, frame ? frame.description : "", width - 2 * LEFT);
}

function search(text) {
	text = text.trim().toLowerCase();
	svg.classList.toggle("searched", text !== "");
	frames.forEach(function (f) {
		f.g.classList.toggle("hit", text !== "" && f.description.toLowerCase().indexOf(text) >= 0);
	});
}

function focus(frame) {
	focused.g.setAttribute("tabindex", "-1");
	focused = frame;
	frame.g.setAttribute("tabindex", "0");
	frame.g.focus();
}

/* The nearest visible frame in the direction of the key. */
function next(key) {
	var seen = frames.filter(function (f) { return !f.g.classList.contains("away"); });
	if (key === "ArrowUp")
		return seen.find(function (f) { return f.y < focused.y && f.y >= focused.y - 19 && isWithin(f, focused); });
	if (key === "ArrowDown")
		return seen.find(function (f) { return f.y > focused.y && f.y <= focused.y + 19 && isWithin(focused, f); });
	seen = seen.filter(function (f) { return f.y === focused.y; });
	return seen[seen.indexOf(focused) + (key === "ArrowRight" ? 1 : -1)];
}

function html(tag, x, y, width) {
	var box = document.createElementNS(SVG, "foreignObject"), e = document.createElementNS(HTML, tag);
	box.setAttribute("x", x);
	box.setAttribute("y", y);
	box.setAttribute("width", width);
	box.setAttribute("height", 28);
	box.appendChild(e);
	svg.appendChild(box);
	return e;
}

var input = html("input", 968, 10, 230), reset = html("button", 866, 10, 95);
input.setAttribute("type", "search");
input.setAttribute("placeholder", "Search");
input.setAttribute("aria-label", "Search functions and images");
input.style.width = "222px";
input.addEventListener("input", function () { search(input.value); });
reset.setAttribute("type", "button");
reset.textContent = "Reset zoom";
reset.style.visibility = "hidden";
reset.addEventListener("click", function () { zoom(frames[0]); });

group.setAttribute("role", "tree");
group.setAttribute("aria-label", "Flame graph");
frames.forEach(function (f) {
	f.g.setAttribute("role", "treeitem");
	f.g.setAttribute("tabindex", f === focused ? "0" : "-1");
	f.g.setAttribute("aria-label", f.description);
	f.g.addEventListener("click", function () { zoom(f); });
	f.g.addEventListener("mouseenter", function () { describe(f); });
	f.g.addEventListener("mouseleave", function () { describe(null); });
	f.g.addEventListener("focus", function () { describe(f); });
	f.g.addEventListener("keydown", function (e) {
		var to;
		if (e.key === "Enter" || e.key === " ")
			zoom(f);
		else if (e.key === "Escape")
			zoom(frames[0]);
		else if (e.key.indexOf("Arrow") === 0)
			to = next(e.key);
		else
			return;
		e.preventDefault();
		if (to)
			focus(to);
	});
});
document.addEventListener("keydown", function (e) {
	if (e.key === "/" && e.target !== input) {
		e.preventDefault();
		input.focus();
	}
});

/* The name of the frame that has the focus, whole. */
document.addEventListener("copy", function (e) {
	var frame = frames.find(function (f) { return f.g === document.activeElement; });
	if (frame && document.getSelection().isCollapsed) {
		e.clipboardData.setData("text/plain", frame.name);
		e.preventDefault();
	}
});

fit();
new ResizeObserver(fit).observe(svg);
if (isAlone)	/* begin at the outermost frame */
	window.scrollTo(0, height);

})();
