import { beforeEach, expect, test } from 'vitest';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { main } from '../../src/main.ts';
import { parse } from '../../src/terminal/parse/program.ts';
import { type FakeWorld, fakeWorld } from '../support/world.ts';
import { worldAfter } from '../support/world-after.ts';

/** Ids that do not contain the BVN that fails, which would be hidden in them. */
const withOtherIds = (made: FakeWorld): FakeWorld => ({
  ...made,
  ids: { ...made.ids, uuid: () => made.ids.uuid().replace('-8000-0000', '-8000-1234') },
});

let world: FakeWorld;
beforeEach(() => {
  world = withOtherIds(fakeWorld());
});

async function run(line: string) {
  const [out, err] = [world.stdout.text().length, world.stderr.text().length];
  const code = await main([...line.split(' '), '-o', 'json'], world);
  return { code, stdout: world.stdout.text().slice(out), stderr: world.stderr.text().slice(err) };
}

test('an error names what helps', async () => {
  const { requestId } = JSON.parse((await run('users onboard 22345678901 -q')).stdout) as {
    requestId: string;
  };
  await run('sandbox advance 10m -q');
  const { userId } = JSON.parse((await run(`users onboarding status ${requestId} -q`)).stdout) as { userId: string };
  await run(`users deactivate ${userId} --reason gone --yes -q`);
  const toBank = '-f bankCode=000013 -f accountNumber=0123456789';
  const lines: Readonly<Record<string, string>> = {
    [`onramp create ${userId} --amount 5000 --yes`]: 'fiatrail users activate <user id>',
    [`api POST /cngnofframp -f userId=${userId} -f amount=5000 ${toBank} --yes`]: 'fiatrail users activate <user id>',
    'webhooks enable': 'fiatrail webhooks set <url>',
    'webhooks disable --yes': 'fiatrail webhooks set <url>',
    'sandbox pay 9999999999 --amount 5 --sender ADA': 'fiatrail onramp account <request id>',
  };
  for (const [line, remedy] of Object.entries(lines)) {
    const { code, stderr } = await run(`${line} -q`);
    expect({ line, code, stderr }).toEqual({ line, code: 3, stderr: expect.stringContaining(remedy) });
  }
  const recovered = await run(`recover ${requestId}`);
  expect(recovered.stderr).toContain('one that has ended stays as it is');
});

test('a failed onboarding leads to one thing', async () => {
  const { requestId } = JSON.parse((await run('users onboard 00000000000 -q')).stdout) as {
    requestId: string;
  };
  await run('sandbox advance 10m -q');
  const { code, stderr } = await run(`users onboarding status ${requestId} -q`);
  expect(code, stderr).toBe(3);
  expect(stderr).toContain(`correct the input, then start again with: fiatrail users onboard --retry ${requestId}`);
  expect(stderr).not.toContain('final');
});

/** A failing command, and the command in its hint. `{user}` and the like stand for ids of the sandbox. */
interface Remedy {
  readonly condition: string;
  /** Command lines that bring the condition about. */
  readonly before?: readonly string[];
  readonly line: string;
  /** The command as the hint has it. */
  readonly hint: string;
  /** What someone types for its placeholders, in their order. */
  readonly typed?: readonly string[];
  /** What someone adds to it. */
  readonly more?: string;
  /** How the first command ends afterwards, if the remedy is to make it work. */
  readonly afterwards?: number;
}

const SELLER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const PAY = 'payout create --amount 1000 --to {account} --yes';
const LOST = 'sandbox fault add --on "payout create" --fault lost-response --times 1';
const onBook = 'fx trade --pair CNGN-USDC --side buy';

/** Conditions under which nothing is found by an id, the command that looks for it, and the list that its hint names. */
const UNKNOWN_IDS: readonly (readonly [line: string, list: string])[] = [
  ['users show nothing', 'users list'],
  ['users activate nothing --yes', 'users list'],
  ['onramp create nothing --amount 100 --yes', 'users list'],
  ['onramp account nothing', 'ops list'],
  ['offramp status nothing', 'offramp list'],
  ['payout status nothing', 'payout list'],
  ['payout create --amount 1 --to nothing --yes', 'bank-accounts list'],
  ['fees withdraw --amount 500 --to nothing --yes', 'bank-accounts list'],
  ['bank-accounts show nothing', 'bank-accounts list'],
  ['bank-accounts update nothing --label x --yes', 'bank-accounts list'],
  ['bank-accounts remove nothing --yes', 'bank-accounts list'],
  ['fx trades status nothing', 'fx trades list'],
  ['fx orders cancel nothing --yes', 'fx orders list'],
  ['fx orders pause nothing --yes', 'fx orders list'],
  ['swaps status nothing', 'swaps list'],
  ['bridge status nothing', 'bridge list'],
  ['fees withdrawals status nothing', 'fees withdrawals list'],
  ['withdrawals status nothing', 'withdrawals list'],
  ['transfers status nothing', 'transfers list'],
  ['recover nothing --yes', 'ops list'],
  ['ops show nothing', 'ops list'],
  ['ops reconcile nothing', 'ops list'],
  ['ops retry nothing', 'ops list'],
  [`wallets external enable ${SELLER} --yes`, 'wallets external list'],
  ['webhooks inbox show 99', 'webhooks inbox list'],
  ['sandbox events show nothing', 'sandbox events list'],
  ['profiles approvers remove nothing', 'profiles approvers list'],
  ['profiles approvers cancel', 'profiles approvers list'],
];

const REMEDIES: readonly Remedy[] = [
  ...UNKNOWN_IDS.map(([line, hint]): Remedy => ({ condition: 'an unknown id', line, hint })),
  {
    condition: 'no webhook',
    line: 'webhooks enable --yes',
    hint: 'webhooks set <url>',
    typed: ['https://inbox.fiatrail.invalid/'],
    more: '--yes',
    afterwards: 0,
  },
  {
    condition: 'encryption that is off',
    line: 'keys encryption rotate --yes',
    hint: 'keys encryption enable',
    more: '--yes',
    afterwards: 0,
  },
  ...['report pending', 'report', 'report fees', 'report users', 'report balance', 'sync status'].map(
    (line): Remedy => ({ condition: 'lists that were not copied', line, hint: 'sync', afterwards: 0 }),
  ),
  {
    condition: 'an inactive user',
    before: ['users deactivate {user} --reason gone --yes'],
    line: 'onramp create {user} --amount 5000 --yes',
    hint: 'users activate <user id>',
    typed: ['{user}'],
    more: '--yes',
    afterwards: 0,
  },
  {
    condition: 'an inactive user, at the endpoint',
    before: ['users deactivate {user} --reason gone --yes'],
    line: 'api POST /cngnofframp -f userId={user} -f amount=5000 -f bankCode=000013 -f accountNumber=0123456789 --yes',
    hint: 'users activate <user id>',
    typed: ['{user}'],
    more: '--yes',
  },
  {
    condition: 'a payment to an unknown account',
    line: 'sandbox pay 9999999999 --amount 5 --sender ADA',
    hint: 'onramp account <request id>',
    typed: ['{onramp}'],
  },
  {
    condition: 'an unknown outcome',
    before: [LOST, PAY],
    line: PAY,
    hint: 'ops reconcile {operation}',
    // The payout was found: a repetition is one now.
    afterwards: 9,
  },
  {
    condition: 'an operation that is settled',
    before: [PAY, 'sandbox settle'],
    line: 'ops resolve {operation} --completed --reason seen --yes',
    hint: 'ops show {operation}',
  },
  { condition: 'nothing to resume', line: 'keys rotate --resume', hint: 'keys rotate', more: '--yes --dry-run' },
  {
    condition: 'a key that api would only print',
    line: 'api GET /regenerateapikey',
    hint: 'keys rotate',
    more: '--yes --dry-run',
  },
  {
    condition: 'payouts to a bank account that are pending',
    before: [PAY],
    line: 'bank-accounts remove {account} --yes',
    hint: 'history payouts --status pending',
  },
  {
    condition: 'a wallet that is not registered',
    line: `transfers create --amount 1 --to ${SELLER} --yes`,
    hint: 'wallets external add <address> --network <network>',
    typed: [SELLER, 'base'],
    more: '--yes',
    afterwards: 0,
  },
  {
    condition: 'an unknown quote',
    line: 'fx trade --quote nothing --yes',
    hint: 'fx quote --pair <pair> --side <side> --amount <cngn>',
    typed: ['CNGN-USDC', 'buy', '5000'],
  },
  {
    condition: 'an order book that cannot fill a trade',
    line: `${onBook} --amount 9999999999 --yes`,
    hint: 'fx book PAIR',
    typed: ['CNGN-USDC'],
  },
  {
    condition: 'an order book that cannot fill a quote',
    line: 'fx quote --pair CNGN-USDC --side buy --amount 9999999999',
    hint: 'fx book <pair>',
    typed: ['CNGN-USDC'],
  },
  {
    condition: 'an unknown bank',
    line: 'offramp create {user} --amount 100 --bank-code nosuchbank --account-number 0123456789 --yes',
    hint: 'banks --search NAME',
    typed: ['guaranty'],
  },
  {
    condition: 'rules that block a payout',
    before: ['profiles rules set sandbox --read-only --yes'],
    line: PAY,
    hint: 'profiles rules show sandbox',
  },
  {
    condition: 'an allowlist without this machine',
    before: ['ip add 203.0.113.7 --lock-me-out --yes'],
    line: 'fees show',
    hint: 'ip add 127.0.0.1',
    more: '--yes',
    afterwards: 0,
  },
  {
    condition: 'an unknown entry of the allowlist',
    line: 'ip remove 9.9.9.9 --yes',
    hint: 'ip add',
    more: '203.0.113.9 --lock-me-out --yes',
  },
  {
    condition: 'an unknown profile',
    line: 'profiles show nosuch',
    hint: 'profiles add NAME --base-url URL --key-stdin',
    typed: ['nosuch', 'https://service.test/v1'],
    afterwards: 0,
  },
  {
    condition: 'an onboarding that failed',
    line: 'users onboard 00000000000 --wait',
    hint: 'users onboard --retry {request} --bvn-stdin',
  },
  { condition: 'nothing to accept', before: ['sync'], line: 'report accept USDC --reason x', hint: 'report 2026-01' },
  { condition: 'no shell', line: 'completion install', hint: 'completion install bash' },
  { condition: 'an unknown topic', line: 'help topics nosuch', hint: 'help topics' },
  { condition: 'an unknown command, for its schema', line: 'schema nosuch', hint: 'schema' },
  { condition: 'an unknown endpoint', line: 'api GET /nosuch', hint: 'endpoints' },
  { condition: 'a fault of nothing', line: 'sandbox fault add --on nosuch --fault slow', hint: 'endpoints' },
  { condition: 'an operation that was not named', line: 'ops resume', hint: 'ops list --status accepted' },
  {
    condition: 'a fingerprint that is none',
    line: 'keys platform accept --fingerprint abc',
    hint: 'keys platform show',
  },
  { condition: 'an option of another command', line: 'profiles add x --embedded', hint: 'init --embedded' },
  { condition: 'a log of runs', line: 'ops runs', hint: 'ops list --since yesterday' },
  { condition: 'a plural', line: 'payouts list', hint: 'payout list' },
  { condition: 'the name of an endpoint', line: 'GET /getfees', hint: 'fees show' },
  { condition: 'a verb of another service', line: 'users info {user}', hint: 'users show', more: '{user}' },
];

/** The commands of a hint, as they are typed: up to a stop, a comma or a word that joins two of them. */
const commandsIn = (hint: string): readonly string[] =>
  [...hint.matchAll(/fiatrail ((?:"[^"]*"|[^"])+?)(?=[;,?)]|\. |\.$| \/ | or fiatrail | < |$)/g)].map(([, line = '']) =>
    line.trim(),
  );

const PLACEHOLDER = /<[^>]+>|(?<= )[A-Z]{2,}(?= |$)/g;

const wordsOf = (line: string) =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');

/** Runs command lines in a sandbox, which may name its facts. */
function typingIn(world: FakeWorld, facts: Record<string, string>) {
  const known = (text: string) => text.replace(/\{(\w+)\}/g, (all, name: string) => facts[name] ?? all);
  const typed = async (line: string) => {
    const [out, err] = [world.stdout.text().length, world.stderr.text().length];
    const readAll = async () =>
      line.includes('--key-stdin') ? 'sandbox_0123456789abcdef0123456789abcdef' : '22345678902';
    const stdin = { ...world.stdin, isTerminal: false, readAll };
    const code = await main([...wordsOf(known(line)), '-o', 'json', '-q'], { ...world, stdin });
    const stderr = world.stderr.text().slice(err);
    facts['operation'] = /"operationId": ?"([^"]+)"/.exec(stderr)?.[1] ?? facts['operation'] ?? '';
    return { code, stdout: world.stdout.text().slice(out), stderr };
  };
  const json = async (line: string) => JSON.parse((await typed(line)).stdout);
  return { typed, json, facts, known };
}

/** A sandbox with a user, whose ids command lines may name; it is made once. */
const openBefore = worldAfter(async (first) => {
  const { json, typed, facts } = typingIn(withOtherIds(first), {});
  facts['request'] = (await json('users onboard 22345678901')).requestId;
  await typed('sandbox advance 10m');
  facts['user'] = (await json('users onboarding status {request}')).userId;
  facts['account'] = (await json('bank-accounts list')).accounts[0].accountId;
  return facts;
});

/** Expects that an action is a command line, but for what it says that it needs. */
async function expectAction(action: { argv: readonly string[]; needs?: readonly string[] }, filled: string) {
  const { argv, needs = [] } = action;
  const line = wordsOf(filled.replace(/ < .*$/, ''));
  expect({ filled, others: argv.filter((word) => !line.includes(word)) }).toEqual({ filled, others: [] });
  const parsed = await parse(argv, CATALOGUE, fakeWorld());
  if (parsed.kind === 'help') return;
  const { parameters } = parsed.command;
  const named = Object.values(parameters).map(({ kind, name }) =>
    kind === 'option' ? (/--[\w-]+/.exec(name)?.[0] ?? '') : name,
  );
  expect({ filled, unknown: needs.filter((name) => !named.includes(name)) }).toEqual({ filled, unknown: [] });
}

test.each(REMEDIES)('with $condition, the hint of $line names a command that works', async (remedy) => {
  const { condition, before = [], line, hint, typed = [], more = '', afterwards } = remedy;
  const { world: copied, made } = await openBefore();
  const sandbox = typingIn(withOtherIds(copied), { ...made });
  const { facts, known } = sandbox;
  if (typed.includes('{onramp}'))
    facts['onramp'] = (await sandbox.json('onramp create {user} --amount 70 --yes')).requestId;
  for (const each of before) await sandbox.typed(each);
  if (line.includes('{operation}')) facts['operation'] = (await sandbox.json('ops list')).operations[0].operationId;
  const failed = await sandbox.typed(line);
  const { error } = JSON.parse(failed.stderr.trim().split('\n').at(-1) ?? '');
  facts['request'] = /--retry (\S+)/.exec(error.hint)?.[1] ?? '';
  expect({ condition, code: failed.code === 0 ? 'no error' : 'error', commands: commandsIn(error.hint) }).toEqual({
    condition,
    code: 'error',
    commands: expect.arrayContaining([known(hint)]),
  });
  const values = [...typed];
  const filled = hint.replace(PLACEHOLDER, (place) => values.shift() ?? place);
  // What programs get is the same command line.
  expect(error.actions).toHaveLength(commandsIn(error.hint).length);
  const at = commandsIn(error.hint).indexOf(known(hint));
  await expectAction(error.actions[at], known(filled));
  const remedied = await sandbox.typed(`${filled} ${more}`);
  expect({ condition, code: remedied.code, stderr: remedied.stderr }).toMatchObject({ condition, code: 0 });
  if (afterwards === undefined) return;
  const again = await sandbox.typed(line);
  expect({ condition, code: again.code, stderr: again.stderr }).toMatchObject({ condition, code: afterwards });
});
