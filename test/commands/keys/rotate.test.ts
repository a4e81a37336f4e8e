import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { journalPath } from '../../../src/account/paths.ts';
import { Secret } from '../../../src/base/secret.ts';
import type { HttpResponse } from '../../../src/base/world.ts';
import { fingerprint } from '../../../src/crypto/fingerprint.ts';
import { openJournal } from '../../../src/journal/journal.ts';
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

test('an AES key that the service does not give is no empty key: 5', async () => {
  const { run, service } = await bench();
  service.read = () => success({ aesKey: null });
  const { code, stdout, stderr } = await run(['keys', 'aes', '--print-key', '--profile', 'main']);
  expect({ code, stdout, stderr }).toEqual({
    code: 5,
    stdout: '',
    stderr: expect.stringContaining('it has no AES key'),
  });
});

/** What comes of the one request, and how the command ends. */
const OUTCOMES: readonly [what: string, way: Way, exit: number, code: string][] = [
  ['a refusal', says(() => refusal(400, '01', `no, not ${OLD}`), false), 3, 'REFUSED'],
  ['a refused key', says(() => refusal(401, '03', `who is ${OLD}?`), false), 4, 'AUTHENTICATION_FAILED'],
  ['a rate limit', says(() => tooMany({ 'retry-after': '3600' }), false), 7, 'RATE_LIMIT_EXCEEDED'],
  ['no connection', fails(refusedConnection, false), 5, 'NETWORK'],
  ['a line that drops before it is done', fails(droppedLine, false), 6, 'OUTCOME_UNKNOWN'],
  ['a line that drops after it was done', fails(droppedLine, true), 6, 'OUTCOME_UNKNOWN'],
  ['a failure of the service', says(() => json(500, '{"response_code":"05"}'), true), 6, 'OUTCOME_UNKNOWN'],
  ['a page of HTML', says(() => html(502), true), 6, 'OUTCOME_UNKNOWN'],
  ['half an answer', cut(20), 6, 'OUTCOME_UNKNOWN'],
  ['an answer without its end', cut(1), 6, 'OUTCOME_UNKNOWN'],
  ['an answer without a key', says(() => success({}), true), 6, 'INVALID_KEY'],
  ['a key that is none', says(() => success({ apiKey: 'key-planted with blanks' }), true), 6, 'INVALID_KEY'],
  [
    'a fault of ours',
    () => {
      throw new TypeError('x');
    },
    6,
    'OUTCOME_UNKNOWN',
  ],
];

describe('a replacement', () => {
  test('that is answered ends with the new key in its store, proven and nowhere else: 0', async () => {
    const { run, service, storedKey, rows, left } = await bench();
    const { code, stdout, stderr } = await run([...ROTATE, '-v']);
    expect({ code, printed: JSON.parse(stdout) }, stderr).toEqual({
      code: 0,
      printed: {
        profile: 'main',
        outcome: 'replaced',
        oldFingerprint: fingerprint(new Secret(OLD)),
        fingerprint: fingerprint(new Secret(NEW)),
        keptIn: 'its file',
        operationId: expect.any(String),
      },
    });
    expect(service.asked.filter((path) => path === '/regenerateapikey')).toHaveLength(1);
    expect({ storedKey: storedKey(), live: service.live, rows: rows(), left: left() }).toEqual({
      storedKey: NEW,
      live: NEW,
      rows: [['done', 'accepted']],
      left: [],
    });
  });

  test('prints the fields that it is asked for', async () => {
    const { run } = await bench();
    const { code, stdout } = await run([...ROTATE, '--fields', 'outcome,fingerprint']);
    expect({ code, printed: JSON.parse(stdout) }).toEqual({
      code: 0,
      printed: { outcome: 'replaced', fingerprint: fingerprint(new Secret(NEW)) },
    });
  });

  test('is refused with a field that it does not print, while the old key lives', async () => {
    const { refused, service } = await bench();
    const { message } = await refused([...ROTATE, '--fields', 'apiKey'], 2);
    expect({ message, live: service.live }).toEqual({
      message: expect.stringContaining('unknown field "apiKey"'),
      live: OLD,
    });
  });

  test('that is unfinished is told of when its profile is removed, and where the new key stays', async () => {
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
    const ends = exit === 6 ? ['lost', 'unknown'] : ['refused', 'refused'];
    expect({ code: error.code, storedKey: storedKey(), rows: rows() }).toEqual({ code, storedKey: OLD, rows: [ends] });
    if (exit === 6) {
      expect(error.hint).toContain('fiatrail keys rotate --resume');
      return;
    }
    expect(left()).toEqual([]);
    service.regenerate = (replace) => replace();
    expect((await run(ROTATE)).code).toBe(0);
  });

  test('whose process cannot be started sends nothing: 5, and can be run again', async () => {
    const on = await bench();
    on.keeper = () => ({ kind: 'missing' });
    expect((await on.refused(ROTATE, 5)).message).toContain('nothing was sent');
    expect({ rows: on.rows(), left: on.left(), live: on.service.live }).toEqual({
      rows: [['refused', 'refused']],
      left: [],
      live: OLD,
    });
    on.keeper = (usual) => usual();
    expect((await on.run(ROTATE)).code).toBe(0);
  });

  test('whose process is killed with the request out is in doubt: 6', async () => {
    const on = await bench();
    on.keeper = async () => {
      await claim(on);
      return ended(null);
    };
    expect((await on.refused(ROTATE, 6)).code).toBe('OUTCOME_UNKNOWN');
    expect({ rows: on.rows(), left: on.left() }).toEqual({ rows: [['lost', 'unknown']], left: [] });
  });

  test('prints the key when it is asked to, and then only', async () => {
    const { run } = await bench();
    const { code, stdout } = await run([...ROTATE, '--print-key']);
    expect({ code, printed: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      printed: { apiKey: NEW, keptIn: 'its file' },
    });
  });
});

/** The process that sends has taken it, as far as the journal knows. */
async function claim({ world }: Bench): Promise<void> {
  const journal = await openJournal(journalPath(world), world.clock, world.ids);
  const open = journal.rotations.openOf({ profile: 'main', baseUrl: PROFILE.baseUrl ?? '' });
  journal.moveRotation(open?.operationId ?? '', 'prepared', 'sending');
  journal.close();
}

const ALONE = ['keys', 'rotate', '--profile', 'main', '-o', 'json'];

describe('before anything is sent', () => {
  /** What was asked of the service besides reads, and what is left on the machine. */
  const untouched = ({ service, rows, left, storedKey }: Bench) => ({
    isReplaced: service.asked.includes('/regenerateapikey'),
    rows: rows(),
    left: left(),
    storedKey: storedKey(),
  });
  const NOTHING = { isReplaced: false, rows: [], left: [], storedKey: OLD };
  /** On a terminal it asks who else gets the new key. */
  const NOBODY_ELSE: Answer = { kind: 'text', asks: 'on its standard input (Enter for none)', says: '' };

  test('a dry run shows the request, and keeps nothing', async () => {
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
      'who declines',
      [],
      9,
      [NOBODY_ELSE, { kind: 'confirm', asks: 'replace the API key of main: go ahead?', says: false }],
    ],
    ['nobody to ask', [], 2, undefined],
    ['a push command that is not there', ['--yes', '--push-command', 'nowhere key=-'], 2, undefined],
    ['a push command of nothing', ['--yes', '--push-command', ' '], 2, undefined],
  ])('%s changes nothing', async (_what, more, exit, answers) => {
    const on = await bench(PROFILE, answers ? { isTerminal: true, answers } : {});
    const { code, stdout } = await on.run([...ALONE, ...more]);
    expect({ code, stdout, ...untouched(on) }).toEqual({ code: exit, stdout: '', ...NOTHING });
  });

  test('a key that is dead already is said to be: 4', async () => {
    const on = await bench();
    on.service.live = 'another';
    expect((await on.refused(ROTATE, 4)).code).toBe('AUTHENTICATION_FAILED');
    expect(untouched(on)).toEqual(NOTHING);
  });

  test('a store that takes nothing is found out: 2', async () => {
    const on = await bench();
    const key = on.storedKey();
    rmSync(join(on.secrets, 'main.api-key'));
    on.breakStore();
    await on.refused(ROTATE, 2);
    on.mendStore();
    writeFileSync(join(on.secrets, 'main.api-key'), key);
    expect(untouched(on)).toEqual(NOTHING);
  });

  test('no room for the new key is found out: 2', async () => {
    const on = await bench();
    writeFileSync(on.world.stateDir, 'in the way');
    expect((await on.refused(ROTATE, 2)).code).toBe('STATE_UNWRITABLE');
    expect({ isReplaced: on.service.asked.includes('/regenerateapikey'), storedKey: on.storedKey() }).toEqual({
      isReplaced: false,
      storedKey: OLD,
    });
  });

  test('a key of the environment in the place of another that is stored is found out: 2', async () => {
    const on = await bench(PROFILE, { env: { FIATRAIL_PROFILE: 'main', FIATRAIL_API_KEY: 'key-planted-of-another' } });
    on.service.live = 'key-planted-of-another';
    const error = await on.refused(['keys', 'rotate', '--yes', '--no-input', '-o', 'json'], 2);
    expect({ code: error.code, storedKey: on.storedKey(), live: on.service.live }).toEqual({
      code: 'TWO_KEYS',
      storedKey: OLD,
      live: 'key-planted-of-another',
    });
  });

  test('a second one at once is told so, and one wins: 9', async () => {
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
    expect({ rows: on.rows(), storedKey: on.storedKey() }).toEqual({ rows: [['done', 'accepted']], storedKey: NEW });
  });

  test('a key that another command replaced in the midst of the question stays: 9', async () => {
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
        ['done', 'accepted'],
        ['refused', 'refused'],
      ]),
    );
  });
});

/** The file that a message names, what is in it and who may read it. */
function fileNamed(message: string): { readonly text: string; readonly mode: number } {
  const path = /in (\/\S+?)\)?$/.exec(message)?.[1] ?? 'no file';
  return { text: readFileSync(path, 'utf8'), mode: statSync(path).mode & 0o777 };
}

describe('a store that breaks while the answer comes', () => {
  test('leaves the key in a private file: 8; --resume finishes', async () => {
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
    on.mendStore();
    expect(JSON.parse((await on.run(RESUME_COMMAND)).stdout)).toMatchObject({ outcome: 'replaced' });
    expect({ storedKey: on.storedKey(), rows: on.rows(), left: on.left() }).toEqual({
      storedKey: NEW,
      rows: [['done', 'accepted']],
      left: [],
    });
  });

  const rotations = ({ world }: Bench) => join(world.stateDir, 'rotations');
  const strays = ({ world }: Bench) => readdirSync(world.homeDir).filter((name) => name.startsWith('.fiatrail'));
  const breakRoom = (on: Bench) => {
    rmSync(rotations(on), { recursive: true });
    writeFileSync(rotations(on), 'in the way');
  };

  test('and the folder of the key’s room with it: the key is in the home folder: 8', async () => {
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
    on.mendStore();
    rmSync(rotations(on));
    expect((await on.run(RESUME_COMMAND)).code).toBe(0);
    expect({ storedKey: on.storedKey(), rows: on.rows(), left: on.left(), strays: strays(on) }).toEqual({
      storedKey: NEW,
      rows: [['done', 'accepted']],
      left: [],
      strays: [],
    });
  });

  test('the folder of the key’s room alone is no hindrance', async () => {
    const on = await bench();
    on.service.regenerate = (replace) => {
      breakRoom(on);
      return replace();
    };
    expect((await on.run(ROTATE)).code).toBe(0);
    expect({ storedKey: on.storedKey(), rows: on.rows(), strays: strays(on) }).toEqual({
      storedKey: NEW,
      rows: [['done', 'accepted']],
      strays: [],
    });
  });

  test('a command in between says what is left, and does its own work', async () => {
    const on = await bench();
    on.service.regenerate = (replace) => {
      on.breakStore();
      return replace();
    };
    await on.refused(ROTATE, 8);
    on.mendStore();
    const { code, stderr } = await on.run(['keys', 'platform', '--profile', 'main', '-o', 'json']);
    expect({ code, storedKey: on.storedKey() }).toEqual({ code: 0, storedKey: NEW });
    expect(stderr).toContain('an interrupted replacement of the API key was finished: it is kept in its file');
  });
});

describe('what fails after the key was replaced', () => {
  test('a read with it: 8, and --resume tries again', async () => {
    const on = await bench();
    on.service.read = () =>
      on.service.live === OLD ? success({ publicKey: 'ab'.repeat(32) }) : refusal(403, '03', `no ${NEW}`);
    expect((await on.refused(ROTATE, 8)).code).toBe('NEW_KEY_NOT_PROVEN');
    expect(on.storedKey()).toBe(NEW);
    on.service.read = () => success({ publicKey: 'ab'.repeat(32) });
    expect((await on.run(RESUME_COMMAND)).code).toBe(0);
    expect({ rows: on.rows(), left: on.left() }).toEqual({ rows: [['done', 'accepted']], left: [] });
  });

  test('a push command: 8, and --resume runs those that are left', async () => {
    const on = await bench();
    const got: string[] = [];
    on.programs['first'] = (input) => {
      got.push(`first ${input}`);
      return ended(0);
    };
    let code = 3;
    on.programs['second'] = (input) => {
      got.push(`second ${input}`);
      return ended(code);
    };
    const push = ['--push-command', 'first key=-', '--push-command', 'second'];
    const error = await on.refused([...ROTATE, ...push], 8);
    expect({ code: error.code, message: error.message }).toEqual({
      code: 'PUSH_FAILED',
      message: expect.stringContaining('push command 2 of 2 failed with exit code 3'),
    });
    code = 0;
    expect(JSON.parse((await on.run(RESUME_COMMAND)).stdout)).toMatchObject({ pushedTo: 2 });
    expect({ got, left: on.left() }).toEqual({ got: [`first ${NEW}`, `second ${NEW}`, `second ${NEW}`], left: [] });
  });
});

describe('Ctrl-C', () => {
  test('while the answer is out: 130, and the answer is taken by --resume', async () => {
    const on = await bench();
    const stop = new AbortController();
    on.keeper = async (usual) => {
      await usual();
      stop.abort();
      return { kind: 'late' };
    };
    expect((await on.refused(ROTATE, 130, { interrupted: stop.signal })).hint).toContain('--resume');
    expect({ rows: on.rows(), storedKey: on.storedKey() }).toEqual({ rows: [['sending', 'sent']], storedKey: OLD });
    expect((await on.run(RESUME_COMMAND)).code).toBe(0);
    expect({ rows: on.rows(), storedKey: on.storedKey(), left: on.left() }).toEqual({
      rows: [['done', 'accepted']],
      storedKey: NEW,
      left: [],
    });
  });

  test('in a push command: 130, with the key in its store', async () => {
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

  test('with nothing to finish: 2', async () => {
    const { refused, run } = await bench();
    expect((await refused(RESUME_COMMAND, 2)).code).toBe('NOTHING_TO_RESUME');
    await run(ROTATE);
    expect((await refused(RESUME_COMMAND, 2)).code).toBe('NOTHING_TO_RESUME');
  });

  test('with push commands runs those in the place of what has not got the key', async () => {
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

  test('after no answer finds that the old key works', async () => {
    const on = await lostWith(false);
    const { code, stdout } = await on.run(RESUME_COMMAND);
    expect({ code, printed: JSON.parse(stdout) }).toMatchObject({ code: 0, printed: { outcome: 'not replaced' } });
    on.service.regenerate = (replace) => replace();
    expect((await on.run(ROTATE)).code).toBe(0);
  });

  test('keeps an answer that was of no use until the old key is found to work, which ends the doubt', async () => {
    const on = await lostWith(
      false,
      says(() => html(502), false),
    );
    expect({ left: on.left(), rows: on.rows() }).toEqual({
      left: [expect.stringMatching(/\.answer$/)],
      rows: [['lost', 'unknown']],
    });
    await on.run(RESUME_COMMAND);
    expect({ left: on.left(), rows: on.rows() }).toEqual({ left: [], rows: [['refused', 'refused']] });
    on.service.regenerate = (replace) => replace();
    await on.run(ROTATE);
    expect({ left: on.left(), storedKey: on.storedKey() }).toEqual({ left: [], storedKey: NEW });
  });

  test('after no answer finds that the old key is dead: 4', async () => {
    const error = await (await lostWith(true)).refused(RESUME_COMMAND, 4);
    expect(error).toMatchObject({
      code: 'KEY_LOST',
      hint: 'ask the service for a new key, then: fiatrail profiles add main --key-stdin',
    });
  });

  test('after no answer takes no address that may not call for a dead key: 4', async () => {
    const on = await lostWith(false);
    on.service.read = () => refusal(403, '03', 'this address may not call');
    expect(await on.refused(RESUME_COMMAND, 4)).toMatchObject({ code: 'IP_BLOCKED' });
  });

  test('after an answer that cannot be read names the file that has it: 4', async () => {
    const on = await lostWith(true, cut(1));
    const { code, message } = await on.refused(RESUME_COMMAND, 4);
    const { text, mode } = fileNamed(message);
    expect({ code, hasNewKey: text.includes(NEW), mode }).toEqual({ code: 'KEY_LOST', hasNewKey: true, mode: 0o600 });
    writeFileSync(join(on.secrets, 'main.api-key'), NEW);
    expect(JSON.parse((await on.run(RESUME_COMMAND)).stdout)).toMatchObject({ outcome: 'another key works' });
    expect(on.left()).toEqual([]);
  });

  test('of a dry run does nothing', async () => {
    const on = await bench();
    on.service.regenerate = (replace) => {
      on.breakStore();
      return replace();
    };
    await on.refused(ROTATE, 8);
    on.mendStore();
    for (const argv of [
      [...RESUME_COMMAND, '--dry-run'],
      ['keys', 'platform', '--profile', 'main', '--dry-run'],
    ])
      await on.run(argv);
    expect({ exists: existsSync(join(on.secrets, 'main.api-key')), rows: on.rows() }).toEqual({
      exists: false,
      rows: [['answered', 'accepted']],
    });
    expect((await on.run(RESUME_COMMAND)).code).toBe(0);
  });
});

describe('an account whose key is kept elsewhere', () => {
  const ENV = { env: { ...ACCOUNT, FIATRAIL_API_KEY: OLD } };
  const OF_ENV = ['keys', 'rotate', '--yes', '--no-input', '-o', 'json'];
  const COMMAND = { ...PROFILE, store: { kind: 'command', command: 'vault', isShell: false } } as const;

  test('needs somebody to take the new key: 2', async () => {
    const on = await bench(undefined, ENV);
    expect((await on.refused(OF_ENV, 2)).code).toBe('NO_STORE');
    expect(on.service.asked).toEqual([]);
  });

  test('with --print-key has it in a private file too', async () => {
    const on = await bench(undefined, ENV);
    const { stdout } = await on.run([...OF_ENV, '--print-key']);
    const { keyFile, ...data } = JSON.parse(stdout) as { keyFile: string; apiKey: string };
    expect({ apiKey: data.apiKey, ...fileNamed(`in ${keyFile}`) }).toEqual({ apiKey: NEW, text: NEW, mode: 0o600 });
    expect(on.left()).toEqual([expect.stringMatching(/\.api-key$/)]);
  });

  test('with --print-key has it in the home folder when the key’s room is gone', async () => {
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

  test('with a push command is done when that took it', async () => {
    const on = await bench(undefined, ENV);
    on.programs['vault'] = () => ended(0);
    const { code, stderr } = await on.run([...OF_ENV, '--push-command', 'vault put']);
    expect({ code, left: on.left() }).toEqual({ code: 0, left: [] });
    expect(stderr).toContain('FIATRAIL_API_KEY has the old key');
  });

  test('of a key command is done when the command prints the new key, and not before: 8', async () => {
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
    expect({ rows: on.rows(), left: on.left() }).toEqual({ rows: [['done', 'accepted']], left: [] });
  });

  test('of a key command without a push command is refused: 2', async () => {
    const on = await bench(COMMAND);
    on.programs['vault'] = () => ended(0, OLD);
    expect((await on.refused(ROTATE, 2)).code).toBe('NO_STORE');
  });
});

describe('what a kill leaves', () => {
  const ID = '01900000-0000-7000-8000-000000000abc';

  test('before its first word in the journal is tidied by the next command', async () => {
    const on = await bench();
    const folder = join(on.world.stateDir, 'rotations');
    mkdirSync(folder, { recursive: true });
    for (const name of ['answer', 'key', 'work.db'])
      writeFileSync(join(folder, `${ID}.${name}`), name.endsWith('.db') ? '' : '  ');
    await on.run(['keys', 'platform', '--profile', 'main']);
    expect(on.left()).toEqual([]);
  });

  test('and no journal knows stays, when it may be a key', async () => {
    const on = await bench();
    const folder = join(on.world.stateDir, 'rotations');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${ID}.key`), NEW);
    await on.run(['keys', 'platform', '--profile', 'main']);
    expect(on.left()).toEqual([`${ID}.key`]);
  });
});
