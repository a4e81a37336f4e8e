import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type CommandRecord, fieldOf, offered } from '../../src/agent/commands.ts';
import { commandsOf, type Permission, toolsFor } from '../../src/agent/tools.ts';
import type { HttpRequest } from '../../src/base/world.ts';
import { controls } from '../../src/contract/control.ts';
import { type Endpoint, effectOf } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { createPathMatcher } from '../../src/contract/paths.ts';
import { type Home, sharedEnd } from '../support/built.ts';
import { accountOf, fiatrail, must, serveSandbox } from '../support/in-process.ts';
import { connect } from './support.ts';

/**
 * Random calls of an official client, against a served sandbox whose requests are counted. Short unless FIATRAIL_AGENT_CALLS says
 * how many calls there are for each permission.
 */
const CALLS = Number(process.env['FIATRAIL_AGENT_CALLS'] ?? 30);
const LIMIT_MS = 60_000 + CALLS * 500;

const sharedCleanUp = sharedEnd();
let home: Home;
let secrets: readonly string[];
let commands: readonly CommandRecord[];
/** Ids that calls may name. */
let ids: readonly string[];

beforeAll(async () => {
  const served = await serveSandbox(sharedCleanUp);
  home = await accountOf(served, sharedCleanUp);
  await must(home, ['sandbox', 'seed', '--users', '20', '--history', '40']);
  await must(home, ['bank-accounts', 'add', '--account-number', '0123456789', '--bank-code', '000013', '--yes']);
  await must(home, ['sync']);
  const { stdout } = await must(home, ['users', 'list', '--all', '-o', 'json', '--no-mask']);
  const { users } = JSON.parse(stdout) as { users: { userId: string; virtualAccount?: { accountNumber?: string } }[] };
  const payouts = await must(home, ['payout', 'list', '-o', 'json', '--no-mask']);
  const numbers = [...`${stdout}${payouts.stdout}`.matchAll(/ccountNumber": "(\d{10})"/g)].map(([, each = '']) => each);
  secrets = [...new Set([served.apiKey, ...served.keys().map(({ key }) => key), ...numbers])];
  ids = users.slice(0, 5).map(({ userId }) => userId);
  const map = await fiatrail(home, ['help', 'commands', '-o', 'json']);
  ({ commands } = JSON.parse(map.stdout) as { commands: readonly CommandRecord[] });
  expect(numbers.length).toBeGreaterThan(10);
});

/** A generator of numbers below 1 that a seed repeats. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What a call may give for a value, sensible or not. */
const VALUES: readonly unknown[] = [
  'default',
  '1000',
  'max',
  '1h',
  'today',
  'CNGN',
  '000013',
  '--yes',
  '--no-mask',
  '12345678901',
  '',
  '\0',
  '../../etc/passwd',
  'x'.repeat(5_000),
  '\u202e😀',
  0,
  -1,
  1e21,
  true,
  false,
  null,
  [],
  ['a', 'b'],
  {},
];

const QUERIES = [
  'select * from users',
  'select cast(account_number as integer), first_name from users',
  "select group_concat(account_number, ' ') from payouts",
  'select * from operations',
  'select summary, hex(summary), unicode(summary) from operations',
  'with t(a) as (select account_number from deposits) select a + 1 from t',
  'select count(*), sum(amount_minor) from payouts',
];

/** An amount in its smallest unit may have as many digits as a BVN. */
const MINOR = /"minor":"\d+"/g;

const matcher = createPathMatcher<Endpoint>([...controls, ...endpoints]);

/** Counts the requests of a command, and collects those that change the account, or the sandbox if that is not allowed. */
function countingFor(isSandboxAllowed: boolean) {
  const changing: string[] = [];
  const counts = { requests: 0, changing };
  const exchanged = ({ method, url, body }: HttpRequest) => {
    counts.requests += 1;
    const { pathname } = new URL(url);
    const found = matcher.match(method, pathname)?.endpoint;
    const input: unknown = body === undefined || body === '' ? {} : JSON.parse(body);
    const isControl = found?.area === 'control';
    const isRead = found !== undefined && effectOf(found, input) === 'read';
    if (!isRead && !(isControl && isSandboxAllowed)) changing.push(`${method} ${pathname}`);
  };
  return { counts, exchanged };
}

test('a payment of a person counts as a change', async () => {
  const { counts, exchanged } = countingFor(true);
  await fiatrail(home, ['payout', 'create', '--amount', '100', '--to', 'default', '--yes'], { exchanged });
  expect(counts.changing).toEqual(['POST /v1/initiateofframp']);
});

describe.each<{ readonly allowed: readonly Permission[] }>([
  { allowed: ['read'] },
  { allowed: ['read', 'plan'] },
  { allowed: ['read', 'plan', 'apply'] },
  { allowed: ['read', 'plan', 'apply', 'sandbox'] },
])('$allowed', ({ allowed }) => {
  test(
    'random calls change nothing of the account, and show no key and no whole number of an account',
    async () => {
      const { counts, exchanged } = countingFor(allowed.includes('sandbox'));
      const { call } = await connect(home, ['--allow', allowed.join(',')], onTestFinished, { exchanged });
      const tools = toolsFor(allowed);
      const random = randomFrom(20_261_127 + allowed.length);
      const any = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
      const valueFor = (each: CommandRecord['parameters'][number]) => {
        if (each.name === 'query') return any(QUERIES);
        if (random() < 0.2) return any(VALUES);
        if (each.type === 'boolean') return random() < 0.5;
        const example = (each as { readonly example?: string }).example ?? '1';
        return any<unknown>([...(each.values ?? []), ...ids, example, example, 'default']);
      };
      let answered = 0;
      for (let at = 0; at < CALLS; at += 1) {
        const tool = any(tools);
        const own = commandsOf(tool, commands);
        const command = own.length > 0 && random() < 0.85 ? any(own) : any(commands);
        const inner: Record<string, unknown> = {};
        for (const each of offered(command))
          if (each.isRequired || random() < 0.2) inner[fieldOf(each)] = valueFor(each);
        if (random() < 0.1)
          inner[any(['surprise', 'plan', 'yes', 'profile', 'output_file', 'wait', 'once'])] = any(VALUES);
        const isNamed = tool.answers.kind !== 'command' && tool.answers.kind !== 'list';
        const given = isNamed
          ? { command: command.words.join(' '), ...(tool.answers.kind === 'commands' && { arguments: inner }) }
          : tool.answers.kind === 'list'
            ? {}
            : inner;
        const more = random() < 0.1 ? { [any(['limit', 'cursor', 'profile'])]: any(VALUES) } : {};
        const answer = await call(tool.name, { ...given, ...more });
        const text = JSON.stringify(answer);
        if (!answer.isError) answered += 1;
        const found = secrets.filter((each) => text.includes(each));
        const eleven =
          answer.data === undefined
            ? null
            : /(?<![\w.-])\d{11}(?![\w-]|\.\d)/.exec(JSON.stringify(answer.data).replaceAll(MINOR, ''));
        if (found.length > 0 || eleven)
          throw new Error(`${tool.name} ${JSON.stringify(given)} shows ${found.join(', ')}${eleven?.[0] ?? ''}`);
      }
      expect(counts.changing).toEqual([]);
      // Enough of them were understood, so that the counts mean something.
      expect(answered).toBeGreaterThan(CALLS / 10);
      expect(counts.requests).toBeGreaterThan(CALLS / 10);
    },
    LIMIT_MS,
  );
});
