import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout, setImmediate as turn } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { main } from '../../src/main.ts';
import { startProgram } from '../../src/system/processes.ts';
import type { Command } from '../../src/terminal/command.ts';
import { mapOf } from '../../src/terminal/help/map.ts';
import { signatureOf } from '../../src/webhooks/verify.ts';
import { ROOT, requireBuilt, SHIM } from '../support/built.ts';
import { copyOf } from '../support/folder-copy.ts';
import { testQueryPlans } from '../support/query-plans.ts';
import type { FakeWorld } from '../support/world.ts';
import { type Account, ADDRESS, type Ids, type Left, newAccount, WEBHOOK_SECRET } from './account.ts';
import { parseLine } from './shell.ts';

/** What an id of a kind that several commands take stands for, by the command. */
const ID_OF: Readonly<Record<string, (ids: Ids) => string>> = {
  'users onboard': ({ lostOnboarding }) => lostOnboarding,
  'users onboarding status': ({ onboarding }) => onboarding,
  'onramp account': ({ unpaidOnramp }) => unpaidOnramp,
  'onramp status': ({ onramp }) => onramp,
  'offramp status': ({ offramp }) => offramp,
  'payout create': ({ bankAccount }) => bankAccount,
  'payout status': ({ payout }) => payout,
  recover: ({ offramp }) => offramp,
  'withdrawals status': ({ userWithdrawal }) => userWithdrawal,
  'transfers status': ({ userWithdrawal }) => userWithdrawal,
  'bridge status': ({ bridge }) => bridge,
  'swaps status': ({ swap }) => swap,
  'bank-accounts show': ({ bankAccount }) => bankAccount,
  'bank-accounts update': ({ bankAccount }) => bankAccount,
  'bank-accounts remove': ({ bankAccount }) => bankAccount,
  'fees withdraw': ({ bankAccount }) => bankAccount,
  'report statement': ({ bankAccount }) => bankAccount,
  'profiles rules test': ({ bankAccount }) => bankAccount,
  find: ({ payout }) => payout,
  receipt: ({ payout }) => payout,
  'ops show': ({ accepted }) => accepted,
  'ops resume': ({ accepted }) => accepted,
  'ops reconcile': ({ unknown }) => unknown,
  'ops resolve': ({ unknown }) => unknown,
  'ops retry': ({ unknownOrder }) => unknownOrder,
};

/** The names that stand for ids in examples, and values that must be someone's. */
const STANDS_FOR: readonly (readonly [pattern: RegExp, of: (ids: Ids, words: string) => string | undefined])[] = [
  [/^USER_ID$/, ({ user }) => user],
  [/^OTHER_USER_ID$/, ({ otherUser }) => otherUser],
  [/^WITHDRAWAL_ID$/, ({ withdrawal }) => withdrawal],
  [/^QUOTE_ID$/, ({ quote }) => quote],
  [/^ORDER_ID$/, ({ order, makersOrder }, words) => (words === 'fx trade' ? makersOrder : order)],
  [/^TRADE_ID$/, ({ trade }) => trade],
  [/^EVENT_ID$/, ({ event }) => event],
  [/^(REQUEST|BANK_ACCOUNT|OPERATION)_ID$/, (ids, words) => ID_OF[words]?.(ids)],
  [/^12$/, () => '1'],
  // A sum and a name that the account's lists have.
  [/^₦5,100\.00$/, (_ids, words) => (words === 'find' ? '₦500.00' : undefined)],
  [/^ifeoma obi$/, (_ids, words) => (words === 'find' ? 'ada' : undefined)],
  [/^SHA256:47DEQ/, ({ fingerprint }) => fingerprint],
  [
    new RegExp(`^${ADDRESS}$`),
    ({ userWallet, rampWallet }, words) => {
      if (['withdrawals create', 'balances address', 'sandbox pay'].includes(words)) return userWallet;
      return words === 'swaps create' || words === 'onramp status' ? rampWallet : undefined;
    },
  ],
];

/** How an example writes an id that only the reader has. */
const NAMED_ID = /^[A-Z_]+_ID$/;

function withIds(argv: readonly string[], command: Command, ids: Ids): string[] {
  const words = command.words.join(' ');
  return argv.map((word) => {
    // `-f userId=USER_ID` has an id behind the name of a field.
    const [, field = '', value = ''] = /^(\w+=)?(.*)$/s.exec(word) ?? [];
    const found = STANDS_FOR.find(([pattern]) => pattern.test(value));
    const id = found?.[1](ids, words);
    if (id === undefined && NAMED_ID.test(value)) throw new Error(`${value} of ${words} stands for no id`);
    return id === undefined ? word : field + id;
  });
}

const paid = (to: string, token: string, network: string, amount: string) => [
  'sandbox',
  'pay',
  to,
  '--chain',
  '--token',
  token,
  '--network',
  network,
  '--amount',
  amount,
  '--sender',
  ADDRESS,
];
const OWN_KEY = ['profiles', 'approvers', 'add', 'ada', '--generate'];
const ROTATE = ['keys', 'rotate', '--push-command', 'vault'];
const ALLOWED = [
  ...['127.0.0.1', '203.0.113.7', '127.0.0.0/8'].map((address) => ['ip', 'add', address]),
  ['ip', 'remove', '--index', '0', '--lock-me-out'],
];
const KEY_COMMAND = ['--base-url', 'https://host/v1', '--mode', 'live', '--key-command', 'vault kv get'];
const NEW_KEY = [
  'keys',
  'sandbox',
  'add',
  '--profile',
  'main',
  '--base-url',
  'https://sandbox-host/v1',
  '--save',
  'main-sandbox',
];

const INBOX = 'https://inbox.fiatrail.invalid/';
/** An event in the inbox. */
const TOLD = [
  ['webhooks', 'set', INBOX],
  ['users', 'onboard', '12345678902', '--wait'],
  ['sandbox', 'settle'],
];

/** What must be so before a command's examples make sense. */
const BEFORE: Readonly<Record<string, (ids: Ids, example: string) => readonly (readonly string[])[]>> = {
  'ip add': () => ALLOWED.slice(0, 1),
  'ip remove': () => ALLOWED,
  'ip replace': () => ALLOWED,
  find: () => [['sync']],
  inspect: (_, example) => (example.endsWith('inspect session.json') ? [['inspect', '--save-to', 'session.json']] : []),
  sql: () => [['sync']],
  'sync status': () => [['sync']],
  'sync backup': () => [['sync']],
  'sync forget': () => [['sync']],
  report: () => [['sync']],
  'report fees': () => [['sync']],
  'report users': () => [['sync']],
  'report pending': () => [['sync']],
  'report balance': () => [['sync']],
  'report owed': () => [['sync']],
  'report books': () => [['sync']],
  'report export': () => [['sync']],
  'report statement': () => [['sync']],
  'report income': () => [['sync']],
  'report profit': () => [['sync']],
  'report changes': () => [['sync']],
  'report accept': ({ smartWallet }) => [
    ['sync'],
    ['sandbox', 'advance', '1h'],
    ['sandbox', 'pay', smartWallet, '--amount', '25', '--token', 'USDC', '--chain', '--sender', ADDRESS],
    ['sync'],
  ],
  'withdrawals create': ({ userWallet }) => [paid(userWallet, 'USDC', 'bsc', '100')],
  'swaps create': ({ userWallet, rampWallet }) => [
    paid(userWallet, 'USDT', 'base', '100'),
    paid(rampWallet, 'CNGN', 'base', '9000'),
  ],
  'bridge status': ({ bridgeAddress }) => [paid(bridgeAddress, 'CNGN', 'base', '500'), ['sandbox', 'settle']],
  'keys encryption rotate': () => [['keys', 'encryption', 'enable', '--yes']],
  'wallets external add': () => [['wallets', 'external', 'remove', ADDRESS]],
  'profiles trust': () => [
    ['profiles', 'remove', 'main'],
    ['profiles', 'add', 'main', ...KEY_COMMAND],
    ['profiles', 'use', 'old', '--here'],
  ],
  'keys sandbox add': (_ids, example) => (example.includes('--base-url') ? [] : [NEW_KEY]),
  'sandbox events resend': () => TOLD.slice(0, 1),
  'webhooks inbox gaps': () => [['sandbox', 'reset', '--pace', 'instant'], ...TOLD],
  'webhooks inbox list': () => TOLD,
  'webhooks inbox show': () => TOLD,
  'webhooks inbox replay': () => TOLD,
  'webhooks inbox redrive': () => TOLD,
  'webhooks inbox prune': () => TOLD,
  'webhooks inbox export': () => TOLD,
  'webhooks enable': () => TOLD.slice(0, 1),
  'webhooks disable': () => TOLD.slice(0, 1),
  'profiles add': () => [['profiles', 'remove', 'main']],
  'profiles import': () => [['profiles', 'export']],
  'ops journal import': () => [['ops', 'journal', 'export']],
  'completion uninstall': () => ['zsh', 'fish'].map((shell) => ['completion', 'install', shell]),
  'profiles rules set': () => [['profiles', 'add', 'reports', ...KEY_COMMAND]],
  'plans approve': () => [OWN_KEY],
  'plans reject': () => [OWN_KEY],
  'plans apply': (_ids, example) => (example.includes('--when-approved') ? [OWN_KEY] : []),
  'profiles approvers cancel': () => [
    ['profiles', 'approvers', 'add', 'ada', '--generate'],
    ['profiles', 'approvers', 'add', 'bayo', '--public-key', PRIVATE_KEY],
    ['profiles', 'approvers', 'remove', 'bayo', '--without-approval'],
  ],
  'profiles approvers remove': () => [['profiles', 'approvers', 'add', 'bayo', '--public-key', PRIVATE_KEY]],
  'sandbox restore': () => [['sandbox', 'snapshot', 'before.db']],
  'keys rotate': (_ids, example) => (example.includes('--resume') ? [ROTATE] : []),
};

/** Commands, or lines of them, that need a file of rows or a month that was copied day by day, and the tests that run such lines. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'bulk check': 'test/bulk/check-command.test.ts',
  'bulk create': 'test/bulk/agreed.test.ts',
  'bulk status': 'test/bulk/send.test.ts',
  'bulk pause': 'test/bulk/stopped.test.ts',
  'bulk resume': 'test/bulk/send.test.ts',
  'bulk cancel': 'test/bulk/stopped.test.ts',
  'bulk report': 'test/bulk/send.test.ts',
  'plans approve PLAN_ID --without INV-17': 'test/plans/file-cases.ts',
  'report close': 'test/commands/report/closes.test.ts',
  'report reopen': 'test/commands/report/closes.test.ts',
};

const MONTH = "SELECT count(*) AS payouts FROM payouts WHERE completed_at >= '2026-01'";

/** Programs that print something for fiatrail, and files that it reads. */
const FILES: Readonly<Record<string, string>> = {
  'bvn.txt': '12345678901',
  'key.txt': 'key-from-a-file-0001',
  'month.sql': MONTH,
};
const PRIVATE_KEY = 'ab'.repeat(32);
/** Programs besides fiatrail that a line begins with, and what they print. */
const PRINTED: Readonly<Record<string, string>> = { op: 'a-secret-of-a-vault' };
/** Words that name a file in the folder of the example. */
const IN_FOLDER = /^(?:[\w-]+\.(?:beancount|csv|db|html|journal|json|ndjson|pub|http|sql|svg|zip)|client)$/;
/** Commands that ask for something on a terminal; for the others, `--yes` is the answer. */
const ASKS = /^fiatrail (init|keys platform accept|profiles rules set .*)$/;

const commands = (await Promise.all(CATALOGUE.map(({ load }) => load()))).flat();
const nameOf = ({ words }: Pick<Command, 'words'>) => words.join(' ');

/** What help says of each command. */
interface Described extends Pick<Command, 'words'> {
  readonly effect: string;
  readonly needsYes: boolean;
}
const { commands: records } = (await mapOf([], CATALOGUE)) as { readonly commands: readonly Described[] };
const described = new Map(records.map((record) => [nameOf(record), record]));
const takesYes = (command: Command) => described.get(nameOf(command))?.needsYes === true;
/** A tour plays other commands. */
const reads = (command: Command) => described.get(nameOf(command))?.effect === 'read' && nameOf(command) !== 'tour';

/** A request in the log of -v. */
const REQUEST = /^> (GET|POST|PUT|DELETE) (?:https?:\/\/[^/]+)?(?:\/v1)?(\/[^\s?]+)/gm;
/** The requests that change something, whatever is in them. */
const CHANGING = new Set(
  endpoints.flatMap(({ method, path, effect, effects }) => (effect === 'read' || effects ? [] : [`${method} ${path}`])),
);
/** The requests of the commands that only read. */
const sentByReads: string[] = [];

/** A clock whose sleeps let other work go on, for programs that run until they are interrupted. */
const yielding = (clock: FakeWorld['clock'], rest: () => Promise<unknown> = turn) => ({
  ...clock,
  sleep: async (durationMs: number, signal: AbortSignal) => {
    await clock.sleep(durationMs, signal);
    await rest();
  },
});

/** How long a server sleeps at least: without it, it looks thousands of times for what nobody sends. */
const SERVERS_SLEEP_MS = 5;

/** Saves a delivery that arrived just now: its body, the whole request, and its headers as variables. */
function saveDelivery({ homeDir, clock }: Pick<FakeWorld, 'homeDir' | 'clock'>) {
  const body = JSON.stringify({ event: 'user.onboarded', data: { firstName: 'Ada' } });
  const TIMESTAMP = new Date(clock.now()).toISOString();
  const SIGNATURE = signatureOf(WEBHOOK_SECRET, TIMESTAMP, Buffer.from(body));
  const headers = `x-service-signature: ${SIGNATURE}\nx-service-timestamp: ${TIMESTAMP}`;
  writeFileSync(join(homeDir, 'body.json'), body);
  writeFileSync(join(homeDir, 'delivery.http'), `POST / HTTP/1.1\n${headers}\n\n${body}`);
  return { TIMESTAMP, SIGNATURE };
}

/** Writes a plan of someone else with the same account, or of one's own, to a file and into the journal. Returns its id there. */
async function writePlan({ ids }: Account, { homeDir, ...world }: FakeWorld, isOwn: boolean): Promise<string> {
  const env = { ...world.env, FIATRAIL_CONFIG_DIR: join(homeDir, 'somebody-else') };
  const author = { ...world, homeDir, ...(isOwn ? {} : { env, host: { ...world.host, user: 'somebody-else' } }) };
  const argv = ['payout', 'create', '--amount', '1500', '--to', ids.bankAccount, '-q', '--plan'];
  await main([...argv, join(homeDir, 'plan.json')], author);
  const before = world.stdout.text().length;
  await main([...argv, '-o', 'json'], author);
  return JSON.parse(world.stdout.text().slice(before)).plan;
}

/** Acts as soon as a command has printed something, and then said nothing more for ten looks, or gone on for twenty. */
function onceItSaid({ stdout, stderr }: Pick<FakeWorld, 'stdout' | 'stderr'>, act: () => void): void {
  const said = () => stdout.bytes().length + stderr.bytes().length;
  const before = said();
  let [last, quiet, looks] = [before, 0, 0];
  const watch = setInterval(() => {
    const now = said();
    if (now === before) return;
    looks += 1;
    quiet = now === last ? quiet + 1 : 0;
    last = now;
    if (quiet < 10 && looks < 20) return;
    clearInterval(watch);
    act();
  }, 20);
}

/** Returns what to do in each sleep of a command that repeats itself: it acts in the third one after the command has printed something. */
function afterRounds(
  { stdout, stderr }: Pick<FakeWorld, 'stdout' | 'stderr'>,
  act: () => void,
): () => Promise<unknown> {
  const said = () => stdout.bytes().length + stderr.bytes().length;
  const before = said();
  let rounds = 0;
  return () => {
    if (said() > before) rounds += 1;
    if (rounds === 3) act();
    return turn();
  };
}

/** What lines leave that examples begin with, once they ran for one of them. */
const leftBy = new Map<string, Left>();

/** Runs the lines that examples begin with, each list once for all of them. */
async function leftAfter(account: Account, lines: readonly (readonly string[])[]): Promise<Left | undefined> {
  const name = JSON.stringify(lines);
  const [known, last] = [leftBy.get(name), lines.at(-1)];
  if (known || !last) return known;
  const earlier = await leftAfter(account, lines.slice(0, -1));
  const world = account.open({}, earlier);
  world.programs.areBroken = true;
  await main([...last, '--yes', '-q'], { ...world, clock: yielding(world.clock) });
  const printed = (earlier?.printed ?? '') + world.stdout.text();
  const left = { lines: lines.length, restore: copyOf(world.homeDir), nowMs: world.clock.now(), printed };
  leftBy.set(name, left);
  return left;
}

/** An example with fewer rows and people than a reader would want: as many would take longer than all other examples. */
const smaller = (example: string) =>
  example
    .replace(/(?<=--history )100000$/, '1000')
    .replace('--days 90 --users 1000', '--days 4 --users 50')
    .replace('--days 30 --until', '--days 2 --until')
    .replace(/^fiatrail sandbox simulate$/, '$& --days 2');

/** Runs a line as a shell would, and returns its exit code. */
async function runExample(account: Account, command: Command, example: string): Promise<[exit: number, said: string]> {
  const stop = new AbortController();
  const asks = ASKS.test(example);
  const lines = BEFORE[nameOf(command)]?.(account.ids, example) ?? [];
  // The journal names the file that such a line writes.
  const isOfFolder = lines.flat().some((word) => IN_FOLDER.test(word));
  const left = isOfFolder ? undefined : await leftAfter(account, lines);
  const world = account.open({ interrupted: stop.signal, isTerminal: asks }, left);
  const isServer = ['sandbox serve', 'webhooks listen', 'inspect'].includes(nameOf(command));
  let rest: () => Promise<unknown> = isServer ? () => setTimeout(SERVERS_SLEEP_MS) : turn;
  const run = (argv: readonly string[], stdin = '') =>
    main(
      argv.map((word) => (IN_FOLDER.test(word) ? join(world.homeDir, word) : word)),
      {
        ...world,
        // A query runs in a process of its own.
        self: [process.execPath, SHIM],
        startProgram: (...program) =>
          startProgram(...program, { ...world.env, PATH: process.env['PATH'] }, world.interrupted),
        clock: yielding(world.clock, () => rest()),
        stdin: { isTerminal: asks, readAll: async () => stdin },
      },
    );
  world.programs.areBroken = true;
  if (isOfFolder) for (const line of lines) await run([...line, '--yes', '-q']);
  world.programs.areBroken = false;
  const printed = (left?.printed ?? '') + world.stdout.text();
  // A journal is imported into an empty one.
  if (nameOf(command) === 'ops journal import')
    for (const name of readdirSync(world.stateDir))
      if (name.startsWith('journal.db')) rmSync(join(world.stateDir, name));
  let planId: string | undefined;
  if (nameOf(command).startsWith('plans ')) {
    planId = await writePlan(account, world, nameOf(command) === 'plans withdraw');
    if (example.includes('--when-approved')) await run(['plans', 'approve', planId, '--yes', '-q']);
  }
  // What was printed before is the file that the example reads, unless it was written itself.
  else if (nameOf(command) !== 'inspect')
    for (const [file] of printed === '' ? [] : example.matchAll(/[\w-]+\.(?:json|ndjson)\b/g))
      writeFileSync(join(world.homeDir, file), printed, { mode: 0o600 });
  const delivery = saveDelivery(world);
  writeFileSync(join(world.homeDir, 'month.sql'), MONTH);
  // A server runs until it is interrupted.
  if (isServer && !example.includes('--save-to')) onceItSaid(world, () => stop.abort());
  else if (/ --(?:every|watch)\b/.test(example)) rest = afterRounds(world, () => stop.abort());
  const { programs, input } = parseLine(smaller(example), {
    CHECKPOINT: account.ids.checkpoint,
    ...delivery,
  });
  let stdin = example.includes('--private-key-stdin') ? PRIVATE_KEY : (FILES[input ?? ''] ?? '');
  let exit = 0;
  for (const program of programs) {
    const start = program.indexOf('fiatrail');
    if (start === -1) {
      stdin = program[0] === 'printf' ? (program[1] ?? '') : (PRINTED[program[0] ?? ''] ?? stdin);
      continue;
    }
    const [before, errors] = [world.stdout.text().length, world.stderr.text().length];
    const words = program.slice(start + 1).map((word) => (word === 'PLAN_ID' && planId ? planId : word));
    // A command whose help does not have --yes must not ask.
    const more = [...(takesYes(command) && !asks ? ['--yes'] : []), ...(reads(command) ? ['-v'] : [])];
    exit = await run([...withIds(words, command, account.ids), ...more], stdin);
    if (exit !== 0) break;
    stdin = world.stdout.text().slice(before);
    if (!reads(command)) continue;
    for (const [, method, path] of world.stderr.text().slice(errors).matchAll(REQUEST))
      sentByReads.push(`${example}: ${method} ${path}`);
  }
  return [exit, world.stderr.text()];
}

beforeAll(requireBuilt);

test('examples name ids in one form', () => {
  const found = commands.flatMap(({ examples }) =>
    examples.filter((each) => /…|\b[0-9a-f]{8}-[0-9a-f]{4}-|0198/.test(each)),
  );
  expect(found).toEqual([]);
  const ids = commands.flatMap(({ parameters }) =>
    Object.values(parameters).flatMap(({ kind, name }) => (kind === 'argument' && name.endsWith('-id') ? name : [])),
  );
  const named = commands.flatMap(({ examples }) => examples.flatMap((each) => each.match(/\b[A-Z_]+_ID\b/g) ?? []));
  // Each is the name of an argument, or says which of two.
  const known = [...ids, 'quote-id', 'other-user-id', 'plan-id'].map((name) => name.replaceAll('-', '_').toUpperCase());
  expect([...new Set(named)].filter((name) => !known.includes(name))).toEqual([]);
});

/** Made in the first test, and copied for every example. */
let account: Account | undefined;

test('what runs in other tests is typed there', () => {
  const words = (name: string) =>
    name
      .split(/ (?:[A-Z].*)?/)
      .filter((word) => word !== '')
      .map((word) => `'${word}'`)
      .join(', ');
  const missing = Object.entries(ELSEWHERE).filter(
    ([name, file]) => !readFileSync(join(ROOT, file), 'utf8').includes(words(name)),
  );
  expect(missing).toEqual([]);
});

const here = commands.filter((command) => !(nameOf(command) in ELSEWHERE));

describe.each(here.map((command) => [nameOf(command), command] as const))('fiatrail %s', (_name, command) => {
  test('runs as its help shows it', async () => {
    account ??= await newAccount();
    const failed: string[] = [];
    for (const example of command.examples.filter((each) => !(each.replace('fiatrail ', '') in ELSEWHERE))) {
      const [exit, said] = await runExample(account, command, example);
      if (exit !== 0) failed.push(`${example}: ${exit}: ${said}`);
    }
    expect(failed).toEqual([]);
  });
});

test('a command that reads, as help says, sends nothing that changes something', () => {
  expect(sentByReads.length).toBeGreaterThan(20);
  expect(sentByReads.filter((each) => CHANGING.has(each.replace(/.*: /, '')))).toEqual([]);
});

testQueryPlans();
