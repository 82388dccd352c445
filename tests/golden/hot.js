// hot.js - burns CPU time in two functions, three quarters of it and more in the first
// usage: node hot.js MILLISECONDS
function hotAlpha(n) {
	let s = 0;
	for (let i = 0; i < n; i++)
		s = (s * 31 + i) % 1000003;
	return s;
}
function coolBeta(n) {
	let s = 1;
	for (let i = 1; i < n; i++)
		s = (s * 17 + i) % 1000033;
	return s;
}
let x = 0;
while (process.cpuUsage().user < Number(process.argv[2]) * 1000) {
	x += hotAlpha(400000);
	x += coolBeta(100000);
}
