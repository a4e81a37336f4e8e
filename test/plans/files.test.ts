import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import { MAX_PLAN_BYTES, parsePlan } from '../../src/engine/plans/file.ts';
import { signaturesOf } from '../../src/engine/plans/signatures.ts';
import {
  contentOf,
  exchangeKeys,
  LIVE_KEY,
  listOf,
  openTeamAfter,
  plan,
  type Team,
  twoPeople,
  yes,
} from './support.ts';

let team: Team;
beforeEach(async () => {
  ({ team } = await openTeamAfter(twoPeople));
});

const apply = (path: string) => team.run('bayo', ['plans', 'apply', path, '--yes']);

/** Applies and signs a file, which must both be refused in one sentence with an exit code and a message. */
async function isRefused(path: string, exit: number, message: string): Promise<void> {
  for (const word of ['apply', 'approve']) {
    const { code, stderr } = await team.run('bayo', ['plans', word, path, '--yes', '-q']);
    expect({ word, code, stderr }).toEqual({ word, code: exit, stderr: expect.stringContaining(message) });
    expect(stderr.split('\n').length).toBeLessThanOrEqual(4);
  }
  expect({ sent: team.service.sent, operations: team.operations() }).toEqual({ sent: [], operations: [] });
}

describe('a file is rejected if', () => {
  test('nothing is there', () => isRefused(team.file('none.json'), 2, 'the file does not exist'));

  test('it is a folder', () => {
    mkdirSync(team.file('folder'));
    return isRefused(team.file('folder'), 2, 'it is not a regular file');
  });

  test('it is a link', async () => {
    symlinkSync(await plan(team, 'ada'), team.file('link.json'));
    await isRefused(team.file('link.json'), 2, 'it is a symbolic link');
  });

  test.each([0o620, 0o602, 0o666])('others can write to it: %o', async (mode) => {
    const path = await plan(team, 'ada');
    chmodSync(path, mode);
    await isRefused(path, 2, 'other users can write to it');
  });

  test('it belongs to another user', () => {
    // Only root can give a file away; anyone else uses a file of root.
    const path = process.getuid?.() === 0 ? team.file('theirs.json') : '/etc/passwd';
    if (path !== '/etc/passwd') {
      writeFileSync(path, '{}', { mode: 0o644 });
      chownSync(path, 12_345, -1);
    }
    return isRefused(path, 2, 'it belongs to another user');
  });

  test('its line ends were converted, as Git does on Windows', async () => {
    const path = await plan(team, 'ada');
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('\n', '\r\n'));
    await isRefused(path, 2, 'was changed after it was written');
  });

  test('it is huge', async () => {
    const path = await plan(team, 'ada');
    truncateSync(path, MAX_PLAN_BYTES + 1);
    await isRefused(path, 2, 'it is too long for a plan');
  });

  test.each([
    ['nothing', ''],
    ['no JSON', 'a payout, please'],
    ['another document', '{"profiles":[]}'],
    ['a list', '[]'],
    ['deep JSON', '['.repeat(50_000)],
    ['no text', Buffer.from([0xff, 0xfe, 0x00])],
  ])('it contains %s', async (_what, content) => {
    writeFileSync(team.file('other.json'), content, { mode: 0o600 });
    await isRefused(team.file('other.json'), 2, 'is not a plan');
  });

  test('it is of a newer version', async () => {
    const path = await plan(team, 'ada');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"version": 1', '"version": 2'));
    await isRefused(path, 2, 'a plan of a newer version');
  });

  test('it is for another account', async () => {
    const path = await plan(team, 'ada');
    await team.run('bayo', ['profiles', 'add', 'main', '--key-stdin'], { stdin: 'another-live-key-of-bayo' });
    await isRefused(path, 2, 'the plan is for another account');
  });

  test('it is for the same key at another address', async () => {
    const path = await plan(team, 'ada');
    const moved = ['profiles', 'add', 'main', '--base-url', 'https://other.test/v1', '--key-stdin'];
    const { code, stderr } = await team.run('bayo', moved, { stdin: LIVE_KEY });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    await isRefused(path, 2, 'the plan is for another account');
    await team.run('bayo', ['profiles', 'use', 'sandbox']);
    await isRefused(path, 2, 'choose a profile with that account: --profile main');
  });

  test('it is cut off anywhere', async () => {
    const whole = readFileSync(await plan(team, 'ada'), 'utf8');
    for (let length = 0; length < whole.length; length += 97)
      expect(() => parsePlan(whole.slice(0, length), 'it'), `${length}`).toThrow('nothing was sent');
    writeFileSync(team.file('cut.json'), whole.slice(0, -1), { mode: 0o600 });
    await isRefused(team.file('cut.json'), 2, 'was changed after it was written');
  });
});

test('a file with another name for it is the same plan', async () => {
  const path = await plan(team, 'ada');
  linkSync(path, team.file('other.json'));
  expect([(await apply(path)).code, (await apply(team.file('other.json'))).code]).toEqual([0, 0]);
  expect(team.service.sent).toHaveLength(1);
});

test('no byte of a plan can be changed', async () => {
  const keys = await exchangeKeys(team, 'ada', 'bayo');
  const path = await plan(team, 'ada');
  await team.run('bayo', ['plans', 'approve', path], { answers: [yes('Approve the plan')] });
  const approvers = Object.entries(keys).map(([name, publicKey]) => ({
    name,
    publicKey,
    addedAt: '2026-01-05T08:00:00.000Z',
    addedBy: { user: name, host: 'host-1', approver: null },
  }));
  const signers = { list: listOf(approvers), isShared: false };
  const whole = readFileSync(path);
  const isWhole = async (bytes: Buffer) => {
    try {
      const found = parsePlan(bytes.toString(), 'it');
      return (await signaturesOf(found, signers)).length;
    } catch (error) {
      if (error instanceof CliError) return undefined;
      throw error;
    }
  };
  expect(await isWhole(whole)).toBe(2);
  /** Other values of a byte: its neighbour, the other letter case, a space and a digit. */
  const others = (byte: number) => [byte ^ 1, byte ^ 0x20, 0x20, 0x30].filter((each) => each !== byte);
  for (let at = 0; at < whole.length; at++) {
    const changes = others(whole[at] ?? 0);
    const changed = Buffer.from(whole);
    changed[at] = changes[at % changes.length] ?? 0;
    expect(await isWhole(changed), `at ${at}`).toBeUndefined();
  }
  expect((await apply(path)).code).toBe(0);
});

test('a plan of a key that was rotated is still for the account', async () => {
  const path = await plan(team, 'ada');
  await team.run('ada', ['ops', 'list']);
  const { openJournal } = await import('../../src/journal/open.ts');
  const { fakeWorld } = await import('../support/world.ts');
  const { fingerprint } = await import('../../src/crypto/digest.ts');
  const { Secret } = await import('../../src/base/secret.ts');
  const key = 'the-live-key-after-a-rotation';
  const journal = await openJournal(team.file('state/journal.db'), fakeWorld());
  const fintech = { id: 'f-1', isLive: true };
  const { keyFingerprint, baseUrl } = contentOf(path).plan.account;
  for (const each of [keyFingerprint, fingerprint(new Secret(key))])
    await journal.learnFintech({ keyFingerprint: each, profile: 'main', baseUrl }, fintech);
  journal.close();
  await team.run('bayo', ['profiles', 'add', 'main', '--key-stdin'], { stdin: key });
  expect((await apply(path)).code).toBe(0);
});
