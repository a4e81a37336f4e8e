import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Home, newHome, requireBuilt } from '../support/built.ts';
import { fiatrail, fiatrailJson, startFiatrail } from '../support/in-process.ts';
import { journalRows } from '../support/journal.ts';
import { fiatrailOnTerminal, type Step } from '../support/terminal.ts';

/** The questions of `init` and `keys rotate` on a real terminal, against a sandbox that is served over HTTP. */

beforeAll(requireBuilt);

const [ENTER, CTRL_C, DOWN] = ['\r', '\u0003', '\u001b[B'];
const TERMS = ['xterm', 'dumb'] as const;

interface Served {
  readonly url: string;
  readonly apiKey: string;
}

/** A sandbox on this machine, with a home of its own. */
async function served(): Promise<Served> {
  const running = startFiatrail(newHome(onTestFinished), ['sandbox', 'serve', '--port', '0', '-o', 'json']);
  onTestFinished(async () => {
    running.kill('SIGTERM');
    await running.end;
  });
  return JSON.parse(await running.firstLine()) as Served;
}

async function run(home: Home, argv: readonly string[], steps: readonly Step[], term: string = 'xterm') {
  const { screen, code, missed } = await fiatrailOnTerminal(home, argv, steps, { term });
  expect({ missed, screen }).toEqual({ missed: null, screen });
  return { screen, code };
}

const choose = (term: string, number: number): Step => ({
  expect: 'Which account?',
  send: term === 'dumb' ? `${number}${ENTER}` : `${DOWN.repeat(number - 1)}${ENTER}`,
});

/** Every prompt of init, with an answer. */
const questions = (term: string, { url, apiKey }: Served): readonly Step[] => [
  choose(term, 1),
  { expect: 'Base URL, such as https://host/v1:', send: `${url}${ENTER}` },
  { expect: 'API key:', send: `${apiKey}${ENTER}` },
  { expect: 'Profile name:', send: ` box ${ENTER}` },
  { expect: 'Encrypt responses', send: `y${ENTER}` },
  { expect: 'Make box the default', send: `y${ENTER}` },
];

/** What a terminal shows, without its line breaks; a command that was broken between its words is whole again. */
const onOneLine = (screen: string) => screen.replaceAll(/ \\\r\n +/g, ' ').replaceAll(/\s*\r\n/g, '');

describe('init', () => {
  test.each(TERMS)('sets up a profile and prints the equivalent command: %s', async (term) => {
    const [home, sandbox] = [newHome(onTestFinished), await served()];
    const { screen, code } = await run(home, ['init'], questions(term, sandbox), term);
    expect(code).toBe(0);
    expect(screen).toContain('the key works (sandbox)');
    expect(screen).toMatch(/Reachable.* yes/);
    expect(onOneLine(screen)).toContain(
      `equivalent command: fiatrail init box --base-url ${sandbox.url} --key-stdin --store file --encrypt --use < key.txt`,
    );
    expect(screen.includes(sandbox.apiKey)).toBe(false);
    expect(screen.includes('\u001b')).toBe(term !== 'dumb');
    const shown = await fiatrailJson<{ reachable: boolean; profile: string }>(home, ['status']);
    const encryptionPolicy = await fiatrailJson<{ answersOpen: boolean; privateKeys: number }>(home, [
      'keys',
      'encryption',
      'show',
    ]);
    expect({
      profile: shown.profile,
      reachable: shown.reachable,
      answersOpen: encryptionPolicy.answersOpen,
      privateKeys: encryptionPolicy.privateKeys,
    }).toEqual({ profile: 'box', reachable: true, answersOpen: true, privateKeys: 1 });
  });

  test.each(TERMS)('leaves nothing behind after Ctrl-C at a prompt: %s', async (term) => {
    const sandbox = await served();
    const asked = questions(term, sandbox);
    for (const [at, { expect: question }] of asked.entries()) {
      const home = newHome(onTestFinished);
      const left = [...asked.slice(0, at), { expect: question, send: CTRL_C }];
      const { code, screen } = await run(home, ['init'], left, term);
      expect({ question, code, exists: existsSync(join(home.path, 'config')) }).toEqual({
        question,
        code: 130,
        exists: false,
      });
      expect(screen).toContain('interrupted');
    }
    const before = await fiatrail(newHome(onTestFinished), ['keys', 'encryption', 'show', '-o', 'json'], {
      env: { FIATRAIL_BASE_URL: sandbox.url, FIATRAIL_API_KEY: sandbox.apiKey },
    });
    // A plain response: the account has no registered key.
    expect(before.stderr).toContain('cannot store keys');
  });

  test('explains invalid input and prompts again until the URL and the key work together', async () => {
    const [home, sandbox] = [newHome(onTestFinished), await served()];
    const [which, , , name] = questions('dumb', sandbox);
    const wrong = [
      { expect: 'Base URL', send: `http://host.example/v1${ENTER}` },
      { expect: 'is not https', send: `${sandbox.url.replace('/v1', '')}${ENTER}` },
      { expect: 'does not end with /v1', send: `${sandbox.url}${ENTER}` },
    ];
    const settings = [
      { expect: 'Profile name:', send: `sandbox_0123456789abcdef01234${ENTER}` },
      { expect: 'it looks like an API key', send: '\u0015' },
      { ...name, expect: '' },
      { expect: 'Encrypt responses', send: ENTER },
      { expect: 'Make box the default', send: `n${ENTER}` },
    ];
    const keys = [
      { expect: 'API key:', send: `two words${ENTER}` },
      { expect: 'has spaces or characters', send: `sandbox_nobody${ENTER}` },
      { expect: 'could not connect', send: '' },
      { expect: 'Base URL', send: ENTER },
      { expect: 'API key:', send: ` ${sandbox.apiKey} ${ENTER}` },
    ];
    const { code, screen } = await run(
      home,
      ['init'],
      [which, ...wrong, ...keys, ...settings] as readonly Step[],
      'dumb',
    );
    expect({ code, hasApiKey: screen.includes(sandbox.apiKey) }).toEqual({ code: 0, hasApiKey: false });
    const { profiles } = await fiatrailJson<{ profiles: unknown[] }>(home, ['profiles', 'list']);
    expect(profiles).toEqual([
      expect.objectContaining({ name: 'sandbox', isUsed: true }),
      expect.objectContaining({ name: 'box', mode: 'sandbox', baseUrl: sandbox.url, store: 'file', isUsed: false }),
    ]);
  });

  test('sets up the embedded sandbox without an account', async () => {
    const home = newHome(onTestFinished);
    const { code, screen } = await run(home, ['init'], [choose('xterm', 2)]);
    expect({ code, hasOneLine: screen.includes('equivalent command: fiatrail init --embedded') }).toEqual({
      code: 0,
      hasOneLine: true,
    });
  });

  test('works from flags without a terminal', async () => {
    const [home, sandbox] = [newHome(onTestFinished), await served()];
    const argv = ['init', 'cron', '--base-url', sandbox.url, '--key-stdin', '--encrypt', '--use', '-o', 'json'];
    const { code, stdout } = await fiatrail(home, argv, { stdin: `${sandbox.apiKey}\n` });
    expect({ code, printed: JSON.parse(stdout) }).toEqual({
      code: 0,
      printed: expect.objectContaining({ profile: 'cron', reachable: true }),
    });
  });

  test('exits with 4 when the key is rejected and stores nothing', async () => {
    const [home, sandbox] = [newHome(onTestFinished), await served()];
    const argv = ['init', '--base-url', sandbox.url, '--key-stdin', '--use'];
    const { code } = await fiatrail(home, argv, { stdin: 'sandbox_nobody\n' });
    const { profiles } = await fiatrailJson<{ profiles: unknown[] }>(home, ['profiles', 'list']);
    expect({ code, profiles: profiles.length, exists: existsSync(join(home.path, 'config', 'secrets')) }).toEqual({
      code: 4,
      profiles: 1,
      exists: false,
    });
  });
});

describe('keys rotate', () => {
  const ROTATE = ['keys', 'rotate', '--profile', 'box'];
  const PUSH = 'Command to pipe the new key to (Enter for none):';

  async function homeWith(sandbox: Served): Promise<Home> {
    const home = newHome(onTestFinished);
    const add = ['profiles', 'add', 'box', '--base-url', sandbox.url, '--key-stdin'];
    expect((await fiatrail(home, add, { stdin: sandbox.apiKey })).code).toBe(0);
    return home;
  }
  const keyOf = (home: Home) => readFileSync(join(home.path, 'config', 'secrets', 'box.api-key'), 'utf8').trim();
  const isPlain = (screen: string) => !screen.includes('\u001b');

  test.each(TERMS)('prompts for push commands, confirms and prints the equivalent command: %s', async (term) => {
    const sandbox = await served();
    const home = await homeWith(sandbox);
    const taken = join(home.path, 'taken');
    const steps = [
      { expect: PUSH, send: `no-such-program -x${ENTER}` },
      { expect: 'program "no-such-program" not found', send: term === 'dumb' ? '' : '\u0015' },
      { expect: term === 'dumb' ? PUSH : '', send: `tee ${taken}${ENTER}` },
      { expect: 'Another command', send: ENTER },
      { expect: 'Continue?', send: `y${ENTER}` },
    ];
    const { screen, code } = await run(home, ROTATE, steps, term);
    expect({ code, isPlain: isPlain(screen), hasApiKey: screen.includes(sandbox.apiKey) }).toEqual({
      code: 0,
      isPlain: term === 'dumb',
      hasApiKey: false,
    });
    expect(onOneLine(screen)).toContain("fiatrail keys rotate --push-command 'tee ");
    expect(keyOf(home)).not.toBe(sandbox.apiKey);
    expect(readFileSync(taken, 'utf8')).toBe(keyOf(home));
    expect((await fiatrail(home, ['status', '--profile', 'box'])).code).toBe(0);
  });

  test.each(TERMS)('rotates nothing after Ctrl-C at a prompt: %s', async (term) => {
    const sandbox = await served();
    const home = await homeWith(sandbox);
    const atPush = await run(home, ROTATE, [{ expect: PUSH, send: CTRL_C }], term);
    const steps = [
      { expect: PUSH, send: ENTER },
      { expect: 'Continue?', send: CTRL_C },
    ];
    const atConfirm = await run(home, ROTATE, steps, term);
    expect({ atPushCode: atPush.code, atConfirmCode: atConfirm.code, key: keyOf(home) }).toEqual({
      atPushCode: 130,
      atConfirmCode: 130,
      key: sandbox.apiKey,
    });
    expect(journalRows(home.stateDir)).toEqual([]);
    expect((await fiatrail(home, ['status', '--profile', 'box'])).code).toBe(0);
  });
});
