import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/base/world.ts';
import { createMask } from '../../src/contract/mask/index.ts';
import { traceTo } from '../../src/engine/connection/trace.ts';
import { main } from '../../src/main.ts';
import { maskedStream } from '../../src/present/masked.ts';
import { FORMATS } from '../../src/present/result.ts';
import { type SampleAccount, sampleAccount } from '../inspector/sample-account.ts';
import { newHome, sharedEnd } from '../support/built.ts';
import { fiatrail, fiatrailJson, must } from '../support/in-process.ts';
import { ACCOUNT, fakeWorld } from '../support/world.ts';

/** What --mask and the setting of a profile leave of an account: amounts, states, times and ids. */

const home = newHome(sharedEnd());
const SENDER = `SIOBHAN O'BRIEN-"SHIV"`;
const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const LABEL = `Ada's "cold" one`;
let used: SampleAccount;
/** Every name, number and address of the account. */
let personal: string[];

/** Every text in a document below a field of one of these names. */
function textsBelow(value: unknown, names: RegExp, name = ''): string[] {
  if (typeof value === 'string') return names.test(name) && value !== '' ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([inner, each]) => textsBelow(each, names, Array.isArray(value) ? name : inner));
}

const PERSONAL = /name$|number$|^(?:evm|solana|bantu|walletAddress|owner|from|label)$|Wallet$/i;
const BANK = /^(?:.*BANK.*|sandbox|x-.*)$/;

beforeAll(async () => {
  used = await sampleAccount(home, SENDER);
  const wallet = [WALLET, '--network', 'base', '--wallet-type', 'hot', '--label', LABEL];
  await must(home, ['wallets', 'external', 'add', ...wallet, '--purpose', 'for Ngozi', '--yes', '-q']);
  await must(home, ['sync', '-q']);
  const read = (...words: string[]) => fiatrailJson(home, words);
  const documents = await Promise.all([
    read('users', 'list', '--all'),
    read('users', 'show', used.user),
    read('history', 'deposits'),
    read('history', 'payouts'),
    read('bank-accounts', 'list'),
    read('onramp', 'status', used.onramp),
  ]);
  personal = [...new Set(documents.flatMap((each) => textsBelow(each, PERSONAL)).filter((each) => !BANK.test(each)))];
  personal.push(WALLET, LABEL, 'for Ngozi');
  expect(personal).toContain(SENDER);
  expect(personal.length).toBeGreaterThan(10);
});

const ID = '01234567-89ab-4cde-8f01-23456789abcd';
const COMMANDS = (): readonly (readonly string[])[] => [
  ['users', 'list', '--all'],
  ['users', 'show', used.user, '-v'],
  ['history', 'deposits', '--all', '-v'],
  ['history', 'payouts'],
  ['bank-accounts', 'list'],
  ['wallets', 'external', 'list', '-v'],
  ['onramp', 'status', used.onramp, '-v'],
  ['ops', 'list'],
  ['find', used.onramp],
  ['find', SENDER],
  ['find', used.account],
  ['webhooks', 'inbox', 'list'],
  ['webhooks', 'inbox', 'show', '3'],
  ['webhooks', 'inbox', 'show', '4'],
  ['report'],
  ['report', 'users'],
  ['status'],
  ['whoami'],
  ['sql', 'select * from deposits'],
  ['sql', 'select first_name as x, account_number as y from users'],
  ['sql', 'select * from operations'],
  ['sandbox', 'status', '--values'],
  ['onramp', 'status', ID],
  ['ops', 'list', '-o', 'json'],
];

const outputOf = async (...argv: readonly string[]) => {
  const { stdout, stderr } = await fiatrail(home, argv);
  return stdout + stderr;
};

const leaks = (text: string) => {
  const folded = text.toLowerCase();
  return personal.filter(
    (each) => folded.includes(each.toLowerCase()) || text.includes(JSON.stringify(each).slice(1, -1)),
  );
};

describe('--mask', () => {
  // Each command in two formats or more, and each format for every third command.
  test.each(FORMATS)('leaves no name, number or address in %s, whatever the command', async (format) => {
    const turn = FORMATS.indexOf(format);
    for (const words of COMMANDS().filter((_, at) => at % 3 === turn % 3)) {
      const argv = [...words, '-o', format];
      if (format === 'raw' && words[0] === 'find') continue;
      expect({ argv, leaks: leaks(await outputOf(...argv, '--mask')) }).toEqual({ argv, leaks: [] });
    }
  });

  test('leaves amounts, states, times and ids', async () => {
    const read = (...more: string[]) => fiatrailJson(home, ['history', 'deposits', ...more]);
    const { deposits } = (await read()) as { readonly deposits: readonly Record<string, unknown>[] };
    const masked = (await read('--mask')) as { readonly deposits: readonly unknown[] };
    const { id, amount, fundingAmount, status, createdAt, type } = deposits[0] ?? {};
    expect(masked.deposits[0]).toMatchObject({
      id,
      amount,
      fundingAmount,
      status,
      createdAt,
      type,
      depositor: { name: expect.stringMatching(/^name-\d+$/), accountNumber: expect.stringMatching(/^account-\d+$/) },
    });
  });

  test('masks what an error repeats of the command line, however early it comes', async () => {
    const repeated = ['bank-accounts', 'add', '--bank-code', '000013', '--account-number', SENDER];
    const typed = ['--account-name', SENDER, '--narration=for Shiv'];
    for (const argv of [['fees', 'withdraw', ...typed], ['fees', 'withdraw', ...typed, '--nope'], repeated]) {
      const { code, stderr } = await fiatrail(home, [...argv, '--mask']);
      expect([code, /siobhan|shiv/i.test(stderr)]).toEqual([2, false]);
      expect((await fiatrail(home, [...argv, '--no-mask'])).stderr.length).toBeGreaterThan(0);
    }
    expect((await fiatrail(home, repeated)).stderr).toContain('SIOBHAN');
  });

  test('masks what is said before a change, and what a dry run shows', async () => {
    const start = ['fees', 'withdraw', '--amount', '50', '--account-number', '0000000009', '--bank-code', '000013'];
    const argv = [...start, '--account-name', SENDER, '--narration', 'for Shiv', '--yes', '-v'];
    for (const more of [['--dry-run'], []]) {
      const text = await outputOf(...argv, ...more, '--mask');
      expect(text).not.toMatch(/siobhan|shiv|0000000009/i);
      expect(text).toMatch(/name-\d+/);
      expect(text).toMatch(/₦50\.00|5000/);
    }
  });
});

/** A text as it was before a terminal showed its addresses in groups. */
const withoutGroups = (text: string) => stripVTControlCharacters(text).replace(/(?<=[\da-f]{4}) (?=[\da-f]{4})/gi, '');

test('what someone is asked at a terminal is shown as it is, and the result is masked', async () => {
  const answers = [{ kind: 'confirm', asks: `transfers to ${WALLET} on base`, says: true }] as const;
  const world = fakeWorld({ isTerminal: true, answers });
  const words = ['wallets', 'external', 'add', WALLET, '--network', 'base', '--label', LABEL, '--mask', '-o', 'json'];
  expect(await main(words, world)).toBe(0);
  expect(withoutGroups(world.stderr.text())).toContain(WALLET);
  expect(world.stderr.text()).toContain(LABEL);
  expect(JSON.parse(world.stdout.text())).toMatchObject({ address: expect.stringMatching(/^address-\d+$/) });
});

test('what is said on a terminal without a question is masked before it is grouped and wrapped', async () => {
  const world = fakeWorld({ isTerminal: true });
  const words = ['wallets', 'external', 'add', WALLET, '--network', 'base', '--label', LABEL, '--mask', '--yes'];
  expect(await main(words, world)).toBe(0);
  expect(withoutGroups(world.stderr.text())).not.toContain(WALLET);
  expect(world.stderr.text()).toMatch(/destination\s+address-\d+ on base\n\s+label\s+text-\d+\n/);
});

test('an error is masked before it is wrapped', async () => {
  const accountName = 'SIOBHAN FOLASHADE OBRIEN';
  const answer = {
    status: 'Error',
    response_code: '02',
    message: `the account is of ${accountName}`,
    data: { accountName },
  };
  const network: Exchange = async () => ({ status: 404, headers: {}, body: JSON.stringify(answer) });
  const world = fakeWorld({ network, env: ACCOUNT, isTerminal: true });
  const narrow = { ...world, stderr: { ...world.stderr, columns: 40 } };
  expect(await main(['users', 'show', 'u-1', '--mask'], narrow)).toBe(3);
  expect(world.stderr.text()).not.toMatch(/siobhan|folashade|obrien/i);
  expect(world.stderr.text()).toMatch(/name-\d/);
});

test('what requests and answers say is known without a trace, and a traced amount stays', async () => {
  const [mask, { stderr }] = [createMask(), fakeWorld()];
  const request = {
    method: 'POST',
    url: 'https://service.test/v1/getuserdetails',
    headers: {},
    body: '{"userId":"u-1"}',
  };
  const data = { personalDetails: { firstName: 'ZOE' }, amount: '5000000000' };
  const response = { status: 200, headers: {}, body: JSON.stringify({ response_code: '00', data }) };
  const exchange = { attempt: 1, request, response };
  traceTo(undefined, mask).onExchange(exchange);
  expect(mask.text('for Zoe')).toBe('for name-1');
  traceTo(maskedStream(stderr, mask), mask).onExchange(exchange);
  expect(stderr.text()).toContain('"amount":"5000000000"');
  expect(stderr.text()).toContain('"firstName":"name-1"');
});

test('a trace, a notice and an error are masked by what the service said before', async () => {
  const told = `ZOE O'NEIL has no account 0123456789`;
  const user = { userId: 'u-1', personalDetails: { firstName: 'ZOE', lastName: "O'NEIL" }, undocumented: 'Bola' };
  const network: Exchange = async ({ url }) => {
    const isKnown = url.includes('getuserdetails');
    const answer = {
      status: 'Success',
      response_code: isKnown ? '00' : '02',
      message: told,
      data: isKnown ? user : {},
    };
    return { status: isKnown ? 200 : 404, headers: {}, body: JSON.stringify(answer) };
  };
  for (const more of [[], ['-v']]) {
    const world = fakeWorld({ network, env: ACCOUNT });
    await main(['users', 'show', 'u-1', '--mask', ...more], world);
    await main(['users', 'show', 'u-1', '--mask', '-o', 'json', ...more], world);
    const text = world.stdout.text() + world.stderr.text();
    expect(text).not.toMatch(/zoe|o'neil|bola|0123456789/i);
    expect(text).toMatch(/name-\d/);
  }
});

test('an export is rejected, because nobody could import what a mask leaves; a schema and a checkpoint stay as they are', async () => {
  for (const words of [
    ['ops', 'journal', 'export'],
    ['profiles', 'export'],
  ]) {
    const refused = {
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`${words.join(' ')} prints what --mask hides`),
    };
    expect(await fiatrail(home, [...words, '--mask'])).toMatchObject(refused);
    expect((await fiatrail(home, words)).code).toBe(0);
  }
  expect(leaks(await outputOf('ops', 'journal', 'export', '-o', 'csv', '--mask'))).toEqual([]);
  const whole = async (words: readonly string[], ...more: string[]) =>
    (await outputOf(...words, ...more, '-q')).replace(/"at": "[^"]*"/, '');
  for (const words of [
    ['schema', 'users', 'list'],
    ['openapi'],
    ['ops', 'journal', 'head', '-o', 'json'],
    ['completion', 'bash'],
  ])
    expect(await whole(words, '--mask')).toBe(await whole(words));
});

describe('the setting of a profile', () => {
  test('masks every command, unless --no-mask is given, until it is set otherwise', async () => {
    await must(home, ['profiles', 'add', 'sandbox', '--mask']);
    expect(await fiatrailJson(home, ['profiles', 'show', 'sandbox'])).toMatchObject({ isMasked: true });
    const list = ['history', 'deposits'];
    expect(leaks(await outputOf(...list))).toEqual([]);
    expect(leaks(await outputOf(...list, '--no-mask'))).toContain(SENDER);
    // A change of something else leaves it as it is.
    await must(home, ['profiles', 'add', 'sandbox', '--tz', 'UTC']);
    expect(leaks(await outputOf(...list))).toEqual([]);
    // An error that comes before the profile is read.
    const early = ['fees', 'withdraw', '--account-name', SENDER, SENDER];
    expect((await fiatrail(home, early)).stderr).not.toContain(SENDER);
    expect((await fiatrail(home, [...early, '--no-mask'])).stderr).toContain(SENDER);
    const withAll = ['inspect', '--save-to', join(home.path, 'all.json'), '--with-personal-data'];
    expect(await fiatrail(home, withAll)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        '--with-personal-data saves what --mask hides\n  hint: leave it out, or add --no-mask\n',
      ),
    });
    await must(home, ['profiles', 'add', 'sandbox', '--no-mask']);
    expect(leaks(await outputOf(...list))).toContain(SENDER);
  });
});

describe('a saved session', () => {
  test('has nothing of it, and no key to its handles', async () => {
    const path = join(home.path, 'session.json');
    await must(home, ['inspect', '--save-to', path, '-q']);
    const text = readFileSync(path, 'utf8');
    expect(leaks(text)).toEqual([]);
    expect(text).toContain(used.onramp);
  });
});
