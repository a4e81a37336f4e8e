import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { refusal as refusedBy, refusedConnection, scripted, success } from '../../support/exchange.ts';
import type { Answer } from '../../support/world.ts';
import { ADD_MAIN, BOX, LIVE, newMachine, PLANTED, URL_ } from './support.ts';

const ADD = ['profiles', 'add', 'main'];
const WITH_URL = [...ADD, '--base-url', URL_];
const wrongUrl = (url: string) => [...ADD, '--base-url', url, '--key-stdin'];
const KEY_COMMAND = ['--key-command', 'pass show key'];

/** The error that does not repeat what may be a key. */
const LIKE_A_KEY = /^error: invalid profile name: it looks like an API key\n/;

/** Words, standard input and the expected message; nothing may be stored. */
const refused: [what: string, argv: string[], stdin: string, message: RegExp][] = [
  ['a key with a line end inside', ADD_MAIN, `${LIVE}\n${LIVE}\n`, /on standard input has spaces or characters/],
  ['a key with blanks', ADD_MAIN, `my ${LIVE}`, /has spaces or characters/],
  ['a key with a blank after it', ADD_MAIN, `${LIVE} `, /has spaces or characters/],
  ['a key beyond ASCII', ADD_MAIN, `é${LIVE}`, /has spaces or characters that keys do not contain/],
  ['an empty key', ADD_MAIN, '', /the key on standard input is empty/],
  ['a line end alone', ADD_MAIN, '\n', /is empty/],
  ['a key longer than any', ADD_MAIN, PLANTED.repeat(100), /longer than 500 characters/],
  [
    'a sandbox key for a live profile',
    [...ADD_MAIN, '--mode', 'live'],
    BOX,
    /main is live, but the key is a sandbox key/,
  ],
  ['a live key for a sandbox', [...ADD_MAIN, '--mode', 'sandbox'], LIVE, /is a sandbox, but the key is a live key/],
  ['an http URL', wrongUrl('http://host.test/v1'), LIVE, /not https/],
  ['a URL with too much path', wrongUrl('https://host.test/v1/fx'), LIVE, /more than \/v1/],
  ['a URL without /v1', wrongUrl('https://host.test'), LIVE, /does not end with \/v1/],
  ['a URL with credentials', wrongUrl(`https://me:${PLANTED}@host.test/v1`), LIVE, /user name or password/],
  ['no URL at all', wrongUrl(PLANTED), LIVE, /is not a valid URL/],
  ['an empty URL', wrongUrl(''), LIVE, /./],
  ['a missing URL', [...ADD, '--key-stdin'], LIVE, /missing --base-url <url>: /],
  ['a key and a command for it', [...ADD_MAIN, ...KEY_COMMAND], LIVE, /--key-command and --key-stdin cannot/],
  ['a key and a shell line for it', [...ADD_MAIN, '--key-shell', 'x'], LIVE, /--key-shell and --key-stdin cannot/],
  ['two commands', [...WITH_URL, ...KEY_COMMAND, '--key-shell', 'x'], '', /--key-command and --key-shell cannot/],
  ['an empty command', [...WITH_URL, '--mode', 'live', '--key-command', ''], '', /the value is empty/],
  ['a store of commands without one', [...WITH_URL, '--store', 'command'], '', /needs a command/],
  [
    'another store for a command',
    [...WITH_URL, '--store', 'file', ...KEY_COMMAND],
    '',
    /--store file and a key command/,
  ],
  ['a key for a store that keeps none', [...ADD_MAIN, '--store', 'environment'], LIVE, /--store environment and/],
  ['a command without a mode', [...WITH_URL, ...KEY_COMMAND], '', /missing --mode <mode>: /],
  ['an embedded one with a URL', [...WITH_URL, '--mode', 'embedded'], '', /--mode embedded and a base URL or a key/],
  ['an embedded one with a key', [...ADD, '--mode', 'embedded', '--key-stdin'], BOX, /--mode embedded and/],
  ['an embedded one with a command', [...ADD, '--mode', 'embedded', ...KEY_COMMAND], '', /--mode embedded and/],
  ['a missing key', WITH_URL, '', /missing --key-stdin: /],
  ['an unknown store', [...ADD_MAIN, '--store', 'cloud'], LIVE, /--store/],
  ['an unknown mode', [...ADD_MAIN, '--mode', 'test'], LIVE, /--mode/],
  ['an unknown format', [...ADD_MAIN, '--default-output', 'xml'], LIVE, /--default-output/],
  ['a bad service name', [...ADD_MAIN, '--service-name', 'a b'], LIVE, /invalid service name/],
  ['a service name with a hyphen first', [...ADD_MAIN, '--service-name=-a'], LIVE, /invalid service name/],
  [
    'the name of the variables’ account',
    ADD_MAIN.with(2, 'environment'),
    LIVE,
    /environment is reserved for the account/,
  ],
  ['the name of the sandbox for another', ADD_MAIN.with(2, 'sandbox'), LIVE, /sandbox is reserved for the embedded/],
  ['that name for a served sandbox', [...ADD_MAIN.with(2, 'sandbox'), '--mode', 'sandbox'], BOX, /sandbox is reserved/],
  ['a name in capitals', ADD_MAIN.with(2, 'Main'), LIVE, /invalid profile name "Main"/],
  ['a name that is a path', ADD_MAIN.with(2, '../main'), LIVE, /invalid profile name/],
  ['a name that ends with a dot', ADD_MAIN.with(2, 'main.'), LIVE, /invalid profile name/],
  ['a name of 41 letters', ADD_MAIN.with(2, 'a'.repeat(41)), LIVE, /invalid profile name/],
  ['a name that is a sandbox key', ADD_MAIN.with(2, 'sandbox_0123456789abcdef01234'), LIVE, LIKE_A_KEY],
  ['a name that is a key with capitals', ADD_MAIN.with(2, 'Xk3jQ9vT2mN8pL5wR7zB'), LIVE, LIKE_A_KEY],
];

describe('profiles add', () => {
  test.each(refused)('rejects %s, exits with 2 and stores nothing', async (_what, argv, stdin, message) => {
    const { run, files } = newMachine();
    const { code, stdout, stderr } = await run(argv, { stdin });
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
    expect({ stderr: stderr.match(/^error: /gm)?.length, files: files() }).toEqual({ stderr: 1, files: [] });
    expect(stderr).toMatch(/^error: .*\n( {2}hint: .*\n)? {2}run: .*\n$/);
  });

  test('stores a profile and its key and prints only the key’s fingerprint', async () => {
    const { json, profile, secrets } = newMachine();
    const shown = await json([...ADD_MAIN, '--service-name', 'acme'], { stdin: `${LIVE}\n` });
    expect(shown).toMatchObject({ name: 'main', mode: 'live', baseUrl: URL_, key: { store: 'file' } });
    expect(shown.key.fingerprint).toMatch(/^[0-9a-f]{12}$/);
    expect(profile('main')).toEqual({
      version: 1,
      name: 'main',
      mode: 'live',
      baseUrl: URL_,
      serviceName: 'acme',
      store: { kind: 'file' },
    });
    expect(secrets()).toEqual({ 'main.api-key': LIVE });
  });

  test('prompts for the base URL before the key, which is a secret', async () => {
    const { run, secrets, profile } = newMachine();
    const answers: Answer[] = [
      { kind: 'text', asks: 'Base URL', says: URL_ },
      { kind: 'secret', asks: 'API key', says: BOX },
    ];
    expect((await run(['profiles', 'add', 'main'], { isTerminal: true, answers })).code).toBe(0);
    expect({ secrets: secrets(), baseUrl: profile('main').baseUrl }).toEqual({
      secrets: { 'main.api-key': BOX },
      baseUrl: URL_,
    });
  });

  test('prompts for the key with hidden input', async () => {
    const { run, secrets } = newMachine();
    const answers: Answer[] = [{ kind: 'secret', asks: 'API key', says: BOX }];
    expect((await run(WITH_URL, { isTerminal: true, answers })).code).toBe(0);
    expect(secrets()).toEqual({ 'main.api-key': BOX });
  });

  test('changes the given settings and keeps the rest', async () => {
    const { add, run, profile, secrets } = newMachine();
    await add('main', LIVE, '--service-name', 'acme');
    const { code } = await run(['profiles', 'add', 'main', '--default-output', 'yaml']);
    expect({ code, profile: profile('main'), secrets: secrets() }).toMatchObject({
      code: 0,
      profile: { serviceName: 'acme', output: 'yaml', baseUrl: URL_, mode: 'live' },
      secrets: { 'main.api-key': LIVE },
    });
  });

  test('stores a setting for the built-in sandbox', async () => {
    const { run, profile } = newMachine();
    const { code } = await run(['profiles', 'add', 'sandbox', '--default-output', 'json']);
    expect({ code, profile: profile('sandbox') }).toMatchObject({
      code: 0,
      profile: { mode: 'embedded', output: 'json' },
    });
  });

  test('stores nothing with --dry-run', async () => {
    const { run, files } = newMachine();
    const { code, stdout } = await run([...ADD_MAIN, '--dry-run', '-o', 'json'], { stdin: LIVE });
    expect({ code, printed: JSON.parse(stdout), files: files() }).toMatchObject({
      code: 0,
      printed: { dryRun: true, name: 'main' },
      files: [],
    });
  });
});

describe('--check', () => {
  test('exits with 4 for a wrong key and stores nothing', async () => {
    const { run, files } = newMachine();
    const { exchange } = scripted(refusedBy(401, '03', 'Invalid API key'));
    const { code, stderr } = await run([...ADD_MAIN, '--check'], { stdin: LIVE, network: exchange });
    expect({ code, files: files() }).toEqual({ code: 4, files: [] });
    expect(stderr).toContain('profile main · LIVE');
  });

  test('exits with 5 when the address does not respond and stores nothing', async () => {
    const { run, files } = newMachine();
    const network = () => Promise.reject(refusedConnection());
    const { code } = await run([...ADD_MAIN, '--check'], { stdin: LIVE, network });
    expect({ code, files: files() }).toEqual({ code: 5, files: [] });
  });

  test('leaves the stored profile unchanged', async () => {
    const { add, run, secrets, profile } = newMachine();
    await add('main', LIVE);
    const { exchange } = scripted(refusedBy(401, '03', 'Invalid API key'));
    await run([...ADD_MAIN, '--service-name', 'x', '--check'], { stdin: `${LIVE}2`, network: exchange });
    expect({ secrets: secrets(), serviceName: profile('main').serviceName }).toEqual({
      secrets: { 'main.api-key': LIVE },
      serviceName: undefined,
    });
  });

  test('uses the given key', async () => {
    const { run, secrets } = newMachine();
    const { exchange, requests } = scripted(success({ publicKey: 'a'.repeat(64) }));
    const { code } = await run([...ADD_MAIN, '--check'], { stdin: LIVE, network: exchange });
    expect({ code, header: requests[0]?.headers['x-api-key'], secrets: secrets() }).toEqual({
      code: 0,
      header: LIVE,
      secrets: { 'main.api-key': LIVE },
    });
  });
});

describe('a new host for a stored key', () => {
  const MOVE = ['profiles', 'add', 'main', '--base-url', 'https://elsewhere.test/v1'];

  test('exits with 2 without --yes or a terminal', async () => {
    const { add, run, profile } = newMachine();
    await add('main', LIVE);
    const { code, stderr } = await run(MOVE);
    expect({ code, stderr, baseUrl: profile('main').baseUrl }).toEqual({
      code: 2,
      stderr: expect.stringContaining('add --yes'),
      baseUrl: URL_,
    });
  });

  test('asks for confirmation, shows LIVE, and exits with 9 when declined', async () => {
    const { add, run, profile } = newMachine();
    await add('main', LIVE);
    const answers: Answer[] = [{ kind: 'confirm', asks: 'another host', says: false }];
    const { code, stderr } = await run(MOVE, { isTerminal: true, answers });
    expect({ code, baseUrl: profile('main').baseUrl }).toEqual({ code: 9, baseUrl: URL_ });
    for (const part of ['main (LIVE)', URL_, 'https://elsewhere.test/v1']) expect(stderr).toContain(part);
  });

  test.each([
    ['with --yes', [...MOVE, '--yes'], ''],
    ['with a key of its own', [...MOVE, '--key-stdin'], `${LIVE}2`],
  ])('is taken %s', async (_what, argv, stdin) => {
    const { add, run, profile } = newMachine();
    await add('main', LIVE);
    expect({ code: (await run(argv, { stdin })).code, baseUrl: profile('main').baseUrl }).toEqual({
      code: 0,
      baseUrl: 'https://elsewhere.test/v1',
    });
  });

  test('asks for confirmation when the stored URL is invalid', async () => {
    const { add, run, write, profile, at } = newMachine();
    await add('main', LIVE);
    write(at('profiles', 'main.json'), JSON.stringify({ ...profile('main'), baseUrl: 'no address' }));
    expect((await run(MOVE)).code).toBe(2);
    expect({ code: (await run([...MOVE, '--yes'])).code, baseUrl: profile('main').baseUrl }).toEqual({
      code: 0,
      baseUrl: 'https://elsewhere.test/v1',
    });
  });

  test('rejects an unsafe URL without asking', async () => {
    const { add, run, write, profile, at } = newMachine();
    await add('main', LIVE);
    write(at('profiles', 'main.json'), JSON.stringify({ ...profile('main'), baseUrl: 'http://host.test/v1' }));
    const { code, stderr } = await run(['profiles', 'add', 'main', '--service-name', 'x']);
    expect({ code, stderr, serviceName: profile('main').serviceName }).toEqual({
      code: 2,
      stderr: expect.stringContaining('not https'),
      serviceName: undefined,
    });
  });
});

describe('another store', () => {
  const PRIVATE = 'ab'.repeat(32);

  /** A fake system keychain that stores its entries in `kept`. */
  function keyring(kept: Map<string, string>) {
    const runProgram = async (_words: readonly string[], { input = '' }: { input?: string }) => {
      const { op, user, secret } = JSON.parse(input) as { op: string; user: string; secret: string };
      if (op === 'write') kept.set(user, secret);
      if (op === 'remove') kept.delete(user);
      const found = op === 'read' ? kept.get(user) : undefined;
      const stdout = JSON.stringify({ kind: 'done', ...(found === undefined ? {} : { secret: found }) });
      return { kind: 'ended', code: 0, stdout } as const;
    };
    return { runProgram };
  }

  test('moves the key and the private keys and leaves no file behind', async () => {
    const { add, run, write, at, secrets, profile } = newMachine();
    await add('main', LIVE);
    write(at('secrets', 'main.encryption-keys'), PRIVATE);
    const kept = new Map<string, string>();
    const { code } = await run([...ADD_MAIN, '--store', 'keyring'], { stdin: LIVE, ...keyring(kept) });
    expect({ code, secrets: secrets(), store: profile('main').store }).toEqual({
      code: 0,
      secrets: {},
      store: { kind: 'keyring' },
    });
    expect([...kept.values()].toSorted()).toEqual([PRIVATE, LIVE].toSorted());
    await run([...ADD_MAIN, '--store', 'file'], { stdin: LIVE, ...keyring(kept) });
    expect({ secrets: secrets(), kept: kept.size }).toEqual({
      secrets: { 'main.api-key': LIVE, 'main.encryption-keys': PRIVATE },
      kept: 0,
    });
  });

  const ABSENT = { runProgram: async () => ({ kind: 'ended', code: 0, stdout: '{"kind":"absent"}' }) as const };

  test('replaces a failing store and says what stays in it', async () => {
    const { run, secrets, profile } = newMachine();
    await run([...ADD_MAIN, '--store', 'keyring'], { stdin: LIVE, ...keyring(new Map()) });
    const { code, stderr } = await run([...ADD_MAIN, '--store', 'file'], { stdin: LIVE, ...ABSENT });
    expect({ code, secrets: secrets(), store: profile('main').store }, stderr).toEqual({
      code: 0,
      secrets: { 'main.api-key': LIVE },
      store: { kind: 'file' },
    });
    expect(stderr).toContain('warning: could not remove the secrets of main from its old store');
  });

  test('exits with 2 when private keys would be left in a failing store', async () => {
    const { run, write, at, secrets, profile } = newMachine();
    await run([...ADD_MAIN, '--store', 'keyring'], { stdin: LIVE, ...keyring(new Map()) });
    const sealed = {
      ...profile('main'),
      encryptionPolicy: 'accept',
      encryption: { publicKey: PRIVATE, requests: false },
    };
    write(at('profiles', 'main.json'), JSON.stringify(sealed));
    const { code } = await run([...ADD_MAIN, '--store', 'file'], { stdin: LIVE, ...ABSENT });
    expect({ code, secrets: secrets(), profile: profile('main') }).toEqual({ code: 2, secrets: {}, profile: sealed });
  });

  test('that is a command removes the key file and keeps the private keys', async () => {
    const { add, run, write, at, secrets } = newMachine();
    await add('main', LIVE);
    write(at('secrets', 'main.encryption-keys'), PRIVATE);
    const runProgram = async () => ({ kind: 'ended', code: 0, stdout: `${LIVE}\n` }) as const;
    await run(['profiles', 'add', 'main', '--key-command', 'pass show key'], { runProgram });
    expect(secrets()).toEqual({ 'main.encryption-keys': PRIVATE });
  });
});

describe('a command that prints the key', () => {
  const ended = (code: number, stdout: string) => ({ kind: 'ended', code, stdout }) as const;

  test.each([
    ['fails', ended(3, LIVE), /failed with exit code 3/],
    ['hangs', { kind: 'late' } as const, /did not finish within 10 s/],
    ['is not there', { kind: 'missing' } as const, /was not found/],
    ['prints two lines', ended(0, `${LIVE}\n${LIVE}\n`), /more than one line/],
    ['prints nothing', ended(0, '\n'), /printed nothing/],
    ['prints a key of the other mode', ended(0, `${BOX}\n`), /main is live, but .* is a sandbox key/],
  ])('that %s when it is used exits with 2 and sends nothing', async (_what, end, message) => {
    const { run } = newMachine();
    const runProgram = async () => end;
    await run([...WITH_URL, '--mode', 'live', ...KEY_COMMAND], { runProgram });
    const { code, stderr } = await run(['balances', 'account', '--profile', 'main'], { runProgram });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
  });

  test('runs when the key is needed, with its arguments unchanged', async () => {
    const { run } = newMachine();
    const asked: (readonly string[])[] = [];
    const runProgram = async (words: readonly string[]) => {
      asked.push(words);
      return ended(0, `${LIVE}\n`);
    };
    await run([...WITH_URL, '--mode', 'live', '--key-command', 'pass show "my key; rm x"'], { runProgram });
    const { exchange, requests } = scripted(success({ totalBalance: '5' }));
    await run(['balances', 'account', '--profile', 'main'], { runProgram, network: exchange });
    expect(asked.at(-1)).toEqual(['pass', 'show', 'my key; rm x']);
    expect(requests[0]?.headers['x-api-key']).toBe(LIVE);
  });
});

test('exits with 2 for a stored URL that was edited into an unsafe one and sends nothing', async () => {
  const { add, run, write, profile, at } = newMachine();
  await add('main', LIVE);
  write(at('profiles', 'main.json'), JSON.stringify({ ...profile('main'), baseUrl: 'http://host.test/v1' }));
  const { code, stderr } = await run(['balances', 'account', '--profile', 'main']);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('not https') });
  const shown = await run(['profiles', 'show', 'main']);
  expect({ code: shown.code, stdout: shown.stdout }).toEqual({ code: 0, stdout: expect.stringContaining('not https') });
  expect(existsSync(at('profiles', 'main.json'))).toBe(true);
});
