// Reads a CSV file with csv-parse, and does nothing with its rows: node bare-csv.mjs FILE
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';

let rows = 0;
const parser = createReadStream(process.argv[2] ?? '').pipe(parse({ bom: true }));
parser.on('data', () => {
  rows += 1;
});
parser.on('end', () => {
  process.stdout.write(`${rows}\n`);
});
