// Reads every page of the lists given as `URL#ROWS` with fetch and JSON.parse, and inserts the rows of each page in one transaction.
import { DatabaseSync } from 'node:sqlite';

const [file, ...lists] = process.argv.slice(2);
const database = new DatabaseSync(file);
database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; DROP TABLE IF EXISTS row;
  CREATE TABLE row (id TEXT PRIMARY KEY, status TEXT, created_at TEXT, json TEXT)`);
const insert = database.prepare('INSERT OR REPLACE INTO row VALUES (?, ?, ?, ?)');
const PAGE = 100;
for (const list of lists) {
  const [url, name] = list.split('#');
  for (let offset = 0; ; offset += PAGE) {
    const response = await fetch(`${url}?limit=${PAGE}&offset=${offset}`, {
      headers: { 'x-api-key': process.env['FIATRAIL_API_KEY'] },
    });
    const rows = JSON.parse(await response.text()).data[name];
    database.exec('BEGIN');
    for (const row of rows) insert.run(row.id, row.status, row.createdAt, JSON.stringify(row));
    database.exec('COMMIT');
    if (rows.length < PAGE) break;
  }
}
