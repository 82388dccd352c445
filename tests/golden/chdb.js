// chdb.js FOLDER - npm's chdb, the current ClickHouse without a server, behind HTTP for
// opfleet.test: prints its URL. FOLDER: for the data. Only what our programs send is understood.
'use strict';
const fs = require('fs'), http = require('http'), path = require('path'), zlib = require('zlib');
const folder = process.argv[2];
const { Session } = require('chdb');
const session = new Session(path.join(folder, 'data'));

function insert(sql, bytes) {
	const [, table, columns] = /^INSERT INTO (\w+) \((.*)\) FORMAT RowBinary$/.exec(sql);
	const types = new Map(session.query('SELECT name, type FROM system.columns WHERE database = ' +
		`'oprofile' AND table = '${table}'`, 'TabSeparatedRaw').trimEnd().split('\n')
		.map((line) => line.split('\t')));
	const structure = columns.split(',').map((c) => `${c} ${types.get(c)}`).join(', ');
	const file = path.join(folder, 'rows');
	fs.writeFileSync(file, bytes);
	return `INSERT INTO ${table} (${columns}) SELECT * FROM file('${file}', 'RowBinary', ` +
		`'${structure}')`;
}

function answer(request, bytes) {
	const url = new URL(request.url, 'http://localhost');
	let sql = url.searchParams.get('query');
	if (request.headers['content-encoding'] === 'gzip')
		bytes = zlib.gunzipSync(bytes);
	session.query(`USE ${url.searchParams.get('database') || 'default'}`);
	sql = sql ? insert(sql, bytes) : bytes.toString();
	return session.query(sql, 'TabSeparated');
}

const server = http.createServer((request, response) => {
	const parts = [];
	request.on('data', (part) => parts.push(part));
	request.on('end', () => {
		try {
			response.end(answer(request, Buffer.concat(parts)));
		} catch (e) {
			response.statusCode = 500;
			response.end(String(e.message));
		}
	});
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
