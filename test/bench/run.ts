/**
 * How fast fiatrail is, each figure as a ratio to something simple that runs beside it on the same machine.
 * `npm run bench` takes some minutes; `npm run bench -- --quick` tries it out. Exits 1 when a target is missed.
 */
import { join } from 'node:path';
import { measureCommands, seedEmbedded } from './commands.ts';
import { timeMs } from './measure.ts';
import { measureOrderBook } from './order-book.ts';
import { measurePages } from './pages.ts';
import { isMissed, loadText, machineText, type Row, tableText } from './report.ts';
import { type Load, measureThroughput } from './throughput.ts';
import { openWorkshop, type Workshop } from './workshop.ts';

interface Size extends Load {
  readonly runs: number;
  readonly users: number;
}

const FULL: Size = { runs: 41, rounds: 5, seconds: 3, onboardings: 100_000, users: 100_000 };
const QUICK: Size = { runs: 5, rounds: 2, seconds: 1, onboardings: 5_000, users: 5_000 };

const say = (text: string) => process.stderr.write(`${text}\n`);

async function measure(shop: Workshop, size: Size): Promise<Row[]> {
  timeMs(seedEmbedded(shop));
  timeMs(shop.fiatrail('served', ['sandbox', 'seed', '--users', '250']));
  const serve = ['sandbox', 'serve', '--port', '0', '--rate-limits', 'off', '-o', 'json'];
  const sandbox = await shop.serve(shop.fiatrail('served', serve));
  say(`commands, ${size.runs} runs each`);
  const commands = await measureCommands(shop, sandbox, size.runs);
  say(`requests a second, then memory after ${size.onboardings} onboardings`);
  const hello = await shop.serve(shop.node([join(import.meta.dirname, 'hono-hello.ts')]));
  const throughput = await measureThroughput({ sandbox, hello }, size);
  await Promise.all([shop.stop(sandbox), shop.stop(hello)]);
  say(`pages of ${size.users} users`);
  const pages = await measurePages(shop, size.users, size.runs);
  say('quotes and market orders');
  return [...commands, ...throughput, ...pages, ...(await measureOrderBook(shop, size))];
}

const quick = process.argv.includes('--quick');
say(machineText());
const rows = await measure(openWorkshop(), quick ? QUICK : FULL);
process.stdout.write(tableText(rows));
say(`${quick ? 'quick: few runs, small sizes; ' : ''}at the end ${loadText()}`);
if (rows.some(isMissed)) process.exitCode = 1;
