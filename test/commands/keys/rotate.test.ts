import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { journalPath } from '../../../src/account/paths.ts';
import { Secret } from '../../../src/base/secret.ts';
import type { HttpResponse } from '../../../src/base/world.ts';
import { fingerprint } from '../../../src/crypto/digest.ts';
import { openJournal } from '../../../src/journal/open.ts';
import { droppedLine, html, json, refusal, refusedConnection, success, tooMany } from '../../support/exchange.ts';
import {
  type Bench,
  bench,
  ended,
  NEW,
  OLD,
  PROFILE,
  RESUME_COMMAND,
  ROTATE,
  type Service,
} from '../../support/rotation-bench.ts';
import { ACCOUNT, type Answer } from '../../support/world.ts';

type Way = Service['regenerate'];
const fails = (error: () => Error, replaces: boolean): Way => {
  return (replace) => {
    if (replaces) replace();
    throw error();
  };
};
const says = (answer: () => HttpResponse, replaces: boolean): Way => {
  return (replace) => {
    if (replaces) replace();
    return answer();
  };
};
const cut = (bytes: number) => (replace: () => HttpResponse) => {
  const answer = replace();
  return { ...answer, body: answer.body.slice(0, -bytes) };
};

test('keys aes show exits with 5 for a missing AES key', async () => {
  const { run, service } = await bench();
  service.read = () => success({ aesKey: null });
  const { code, stdout, stderr } = await run(['keys', 'aes', 'show', '--print-key', '--profile', 'main']);
  expect({ code, stdout, stderr }).toEqual({
    code: 5,
    stdout: '',
    stderr: expect.stringContaining('it contains no AES key'),
  });
});

/** The outcome of the request, and how the command exits. */
const OUTCOMES: readonly [what: string, way: Way, exit: number, code: string][] = [
  ['a rejection', says(() => refusal(400, '01', `no, not ${OLD}`), false), 3, 'VALIDATION_ERROR'],
  ['a rejected key', says(() => refusal(401, '03', `who is ${OLD}?`), false), 4, 'AUTHENTICATION_FAILED'],
  ['a rate limit', says(() => tooMany({ 'retry-after': '3600' }), false), 7, 'RATE_LIMIT_EXCEEDED'],
  ['no connection', fails(refusedConnection, false), 5, 'NETWORK'],
  ['a connection that drops before the rotation', fails(droppedLine, false), 6, 'OUTCOME_UNKNOWN'],
  ['a connection that drops after the rotation', fails(droppedLine, true), 6, 'OUTCOME_UNKNOWN'],
  ['a failure of the service', says(() => json(500, '{"response_code":"05"}'), true), 6, 'OUTCOME_UNKNOWN'],
  ['a page of HTML', says(() => html(502), true), 6, 'OUTCOME_UNKNOWN'],
  ['half an answer', cut(20), 6, 'OUTCOME_UNKNOWN'],
  ['an answer without its end', cut(1), 6, 'OUTCOME_UNKNOWN'],
  ['an answer without a key', says(() => success({}), true), 6, 'INVALID_KEY'],
  ['a key that is none', says(() => success({ apiKey: 'key-planted with blanks' }), true), 6, 'INVALID_KEY'],
  [
    'an internal error',
    () => {
      throw new TypeError('x');
    },
    6,
    'OUTCOME_UNKNOWN',
  ],
];

describe('a rotation', () => {
  test('stores and verifies the new key, leaves it nowhere else and exits with 0', async () => {
    const { run, service, storedKey, rows, left } = await bench();
    const { code, stdout, stderr } = await run([...ROTATE, '-v']);
    expect({ code, printed: JSON.parse(stdout) }, stderr).toEqual({
      code: 0,
      printed: {
        profile: 'main',
        outcome: 'replaced',
        oldFingerprint: fingerprint(new Secret(OLD)),
        fingerprint: fingerprint(new Secret(NEW)),
        storedIn: 'the key file',
        operationId: expect.any(String),
      },
    });
    expect(service.asked.filter((path) => path === '/regenerateapikey')).toHaveLength(1);
    expect({ storedKey: storedKey(), live: service.live, rows: rows(), left: left() }).toEqual({
      storedKey: NEW,
      live: NEW,
      rows: [['done', 'settled']],
      left: [],
    });
  });

  test('prints the requested fields', async () => {
    const { run } = await bench();
    const { code, stdout } = await run([...ROTATE, '--fields', 'outcome,fingerprint']);
    expect({ code, printed: JSON.parse(stdout) }).toEqual({
      code: 0,
      printed: { outcome: 'replaced', fingerprint: fingerprint(new Secret(NEW)) },
    });
  });

  test('rejects an unknown field before sending anything', async () => {
    const { refused, service } = await bench();
    const { message } = await refused([...ROTATE, '--fields', 'apiKey'], 2);
    expect({ message, live: service.live }).toEqual({
      message: expect.stringContaining('unknown field "apiKey"'),
      live: OLD,
    });
  });

  test('that is unfinished is reported when its profile is removed, with the file that keeps the new key', async () => {
    const { run, programs, left, world } = await bench();
    programs['vault'] = () => ended(1);
    await run([...ROTATE, '--push-command', 'vault']);
    const { code, stderr } = await run(['profiles', 'remove', 'main', '--yes', '-q']);
    const file = left().find((name) => name.endsWith('.key')) ?? 'no file';
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining(join(world.stateDir, 'rotations', file)),
    });
    expect(stderr).toContain('fiatrail keys rotate --resume');
  });

  test.each(OUTCOMES)('that meets %s', async (_what, way, exit, code) => {
    const { refused, run, service, storedKey, rows, left } = await bench();
    service.regenerate = way;
    const error = await refused(ROTATE, exit);
    const ends = exit === 6 ? ['lost', 'unknown'] : ['rejected', 'rejected'];
    expect({ code: error.code, storedKey: storedKey(), rows: rows() }).toEqual({ code, storedKey: OLD, rows: [ends] });
    if (exit === 6) {
      expect(error.hint).toContain('fiatrail keys rotate --resume');
      return;
    }
    expect(left()).toEqual([]);
    service.regenerate = (replace) => replace();
    expect((await run(ROTATE)).code).toBe(0);
  });

  test('exits with 5 when its process cannot be started, sends nothing, and can be repeated', async () => {
    const on = await bench();
    on.rotationProcess = () => ({ kind: 'missing' });
    expect((await on.refused(ROTATE, 5)).message).toContain('nothing was sent');
    expect({ rows: on.rows(), left: on.left(), live: on.service.live }).toEqual({
      rows: [['rejected', 'rejected']],
      left: [],
      live: OLD,
    });
    on.rotationProcess = (usual) => usual();
    expect((await on.run(ROTATE)).code).toBe(0);
  });

  test('exits with 6 when its process is killed after sending', async () => {
    const on = await bench();
    on.rotationProcess = async () => {
      await claim(on);
      return ended(null);
    };
    expect((await on.refused(ROTATE, 6)).code).toBe('OUTCOME_UNKNOWN');
    expect({ rows: on.rows(), left: on.left() }).toEqual({ rows: [['lost', 'unknown']], left: [] });
  });

  test('prints the key only with --print-key', async () => {
    const { run } = await bench();
    const { code, stdout } = await run([...ROTATE, '--print-key']);
    expect({ code, printed: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      printed: { apiKey: NEW, storedIn: 'the key file' },
    });
  });
});

/** The process that sends has taken it, as far as the journal knows. */
async function claim({ world }: Bench): Promise<void> {
  const journal = await openJournal(journalPath(world), world);
  const open = await journal.rotations.openOf({ profile: 'main', baseUrl: PROFILE.baseUrl ?? '' });
  await journal.moveRotation(open?.operationId ?? '', 'prepared', 'sending');
  journal.close();
}

const ALONE = ['keys', 'rotate', '--profile', 'main', '-o', 'json'];

describe('before anything is sent', () => {
  /** The requests other than reads, and what is left on the machine. */
  const untouched = ({ service, rows, left, storedKey }: Bench) => ({
    isReplaced: service.asked.includes('/regenerateapikey'),
    rows: rows(),
    left: left(),
    storedKey: storedKey(),
  });
  const NOTHING = { isReplaced: false, rows: [], left: [], storedKey: OLD };
  /** The prompt for push commands. */
  const NO_PUSH: Answer = { kind: 'text', asks: 'Command to pipe the new key to (Enter for none)', says: '' };

  test('a dry run prints the request and stores nothing', async () => {
    const on = await bench();
    const { code, stdout } = await on.run([...ALONE, '--dry-run']);
    expect({ code, printed: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      printed: { dryRun: true, profile: 'main', method: 'GET' },
    });
    expect(untouched(on)).toEqual(NOTHING);
  });

  test.each<[what: string, more: readonly string[], exit: number, answers: readonly Answer[] | undefined]>([
    [
      'a declined confirmation',
      [],
      9,
      [NO_PUSH, { kind: 'confirm', asks: 'Rotate the API key of profile main. Continue?', says: false }],
    ],
    ['a missing --yes without a terminal', [], 2, undefined],
    ['a push command that does not exist', ['--yes', '--push-command', 'nowhere key=-'], 2, undefined],
    ['an empty push command', ['--yes', '--push-command', ' '], 2, undefined],
  ])('%s changes nothing', async (_what, more, exit, answers) => {
    const on = await bench(PROFILE, answers ? { isTerminal: true, answers } : {});
    const { code, stdout } = await on.run([...ALONE, ...more]);
    expect({ code, stdout, ...untouched(on) }).toEqual({ code: exit, stdout: '', ...NOTHING });
  });

  test('exits with 4 if the key is rejected', async () => {
    const on = await bench();
    on.service.live = 'another';
    expect((await on.refused(ROTATE, 4)).code).toBe('AUTHENTICATION_FAILED');
    expect(untouched(on)).toEqual(NOTHING);
  });

  test('exits with 2 if the store is not writable', async () => {
    const on = await bench();
    const key = on.storedKey();
    rmSync(join(on.secrets, 'main.api-key'));
    on.breakStore();
    await on.refused(ROTATE, 2);
    on.repairStore();
    writeFileSync(join(on.secrets, 'main.api-key'), key);
    expect(untouched(on)).toEqual(NOTHING);
  });

  test('exits with 2 if there is no disk space for the new key', async () => {
    const on = await bench();
    writeFileSync(on.world.stateDir, 'in the way');
    expect((await on.refused(ROTATE, 2)).code).toBe('IN_THE_WAY');
    expect({ isReplaced: on.service.asked.includes('/regenerateapikey'), storedKey: on.storedKey() }).toEqual({
      isReplaced: false,
      storedKey: OLD,
    });
  });

  test('exits with 2 if FIATRAIL_API_KEY differs from the stored key', async () => {
    const on = await bench(PROFILE, { env: { FIATRAIL_PROFILE: 'main', FIATRAIL_API_KEY: 'key-planted-of-another' } });
    on.service.live = 'key-planted-of-another';
    const error = await on.refused(['keys', 'rotate', '--yes', '--no-input', '-o', 'json'], 2);
    expect({ code: error.code, storedKey: on.storedKey(), live: on.service.live }).toEqual({
      code: 'TWO_KEYS',
      storedKey: OLD,
      live: 'key-planted-of-another',
    });
  });

  test('exits with 9 during another rotation', async () => {
    const on = await bench();
    let second: Promise<{ code: string }> | undefined;
    on.service.regenerate = async (replace) => {
      second = on.refused(ROTATE, 9);
      await second;
      return replace();
    };
    const first = await on.run(ROTATE);
    expect({ firstCode: first.code, secondCode: (await second)?.code }).toEqual({
      firstCode: 0,
      secondCode: 'ROTATION_UNDER_WAY',
    });
    expect({ rows: on.rows(), storedKey: on.storedKey() }).toEqual({ rows: [['done', 'settled']], storedKey: NEW });
  });

  test('exits with 9 and keeps a key that another command rotated during the prompt', async () => {
    const on = await bench();
    const confirm = async () => {
      expect((await on.run(ROTATE)).code).toBe(0);
      return true;
    };
    const prompter = async () => ({ ...(await on.world.prompter()), confirm, text: async () => '' });
    const terminal = { isTerminal: true, readAll: async () => '' };
    const stderr = { ...on.world.stderr, isTerminal: true };
    const { code } = await on.run(ALONE, { prompter, stdin: terminal, stderr });
    expect({ code, storedKey: on.storedKey(), live: on.service.live, left: on.left() }).toEqual({
      code: 9,
      storedKey: NEW,
      live: NEW,
      left: [],
    });
    expect(on.rows()).toEqual(
      expect.arrayContaining([
        ['done', 'settled'],
        ['rejected', 'rejected'],
      ]),
    );
  });
});

/** The file that a message names, with its content and mode. */
function fileNamed(message: string): { readonly text: string; readonly mode: number } {
  const path = /in (\/\S+?)\)?$/.exec(message)?.[1] ?? 'no file';
  return { text: readFileSync(path, 'utf8'), mode: statSync(path).mode & 0o777 };
}

describe('a store that fails while the response arrives', () => {
  test('exits with 8 and leaves the key in a private file, and --resume finishes', async () => {
    const on = await bench();
    on.service.regenerate = (replace) => {
      on.breakStore();
      return replace();
    };
    const error = await on.refused(ROTATE, 8);
    expect({ code: error.code, ...fileNamed(error.message) }).toEqual({
      code: 'KEY_NOT_STORED',
      text: NEW,
      mode: 0o600,
    });
    expect((await on.refused(RESUME_COMMAND, 8)).code).toBe('KEY_NOT_STORED');
    expect((await on.refused(ROTATE, 9)).code).toBe('ROTATION_UNDER_WAY');
    on.repairStore();
    expect(JSON.parse((await on.run(RESUME_COMMAND)).stdout)).toMatchObject({ outcome: 'replaced' });
    expect({ storedKey: on.storedKey(), rows: on.rows(), left: on.left() }).toEqual({
      storedKey: NEW,
      rows: [['done', 'settled']],
      left: [],
    });
  });

  const rotations = ({ world }: Bench) => join(world.stateDir, 'rotations');
  const strays = ({ world }: Bench) => readdirSync(world.homeDir).filter((name) => name.startsWith('.fiatrail'));
  const breakRoom = (on: Bench) => {
    rmSync(rotations(on), { recursive: true });
    writeFileSync(rotations(on), 'in the way');
  };

  test('together with the reserved folder exits with 8 and leaves the key in the home folder', async () => {
    const on = await bench();
    on.service.regenerate = (replace) => {
      on.breakStore();
      breakRoom(on);
      return replace();
    };
    const error = await on.refused(ROTATE, 8);
    expect({ code: error.code, ...fileNamed(error.message) }).toEqual({
      code: 'KEY_NOT_STORED',
      text: NEW,
      mode: 0o600,
    });
    on.repairStore();
    rmSync(rotations(on));
    expect((await on.run(RESUME_COMMAND)).code).toBe(0);
    expect({ storedKey: on.storedKey(), rows: on.rows(), left: on.left(), strays: strays(on) }).toEqual({
      storedKey: NEW,
      rows: [['done', 'settled']],
      left: [],
      strays: [],
    });
  });

  test('a missing reserved folder alone is harmless', async () => {
    const on = await bench();
    on.service.regenerate = (replace) => {
      breakRoom(on);
      return replace();
    };
    expect((await on.run(ROTATE)).code).toBe(0);
    expect({ storedKey: on.storedKey(), rows: on.rows(), strays: strays(on) }).toEqual({
      storedKey: NEW,
      rows: [['done', 'settled']],
      strays: [],
    });
  });

  test('another command reports what is left and still does its work', async () => {
    const on = await bench();
    on.service.regenerate = (replace) => {
      on.breakStore();
      return replace();
    };
    await on.refused(ROTATE, 8);
    on.repairStore();
    const { code, stderr } = await on.run(['keys', 'platform', 'show', '--profile', 'main', '-o', 'json']);
    expect({ code, storedKey: on.storedKey() }).toEqual({ code: 0, storedKey: NEW });
    expect(stderr).toContain('finished an interrupted API key rotation; new key stored in: the key file');
  });
});

describe('a failure after the rotation', () => {
  test('in the verifying read exits with 8, and --resume retries', async () => {
    const on = await bench();
    on.service.read = () =>
      on.service.live === OLD ? success({ publicKey: 'ab'.repeat(32) }) : refusal(403, '03', `no ${NEW}`);
    expect((await on.refused(ROTATE, 8)).code).toBe('NEW_KEY_NOT_PROVEN');
    expect(on.storedKey()).toBe(NEW);
    on.service.read = () => success({ publicKey: 'ab'.repeat(32) });
    expect((await on.run(RESUME_COMMAND)).code).toBe(0);
    expect({ rows: on.rows(), left: on.left() }).toEqual({ rows: [['done', 'settled']], left: [] });
  });

  test('in a push command exits with 8, and --resume runs the remaining ones', async () => {
    const on = await bench();
    const got: string[] = [];
    on.programs['first'] = (input) => {
      got.push(`first ${input}`);
      return ended(0);
    };
    let code = 3;
    let said = '';
    on.programs['second'] = (input) => {
      got.push(`second ${input}`);
      return { ...ended(code), stderr: said };
    };
    const push = ['--push-command', 'first key=-', '--push-command', 'second'];
    said = `debug: value ${NEW}\nError: permission denied\n`;
    const error = await on.refused([...ROTATE, ...push], 8);
    expect({ code: error.code, message: error.message }).toEqual({
      code: 'PUSH_FAILED',
      message: expect.stringMatching(
        /push command 2 of 2 failed with exit code 3; it said: \[redacted\] \/ Error: permission denied$/,
      ),
    });
    code = 0;
    expect(JSON.parse((await on.run(RESUME_COMMAND)).stdout)).toMatchObject({ pushedTo: 2 });
    expect({ got, left: on.left() }).toEqual({ got: [`first ${NEW}`, `second ${NEW}`, `second ${NEW}`], left: [] });
  });
});

describe('Ctrl-C', () => {
  test('while waiting for the response exits with 130, and --resume picks it up', async () => {
    const on = await bench();
    const stop = new AbortController();
    on.rotationProcess = async (usual) => {
      await usual();
      stop.abort();
      return { kind: 'late' };
    };
    expect((await on.refused(ROTATE, 130, { interrupted: stop.signal })).hint).toContain('--resume');
    expect({ rows: on.rows(), storedKey: on.storedKey() }).toEqual({ rows: [['sending', 'sent']], storedKey: OLD });
    expect((await on.run(RESUME_COMMAND)).code).toBe(0);
    expect({ rows: on.rows(), storedKey: on.storedKey(), left: on.left() }).toEqual({
      rows: [['done', 'settled']],
      storedKey: NEW,
      left: [],
    });
  });

  test('in a push command exits with 130, with the key in its store', async () => {
    const on = await bench();
    const stop = new AbortController();
    on.programs['push'] = () => {
      stop.abort();
      return { kind: 'late' };
    };
    const error = await on.refused([...ROTATE, '--push-command', 'push'], 130, { interrupted: stop.signal });
    expect({ hint: error.hint, storedKey: on.storedKey() }).toEqual({
      hint: 'finish with: fiatrail keys rotate --resume',
      storedKey: NEW,
    });
    on.programs['push'] = () => ended(0);
    expect((await on.run(RESUME_COMMAND)).code).toBe(0);
  });
});

describe('--resume', () => {
  const lostWith = async (replaces: boolean, way: Way = fails(droppedLine, replaces)) => {
    const on = await bench();
    on.service.regenerate = way;
    await on.refused(ROTATE, 6);
    return on;
  };

  test('exits with 2 with nothing to finish', async () => {
    const { refused, run } = await bench();
    expect((await refused(RESUME_COMMAND, 2)).code).toBe('NOTHING_TO_RESUME');
    await run(ROTATE);
    expect((await refused(RESUME_COMMAND, 2)).code).toBe('NOTHING_TO_RESUME');
  });

  test('with push commands runs them instead of the remaining ones', async () => {
    const on = await bench();
    const got: string[] = [];
    const program = (name: string, code: number) => (input: string) => {
      got.push(`${name} ${input}`);
      return ended(code);
    };
    Object.assign(on.programs, { good: program('good', 0), bad: program('bad', 1), other: program('other', 0) });
    await on.refused([...ROTATE, '--push-command', 'good', '--push-command', 'bad'], 8);
    expect((await on.refused([...RESUME_COMMAND, '--push-command', 'nowhere'], 2)).code).toBe('PUSH_COMMAND_MISSING');
    const { stdout } = await on.run([...RESUME_COMMAND, '--push-command', 'other']);
    expect({ pushedTo: JSON.parse(stdout).pushedTo, got, left: on.left() }).toEqual({
      pushedTo: 2,
      got: [`good ${NEW}`, `bad ${NEW}`, `other ${NEW}`],
      left: [],
    });
  });

  test('after no response finds that the old key works', async () => {
    const on = await lostWith(false);
    const { code, stdout } = await on.run(RESUME_COMMAND);
    expect({ code, printed: JSON.parse(stdout) }).toMatchObject({ code: 0, printed: { outcome: 'not replaced' } });
    on.service.regenerate = (replace) => replace();
    expect((await on.run(ROTATE)).code).toBe(0);
  });

  test('keeps an unusable response until the old key is found to work', async () => {
    const on = await lostWith(
      false,
      says(() => html(502), false),
    );
    expect({ left: on.left(), rows: on.rows() }).toEqual({
      left: [expect.stringMatching(/\.answer$/)],
      rows: [['lost', 'unknown']],
    });
    await on.run(RESUME_COMMAND);
    expect({ left: on.left(), rows: on.rows() }).toEqual({ left: [], rows: [['rejected', 'rejected']] });
    on.service.regenerate = (replace) => replace();
    await on.run(ROTATE);
    expect({ left: on.left(), storedKey: on.storedKey() }).toEqual({ left: [], storedKey: NEW });
  });

  test('after no response exits with 4 if the old key is rejected', async () => {
    const error = await (await lostWith(true)).refused(RESUME_COMMAND, 4);
    expect(error).toMatchObject({
      code: 'KEY_LOST',
      hint: 'ask the service for a new key; then store it with: fiatrail profiles add main --key-stdin',
    });
  });

  test('after no response exits with 4 for a blocked address and does not call the key rejected', async () => {
    const on = await lostWith(false);
    on.service.read = () => refusal(403, '03', 'this address may not call');
    expect(await on.refused(RESUME_COMMAND, 4)).toMatchObject({ code: 'IP_BLOCKED' });
  });

  test('after an unreadable response exits with 4 and names the file that contains it', async () => {
    const on = await lostWith(true, cut(1));
    const { code, message } = await on.refused(RESUME_COMMAND, 4);
    const { text, mode } = fileNamed(message);
    expect({ code, hasNewKey: text.includes(NEW), mode }).toEqual({ code: 'KEY_LOST', hasNewKey: true, mode: 0o600 });
    writeFileSync(join(on.secrets, 'main.api-key'), NEW);
    expect(JSON.parse((await on.run(RESUME_COMMAND)).stdout)).toMatchObject({ outcome: 'another key works' });
    expect(on.left()).toEqual([]);
  });

  test('does nothing in a dry run', async () => {
    const on = await bench();
    on.service.regenerate = (replace) => {
      on.breakStore();
      return replace();
    };
    await on.refused(ROTATE, 8);
    on.repairStore();
    for (const argv of [
      [...RESUME_COMMAND, '--dry-run'],
      ['keys', 'platform', 'show', '--profile', 'main', '--dry-run'],
    ])
      await on.run(argv);
    expect({ exists: existsSync(join(on.secrets, 'main.api-key')), rows: on.rows() }).toEqual({
      exists: false,
      rows: [['answered', 'accepted']],
    });
    expect((await on.run(RESUME_COMMAND)).code).toBe(0);
  });
});

describe('an account whose key is stored elsewhere', () => {
  const ENV = { env: { ...ACCOUNT, FIATRAIL_API_KEY: OLD } };
  const OF_ENV = ['keys', 'rotate', '--yes', '--no-input', '-o', 'json'];
  const COMMAND = {
    ...PROFILE,
    store: { kind: 'command', command: 'vault', isShell: false, trusted: 'program: vault' },
  } as const;

  test('exits with 2 without a push command or --print-key', async () => {
    const on = await bench(undefined, ENV);
    expect((await on.refused(OF_ENV, 2)).code).toBe('NO_STORE');
    expect(on.service.asked).toEqual([]);
  });

  test('also writes the key to a private file with --print-key', async () => {
    const on = await bench(undefined, ENV);
    const { stdout } = await on.run([...OF_ENV, '--print-key']);
    const { keyFile, ...data } = JSON.parse(stdout) as { keyFile: string; apiKey: string };
    expect({ apiKey: data.apiKey, ...fileNamed(`in ${keyFile}`) }).toEqual({ apiKey: NEW, text: NEW, mode: 0o600 });
    expect(on.left()).toEqual([expect.stringMatching(/\.api-key$/)]);
  });

  test('writes the key to the home folder with --print-key when the reserved folder is gone', async () => {
    const on = await bench(undefined, ENV);
    const room = join(on.world.stateDir, 'rotations');
    on.service.regenerate = (replace) => {
      rmSync(room, { recursive: true });
      writeFileSync(room, 'in the way');
      return replace();
    };
    const { keyFile } = JSON.parse((await on.run([...OF_ENV, '--print-key'])).stdout) as { keyFile: string };
    expect(fileNamed(`in ${keyFile}`)).toEqual({ text: NEW, mode: 0o600 });
  });

  test('is done once the push command succeeds', async () => {
    const on = await bench(undefined, ENV);
    on.programs['vault'] = () => ended(0);
    const { code, stderr } = await on.run([...OF_ENV, '--push-command', 'vault put']);
    expect({ code, left: on.left() }).toEqual({ code: 0, left: [] });
    expect(stderr).toContain('FIATRAIL_API_KEY still contains the old key');
  });

  test('with a key command exits with 8 until the command prints the new key', async () => {
    const on = await bench(COMMAND);
    let printed = OLD;
    on.programs['vault'] = () => ended(0, printed);
    on.programs['push'] = () => ended(0);
    const error = await on.refused([...ROTATE, '--push-command', 'push'], 8);
    expect({ code: error.code, ...fileNamed(error.message) }).toEqual({
      code: 'KEY_COMMAND_OLD',
      text: NEW,
      mode: 0o600,
    });
    printed = NEW;
    expect((await on.run(RESUME_COMMAND)).code).toBe(0);
    expect({ rows: on.rows(), left: on.left() }).toEqual({ rows: [['done', 'settled']], left: [] });
  });

  test('with a key command but no push command exits with 2', async () => {
    const on = await bench(COMMAND);
    on.programs['vault'] = () => ended(0, OLD);
    expect((await on.refused(ROTATE, 2)).code).toBe('NO_STORE');
  });
});

describe('leftovers of a killed rotation', () => {
  const ID = '01900000-0000-7000-8000-000000000abc';

  test('without a journal entry are removed by the next command', async () => {
    const on = await bench();
    const folder = join(on.world.stateDir, 'rotations');
    mkdirSync(folder, { recursive: true });
    for (const name of ['answer', 'key', 'work.db'])
      writeFileSync(join(folder, `${ID}.${name}`), name.endsWith('.db') ? '' : '  ');
    await on.run(['keys', 'platform', 'show', '--profile', 'main']);
    expect(on.left()).toEqual([]);
  });

  test('are kept if they may contain a key', async () => {
    const on = await bench();
    const folder = join(on.world.stateDir, 'rotations');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${ID}.key`), NEW);
    await on.run(['keys', 'platform', 'show', '--profile', 'main']);
    expect(on.left()).toEqual([`${ID}.key`]);
  });
});
