/**
 * Measures the speed of fiatrail, each figure as a ratio to something on the same machine that does the same work, or to itself with less data.
 * `npm run bench` takes half an hour; `npm run bench -- --quick` is a trial run. A flag runs some rows alone: `--commands` those of complete
 * commands, `--round-trips` their requests over HTTPS, `--server` the CPU time of a served sandbox, `--history` a long history, `--sealed` encrypted
 * responses, `--journal` the journal, `--copy` the copy of the lists, `--books` its books, `--bulk` the check of a file of many rows, `--tab`
 * Tab with many users known, `--webhooks` webhooks, `--inspect` the
 * inspector and `startSandbox`. `--shared-journal` measures a journal in PostgreSQL, and needs a server's programs. Exits with 1 if a target is
 * missed, or if a measurement fails: then it prints what was measured before it.
 */
import { join } from 'node:path';
import { inspect } from 'node:util';
import { type BooksSize, measureBooks } from './books.ts';
import { measureBulk } from './bulk.ts';
import { measureCommands, seedEmbedded } from './commands.ts';
import { measureCopy } from './copy.ts';
import { measureDelivery } from './delivery.ts';
import { type HistorySize, measureHistory } from './history.ts';
import { type InboxSize, measureInbox } from './inbox.ts';
import { type InspectorSize, measureInspector } from './inspector.ts';
import { type JournalSize, measureJournal } from './journal.ts';
import { timeMs } from './measure.ts';
import { measureOrderBook } from './order-book.ts';
import { measurePages } from './pages.ts';
import { isMissed, loadText, machineText, type Row, tableText } from './report.ts';
import { measureRoundTrips } from './round-trips.ts';
import { measureEncrypted } from './sealed.ts';
import { measureServerTime, type ServerSize } from './server-time.ts';
import { measureSharedInbox } from './shared-inbox.ts';
import { measureSharedJournal } from './shared-journal.ts';
import { measureTab } from './tab.ts';
import { type Load, measureThroughput } from './throughput.ts';
import { measureWebhooks, type WebhookSize } from './webhooks.ts';
import { openWorkshop, type Workshop } from './workshop.ts';

interface Size extends Load, HistorySize, JournalSize, WebhookSize, InboxSize, ServerSize, InspectorSize, BooksSize {
  readonly users: number;
  readonly fileRows: number;
}

const FULL: Size = {
  runs: 41,
  rounds: 5,
  seconds: 3,
  onboardings: 100_000,
  users: 100_000,
  fileRows: 100_000,
  transactions: 1_000_000,
  exports: 1,
  operations: 1_000_000,
  scenarios: 200,
  manyUsers: 200_000,
  deposits: 1_000_000,
  events: 6_000,
  encryptedEvents: 1_500,
  manyEvents: 1_000_000,
  inboxEvents: 1_000_000,
  requests: 100_000,
  workRows: 1_000_000,
  paints: 9,
  bookUsers: 1_000,
  times: 10,
  months: 5,
};
const QUICK: Size = {
  runs: 5,
  rounds: 2,
  seconds: 1,
  onboardings: 5_000,
  users: 5_000,
  fileRows: 100_000,
  transactions: 20_000,
  exports: 1,
  operations: 20_000,
  scenarios: 50,
  manyUsers: 5_000,
  deposits: 20_000,
  events: 2_000,
  encryptedEvents: 500,
  manyEvents: 100_000,
  inboxEvents: 20_000,
  requests: 100_000,
  workRows: 200_000,
  paints: 3,
  bookUsers: 200,
  times: 2,
  months: 2,
};

const say = (text: string) => process.stderr.write(`${text}\n`);

function serveSome(shop: Workshop) {
  timeMs(shop.fiatrail('served', ['sandbox', 'seed', '--users', '250']));
  const serve = shop.fiatrail('served', ['sandbox', 'serve', '--port', '0', '--rate-limits', 'off', '-o', 'json']);
  return { serve, sandbox: shop.serve(serve) };
}

/** Rows as they are measured, so that a measurement that fails takes none of those before it with it. */
type Measured = AsyncGenerator<readonly Row[]>;

async function* commands(shop: Workshop, size: Size): Measured {
  say(`commands, ${size.runs} runs each`);
  timeMs(seedEmbedded(shop));
  const sandbox = await serveSome(shop).sandbox;
  yield await measureCommands(shop, sandbox, size.runs);
  await shop.stop(sandbox);
}

async function* measure(shop: Workshop, size: Size): Measured {
  yield* commands(shop, size);
  const { serve, sandbox: starting } = serveSome(shop);
  const sandbox = await starting;
  say(`requests a second, then memory after ${size.onboardings} onboardings`);
  const file = join(serve.env['FIATRAIL_STATE_DIR'] ?? '', 'sandbox.db');
  const users = await shop.serve(shop.node([join(import.meta.dirname, 'bare-users.ts'), file]));
  yield await measureThroughput({ sandbox, users }, size);
  await Promise.all([sandbox, users].map((each) => shop.stop(each)));
  say(`pages of ${size.users} users`);
  yield await measurePages(shop, size.users, size.runs);
  say('quotes and market orders');
  yield await measureOrderBook(shop, size);
  for (const group of Object.values(GROUPS)) yield* group(shop, size);
}

async function* sealed(shop: Workshop, size: Size): Measured {
  say('encrypted answers');
  yield await measureEncrypted(shop, size);
}

async function* history(shop: Workshop, size: Size): Measured {
  say(`pages and export of ${size.transactions} transactions`);
  yield await measureHistory(shop, size);
}

async function* tab(shop: Workshop, size: Size): Measured {
  say(`Tab with ${size.users} users known`);
  yield await measureTab(shop, size.users, size.runs);
}

async function* journal(shop: Workshop, size: Size): Measured {
  say(`a journal of ${size.operations} operations`);
  yield await measureJournal(shop, size);
}

async function* copy(shop: Workshop, size: Size): Measured {
  say(`a local copy of ${size.transactions} transactions`);
  yield await measureCopy(shop, size);
}

async function* books(shop: Workshop, size: Size): Measured {
  say(`books of ${size.months} months with ${size.bookUsers * size.times} users`);
  yield await measureBooks(shop, size);
}

async function* sharedJournal(shop: Workshop, size: Size): Measured {
  say('a journal in PostgreSQL');
  yield await measureSharedJournal(shop, size);
}

async function* roundTrips(shop: Workshop, size: Size): Measured {
  say('requests over HTTPS');
  yield await measureRoundTrips(shop, size.rounds);
}

async function* serverTime(shop: Workshop, size: Size): Measured {
  say(`CPU time of a server with ${size.deposits} transactions`);
  yield await measureServerTime(shop, size);
}

async function* bulk(shop: Workshop, size: Size): Measured {
  say(`a file of ${size.fileRows} rows`);
  yield await measureBulk(shop, size.fileRows, size.rounds);
}

async function* webhooks(shop: Workshop, size: Size): Measured {
  // More and shorter rounds, because these rows keep two servers and a sender busy and so depend on what else the machine does.
  const load = { ...size, rounds: size.rounds * 3, seconds: size.seconds / 2 };
  say(`webhooks received, then memory over ${size.manyEvents} events`);
  yield* measureWebhooks(shop, load);
  say('webhooks received by two hosts');
  yield await measureSharedInbox(shop, load);
  say('onboardings whose events are delivered');
  yield await measureDelivery(shop, load);
  say(`an inbox of ${size.inboxEvents} events`);
  yield await measureInbox(shop, size);
}

async function* inspector(shop: Workshop, size: Size): Measured {
  say(`the inspector with ${size.requests} requests`);
  yield await measureInspector(shop, size);
}

/** The groups that a flag runs alone. */
const GROUPS = {
  '--sealed': sealed,
  '--history': history,
  '--journal': journal,
  '--copy': copy,
  '--books': books,
  '--tab': tab,
  '--bulk': bulk,
  '--server': serverTime,
  '--round-trips': roundTrips,
  '--webhooks': webhooks,
  '--inspect': inspector,
};
/** What a flag runs alone, although it is a part of everything, or needs more than this program. */
const ALONE = { '--shared-journal': sharedJournal, '--commands': commands };

const quick = process.argv.includes('--quick');
say(machineText());
const [only = measure] = Object.entries({ ...GROUPS, ...ALONE }).flatMap(([flag, rows]) =>
  process.argv.includes(flag) ? [rows] : [],
);
const rows: Row[] = [];
let failure: unknown;
try {
  for await (const measured of only(openWorkshop(), quick ? QUICK : FULL)) rows.push(...measured);
} catch (error) {
  failure = error;
}
process.stdout.write(tableText(rows));
say(`${quick ? 'quick: few runs, small sizes; ' : ''}at the end ${loadText()}`);
if (failure !== undefined) say(`a measurement failed, and with it all after it: ${inspect(failure)}`);
// What failed may have left servers, which would keep this process from ending.
process.exit(failure !== undefined || rows.some(isMissed) ? 1 : 0);
