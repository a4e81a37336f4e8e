import { beforeEach, describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/base/world.ts';
import { main } from '../../src/main.ts';
import { droppedLine, success } from '../support/exchange.ts';
import { journalRows } from '../support/journal.ts';
import { ACCOUNT, type FakeWorld, fakeWorld } from '../support/world.ts';

const REFUSED = '00000000000';
const GOOD = '22222222221';
const OTHER = '22222222222';

let world: FakeWorld;
beforeEach(() => {
  const plain = fakeWorld();
  // The ids of other tests contain the refused BVN, so that they would be redacted.
  world = {
    ...plain,
    ids: {
      ...plain.ids,
      uuid: () =>
        plain.ids
          .uuid()
          .replace(/-8000-0+/, '-8000-abcdefabc')
          .slice(0, 36),
    },
  };
});

async function run(...argv: string[]) {
  const [out, err] = [world.stdout.text().length, world.stderr.text().length];
  const code = await main([...argv, '-q', '-o', 'json'], world);
  return { code, stdout: world.stdout.text().slice(out), stderr: world.stderr.text().slice(err) };
}

const onboard = (bvn: string, ...more: string[]) => run('users', 'onboard', bvn, ...more);
const lose = (kind: string) => run('sandbox', 'fault', 'add', '--on', 'users.onboard', '--fault', kind);

interface Listed {
  readonly operationId: string;
  readonly requestId: string | null;
  readonly state: string;
  readonly verdict: string | null;
  readonly advice: string;
}

/** The onboardings in the journal, newest first, as their commands see them. */
async function listed(): Promise<readonly Listed[]> {
  const { stdout } = await run('ops', 'list', '--kind', 'onboarding');
  return (JSON.parse(stdout) as { operations: Listed[] }).operations;
}
const newest = async () => (await listed())[0] as Listed;
const userCount = async () => (JSON.parse((await run('users', 'list')).stdout) as { users: object[] }).users.length;

describe('an onboarding that failed', () => {
  test('says how to try it again, in its error and in the list', async () => {
    const { code, stderr } = await onboard(REFUSED, '--wait');
    const { operationId, requestId, advice } = await newest();
    expect(code).toBe(3);
    expect(stderr).toContain(`fiatrail users onboard --retry ${requestId} --bvn-stdin < bvn.txt`);
    expect(advice).toContain(`fiatrail users onboard --retry ${operationId} --bvn-stdin < bvn.txt`);
  });

  test.each(['operationId', 'requestId'] as const)('is tried again by its %s, with another BVN', async (by) => {
    await onboard(REFUSED, '--wait');
    const { code } = await onboard(GOOD, '--wait', '--retry', String((await newest())[by]));
    expect({ code, users: await userCount() }).toEqual({ code: 0, users: 1 });
  });

  test('asks before it sends a BVN again that the service rejected', async () => {
    await onboard(REFUSED, '--wait');
    const { requestId } = await newest();
    const { code, stderr } = await onboard(REFUSED, '--retry', String(requestId));
    expect({ code, sent: (await listed()).length }).toEqual({ code: 2, sent: 1 });
    expect(stderr).toContain('resend a BVN that the service rejected; nothing was sent');
    expect((await onboard(REFUSED, '--wait', '--retry', String(requestId), '--yes')).code).toBe(3);
  });

  test('is shown in a dry run, which asks nothing and reads how it ended', async () => {
    await onboard(REFUSED);
    await run('sandbox', 'advance', '1h');
    const { requestId } = await newest();
    const { code, stdout } = await onboard(REFUSED, '--retry', String(requestId), '--dry-run');
    expect({ code, sent: (await listed()).length }).toEqual({ code: 0, sent: 1 });
    expect(JSON.parse(stdout)).toMatchObject({ url: expect.stringContaining('/onboarduser') });
  });

  test('is known to have failed when it is tried again, although nobody waited for it', async () => {
    await onboard(REFUSED);
    await run('sandbox', 'advance', '1h');
    const { requestId, state } = await newest();
    expect(state).toBe('accepted');
    expect((await onboard(GOOD, '--retry', String(requestId))).code).toBe(0);
    expect((await listed()).map((each) => each.state)).toEqual(['accepted', 'failed']);
  });
});

describe('an onboarding whose outcome is unknown', () => {
  test('is settled by trying it again if the request was lost', async () => {
    await lose('lost-request');
    expect((await onboard(GOOD)).code).toBe(6);
    await lose('lost-request');
    const { operationId } = await newest();
    expect((await onboard(GOOD, '--retry', operationId)).code).toBe(6);
    expect((await onboard(GOOD, '--retry', operationId, '--wait')).code).toBe(0);
    expect((await listed()).map(({ state, verdict }) => verdict ?? state).sort()).toEqual([
      'not-done',
      'not-done',
      'settled',
    ]);
    expect(await userCount()).toBe(1);
  });

  test('onboards nobody twice if only the response was lost, and says how to settle it', async () => {
    await lose('lost-response');
    expect((await onboard(GOOD)).code).toBe(6);
    const { operationId } = await newest();
    await run('sandbox', 'advance', '1h');
    const { code, stderr } = await onboard(GOOD, '--retry', operationId);
    expect(code).toBe(3);
    expect(stderr).toContain(`fiatrail ops resolve ${operationId} --completed`);
    expect((await listed()).find((each) => each.operationId === operationId)).toMatchObject({ state: 'unknown' });
    expect(await userCount()).toBe(1);
  });

  test('says which other onboarding has the BVN, if the service rejects it', async () => {
    await lose('lost-request');
    await onboard(GOOD);
    const { operationId } = await newest();
    const retried = () => onboard(GOOD, '--retry', operationId);
    await run('sandbox', 'seed', '--pace', 'real');
    await onboard(GOOD);
    const other = (await listed()).find(({ state }) => state === 'accepted');
    expect((await retried()).stderr).toContain(`fiatrail users onboarding status ${other?.requestId} --wait`);
    await run('sandbox', 'advance', '1h');
    await run('users', 'onboarding', 'status', String(other?.requestId));
    const { stderr } = await retried();
    expect(stderr).toContain(`the BVN belongs to the user of operation ${other?.operationId}`);
    expect(stderr).toContain(`fiatrail ops resolve ${operationId} --not-done`);
  });

  test('names every operation that may have made the user', async () => {
    await lose('lost-request');
    await onboard(GOOD);
    const { operationId } = await newest();
    await lose('lost-response');
    await onboard(GOOD, '--retry', operationId);
    const { stderr } = await onboard(GOOD, '--retry', operationId);
    const unknownOutcomes = (await listed()).filter(({ state }) => state === 'unknown').map((each) => each.operationId);
    expect(unknownOutcomes).toHaveLength(2);
    expect(stderr).toContain(`resolve the others with --not-done: ${unknownOutcomes.join(', ')}`);
  });

  test('says that it onboarded no one if the service took it, and then could not verify it', async () => {
    await lose('lost-response');
    await onboard(REFUSED);
    const { operationId } = await newest();
    await run('sandbox', 'advance', '1h');
    expect((await onboard(REFUSED, '--retry', operationId)).code).toBe(0);
    expect((await listed()).find((each) => each.operationId === operationId)).toMatchObject({
      verdict: 'not-done',
      detail: expect.stringContaining('it onboarded no one'),
    });
  });

  test('needs the same BVN', async () => {
    await lose('lost-request');
    await onboard(GOOD);
    const { operationId } = await newest();
    const { code, stderr } = await onboard(OTHER, '--retry', operationId);
    expect({ code, sent: (await listed()).length }).toEqual({ code: 2, sent: 1 });
    expect(stderr).toContain('this is another BVN');
  });

  test('does not stop the onboarding of another person if nothing recognizes a BVN whose outcome is unknown', async () => {
    let sent = 0;
    const network: Exchange = async ({ url }) => {
      if (!url.endsWith('/onboarduser')) return success({ publicKey: 'ab'.repeat(32) });
      sent += 1;
      throw droppedLine();
    };
    const there = fakeWorld({ env: ACCOUNT, network });
    for (const bvn of [GOOD, OTHER]) expect(await main(['users', 'onboard', bvn, '-q'], there)).toBe(6);
    expect({ sent, digests: journalRows(there.stateDir).map((row) => row.input_digest) }).toEqual({
      sent: 2,
      digests: ['-', '-'],
    });
  });

  test('keeps nothing that recognizes the BVN if the account has no profile, and a retry says so', async () => {
    const network: Exchange = async ({ url }) => {
      if (url.endsWith('/onboarduser')) throw droppedLine();
      return success({ publicKey: 'ab'.repeat(32) });
    };
    const there = { ...fakeWorld({ env: ACCOUNT, network }), ids: world.ids };
    expect(await main(['users', 'onboard', GOOD, '-q'], there)).toBe(6);
    const [row] = journalRows(there.stateDir);
    expect(row?.input_digest).toBe('-');
    for (const bvn of [GOOD, OTHER])
      expect(await main(['users', 'onboard', bvn, '--retry', String(row?.id), '-q'], there)).toBe(2);
    // Nor does a profile for the account know it later.
    const later = { ...there, env: { ...there.env, FIATRAIL_BASE_URL: '', FIATRAIL_API_KEY: '' } };
    const profile = ['profiles', 'add', 'main', '--base-url', ACCOUNT.FIATRAIL_BASE_URL, '--mode', 'live'];
    const added = { ...later, stdin: { ...there.stdin, readAll: async () => ACCOUNT.FIATRAIL_API_KEY } };
    expect(await main([...profile, '--store', 'file', '--key-stdin', '-q'], added)).toBe(0);
    const retry = ['users', 'onboard', GOOD, '--retry', String(row?.id), '-q', '--profile', 'main'];
    expect(await main(retry, later)).toBe(2);
    const said = there.stderr.text().match(/nothing is stored that could recognize its BVN; nothing was sent/g);
    expect(said).toHaveLength(3);
    expect(journalRows(there.stateDir)).toHaveLength(1);
  });

  test('is not resolved together with one of another BVN', async () => {
    await lose('lost-request');
    await onboard(OTHER);
    await lose('lost-request');
    await onboard(GOOD);
    const { operationId } = await newest();
    expect((await onboard(GOOD, '--retry', operationId, '--wait')).code).toBe(0);
    expect((await listed()).map(({ state, verdict }) => verdict ?? state).sort()).toEqual([
      'not-done',
      'settled',
      'unknown',
    ]);
  });

  test('is offered again by reconcile', async () => {
    await lose('lost-request');
    await onboard(GOOD);
    const { stdout } = await run('ops', 'reconcile');
    expect(stdout).toContain(`retry safely with: fiatrail users onboard --retry`);
  });
});

test.each([
  ['an unknown id', async (): Promise<string> => 'nope', '--retry: no onboarding of this account has this id'],
  [
    'an onboarding that succeeded',
    async () => {
      await onboard(GOOD, '--wait');
      return (await newest()).operationId;
    },
    'cannot retry this onboarding: the user was onboarded',
  ],
  [
    'an onboarding in progress',
    async () => {
      await run('sandbox', 'seed', '--pace', 'real');
      await onboard(GOOD);
      return (await newest()).operationId;
    },
    'cannot retry this onboarding: it is still in progress',
  ],
] as const)('refuses %s, and sends nothing', async (_, idOf, why) => {
  const id: string = await idOf();
  const before = (await listed()).length;
  const { code, stderr } = await onboard(OTHER, '--retry', id);
  expect({ code, sent: (await listed()).length - before }).toEqual({ code: 2, sent: 0 });
  expect(stderr).toContain(why);
});

test('does not find an onboarding of another account of the same machine', async () => {
  await onboard(REFUSED, '--wait');
  const { operationId } = await newest();
  const other = fakeWorld({ env: { ...ACCOUNT, FIATRAIL_STATE_DIR: world.stateDir } });
  expect(await main(['users', 'onboard', GOOD, '--retry', operationId, '-q'], other)).toBe(2);
  expect(other.stderr.text()).toContain('no onboarding of this account has this id');
});

test('a retry ends no unknown outcome that began after it: that one may have the BVN', async () => {
  let requests = 0;
  const network: Exchange = async ({ url }) => {
    if (!url.endsWith('/onboarduser')) return success({ publicKey: 'ab'.repeat(32) });
    requests += 1;
    if (requests !== 2) throw droppedLine();
    // Another process begins while the retry waits for its answer.
    expect(await main(['users', 'onboard', GOOD, '-q'], there)).toBe(6);
    return success({ requestId: '0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de', userHash: 'u-1' });
  };
  const there = { ...fakeWorld({ stdin: ACCOUNT.FIATRAIL_API_KEY, network }), ids: world.ids };
  const base = ['--base-url', ACCOUNT.FIATRAIL_BASE_URL, '--mode', 'live', '--store', 'file', '--key-stdin'];
  expect(await main(['profiles', 'add', 'main', ...base, '-q'], there)).toBe(0);
  expect(await main(['profiles', 'use', 'main', '-q'], there)).toBe(0);
  expect(await main(['ops', 'journal', 'verify', '--accept', '--yes', '-q'], there)).toBe(0);
  expect(await main(['users', 'onboard', GOOD, '-q'], there)).toBe(6);
  const id = journalRows(there.stateDir)[0]?.id ?? '';
  expect(await main(['users', 'onboard', GOOD, '--retry', id, '-q'], there)).toBe(0);
  expect(journalRows(there.stateDir).map(({ state }) => state)).toEqual(['resolved', 'accepted', 'unknown']);
});
