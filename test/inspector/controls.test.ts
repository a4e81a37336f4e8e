import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { UTC } from '../../src/base/zone.ts';
import { createMask } from '../../src/contract/mask/index.ts';
import { shownSource } from '../../src/inspector/masked.ts';
import type { RequestLog } from '../../src/inspector/requests.ts';
import { createStepLog } from '../../src/inspector/sandbox/lives.ts';
import { sandboxSource } from '../../src/inspector/sandbox/source.ts';
import type { InspectorSource } from '../../src/inspector/source.ts';
import { onboardUser, settle, startRamp } from '../service/steps.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';

/** What the page can do to a sandbox: all of it is what the sandbox's own controls do, which check what they are given. */

const REQUESTS: RequestLog = {
  list: { page: () => ({ total: 0, rows: [], generation: 0 }), detail: () => undefined },
  observe: () => {},
  version: () => '',
  about: () => [],
  close: () => {},
};

const sourceOf = (box: TestSandbox): InspectorSource =>
  sandboxSource(box, { requests: REQUESTS, steps: createStepLog(), zone: UTC });

async function opened() {
  const folder = mkdtempSync(join(tmpdir(), 'fiatrail-controls-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const box = await openSandbox({ path: join(folder, 'sandbox.db') });
  return { box, source: sourceOf(box) };
}

interface Payment {
  readonly action: string;
  readonly isExact: boolean;
  readonly input: Readonly<Record<string, string>>;
}

const act = (source: InspectorSource, name: string, input: object = {}) => {
  const action = source.actions[name];
  if (!action) throw new Error(`there is no action ${name}`);
  return action(input as Readonly<Record<string, unknown>>);
};

const document = (source: InspectorSource, name: string) => source.documents[name]?.({});

const detailOf = async (source: InspectorSource, list: string, id: string) =>
  (await source.lists[list]?.detail(id)) as Readonly<Record<string, unknown>> & { readonly pays?: Payment };

test('an onramp is paid with exactly what is filled in, from its page, also if the page is masked', async () => {
  for (const isMasked of [false, true]) {
    const { box, source } = await opened();
    await using _ = box;
    const shown = shownSource(source, isMasked ? createMask() : undefined);
    const user = await onboardUser(box);
    const { requestId } = await startRamp(box, user.userId, 7_000);
    const { pays } = await detailOf(shown, 'work', requestId);
    expect(pays).toMatchObject({ action: 'pay', isExact: true, input: { amount: '7140.00' } });
    expect(pays?.input['senderName'] === user.name).toBe(!isMasked);
    expect(await act(shown, 'pay', { ...pays?.input, amount: '₦7,140' })).toMatchObject({ outcome: 'accepted' });
    await settle(box);
    const paid = await detailOf(source, 'work', requestId);
    expect(paid['state']).toBe('completed');
    expect(paid.pays).toBeUndefined();
  }
});

test('a user is paid any sum from his or her page', async () => {
  const { box, source } = await opened();
  await using _ = box;
  const user = await onboardUser(box);
  const { pays } = await detailOf(source, 'users', user.userId);
  expect(pays).toEqual({
    action: 'pay',
    isExact: false,
    input: { accountNumber: user.accountNumber, amount: '5000.00', senderName: user.name },
  });
  expect(await act(source, 'pay', pays?.input)).toMatchObject({ outcome: 'accepted' });
});

test.each([['0'], ['-5'], ['5.001'], [''], ['five'], ['5 USDC'], [{}], [null]])(
  'the sum %j is rejected in words',
  async (amount) => {
    const { box, source } = await opened();
    await using _ = box;
    const { accountNumber, name } = await onboardUser(box);
    await expect(act(source, 'pay', { accountNumber, senderName: name, amount })).rejects.toMatchObject({
      category: 'usage',
      message: expect.stringMatching(/^amount: /),
    });
  },
);

test('the clock goes to the next event, and says if there is none', async () => {
  const { box, source } = await opened();
  await using _ = box;
  await settle(box);
  await expect(act(source, 'advance-next')).rejects.toMatchObject({
    message: 'nothing is due, so there is no next event',
  });
  const user = await onboardUser(box);
  await startRamp(box, user.userId, 7_000);
  await settle(box);
  const due = box.service.store.get<{ at: bigint }>('SELECT min(due_at) AS at FROM due')?.at;
  expect(await act(source, 'advance-next')).toMatchObject({ events: 1, now: new Date(Number(due)).toISOString() });
});

test('each fault that can be chosen is one that the sandbox takes, and says what it does', async () => {
  const { box, source } = await opened();
  await using _ = box;
  const { kinds, targets } = (await document(source, 'fault-choices')) as {
    kinds: { kind: string; does: string; on: string }[];
    targets: Record<string, { id: string; names?: string[] }[]>;
  };
  for (const { kind, does, on } of kinds) {
    expect(does, kind).not.toBe('');
    for (const { id, names = [] } of targets[on] ?? []) {
      const all = kind === 'reject' ? names : [''];
      for (const name of all)
        expect(await act(source, 'fault-add', { endpoint: id, kind, name, times: 1 })).toMatchObject({ kind });
    }
  }
  expect(await act(source, 'fault-clear')).toMatchObject({ cleared: expect.any(Number) });
});

const KEYS = (box: TestSandbox) => JSON.stringify(box.service.store.all('SELECT key FROM api_key'));

test('a point in time is gone back to, says what changed since, and its content never leaves the process', async () => {
  const { box, source } = await opened();
  await using _ = box;
  const user = await onboardUser(box);
  const keys = KEYS(box);
  const [before] = [await source.version()];
  expect(await act(source, 'snapshot', { name: ' before the payment ' })).toEqual({ name: 'before the payment' });
  expect(await source.version()).not.toBe(before);
  const name = 'before the payment';
  expect(await detailOf(source, 'points', name)).toMatchObject({
    isLater: true,
    work: [],
    users: '0',
    sets: '0',
    accounts: [],
  });
  await act(source, 'pay', { accountNumber: user.accountNumber, senderName: user.name, amount: '5000' });
  await settle(box);
  await onboardUser(box);
  const since = await detailOf(source, 'points', name);
  expect(since).toMatchObject({
    isLater: true,
    users: '1',
    work: expect.arrayContaining([{ kind: 'deposit', state: 'completed', look: 'done', before: '0', now: '1' }]),
  });
  const accounts = since['accounts'] as { account: string; change: string }[];
  expect(accounts).toEqual(
    expect.arrayContaining([expect.objectContaining({ account: 'bank', change: '−₦5,000.00' })]),
  );
  expect(
    JSON.stringify([since, await source.lists['points']?.page({ text: '', state: '', from: 0, limit: 9 })]),
  ).not.toContain('content');
  expect(await act(source, 'restore', { name })).toEqual({ name });
  expect(await detailOf(source, 'points', name)).toMatchObject({ isLater: true, work: [], users: '0', sets: '0' });
  expect(KEYS(box)).toBe(keys);
});

test('what was taken back since is not added up', async () => {
  const { box, source } = await opened();
  await using _ = box;
  const user = await onboardUser(box);
  const pay = () => act(source, 'pay', { accountNumber: user.accountNumber, senderName: user.name, amount: '5000' });
  await act(source, 'snapshot', { name: 'first' });
  await pay();
  await settle(box);
  await act(source, 'snapshot', { name: 'second' });
  await act(source, 'restore', { name: 'first' });
  expect(await detailOf(source, 'points', 'second')).toMatchObject({
    isLater: false,
    sets: null,
    accounts: [],
    events: [],
  });
});

test('names of points are checked, and there are no more than ten', async () => {
  const { box, source } = await opened();
  await using _ = box;
  for (const name of ['', '  ', 'x'.repeat(61), 'a\nb', '\u202Ex', 7, null, {}])
    await expect(act(source, 'snapshot', { name })).rejects.toMatchObject({
      message: expect.stringContaining('name: expected'),
    });
  for (const name of ['__proto__', 'constructor', 'none']) {
    await expect(act(source, 'restore', { name })).rejects.toMatchObject({
      message: 'there is no point with this name',
    });
    expect(await source.lists['points']?.detail(name)).toBeUndefined();
  }
  for (let count = 0; count < 10; count++) await act(source, 'snapshot', { name: `${count}` });
  await expect(act(source, 'snapshot', { name: '0' })).rejects.toMatchObject({
    message: expect.stringContaining('named 0'),
  });
  await expect(act(source, 'snapshot', { name: 'more' })).rejects.toMatchObject({
    message: expect.stringContaining('there are 10 points'),
  });
  await act(source, 'forget', { name: '0' });
  await act(source, 'snapshot', { name: 'more' });
});

test('a history that is asked for wrongly leaves the sandbox as it was', async () => {
  const { box, source } = await opened();
  await using _ = box;
  const { userId } = await onboardUser(box);
  for (const input of [
    {},
    { days: 0 },
    { days: 1.5 },
    { days: '3' },
    { days: 4_000 },
    { days: 1, users: 0 },
    { days: 1, seed: -1 },
  ])
    await expect(act(source, 'simulate', input), JSON.stringify(input)).rejects.toMatchObject({ category: 'usage' });
  expect(await detailOf(source, 'users', userId)).toBeDefined();
});

test('a history replaces what was there, ends now, and keeps the key, the pace and the rate limits', async () => {
  const { box, source } = await opened();
  await using _ = box;
  box.clock.set(Date.UTC(2026, 10, 20, 12));
  const { userId } = await onboardUser(box);
  await box.call('POST', '/_sandbox/seed', { pace: 'real', rateLimits: false });
  const running = act(source, 'simulate', { days: 2, users: 3, seed: 5 });
  await expect(act(source, 'simulate', { days: 1 })).rejects.toMatchObject({
    message: expect.stringContaining('being simulated'),
  });
  const others = Object.keys(source.actions).filter((each) => !['simulate-stop', 'forget'].includes(each));
  const refusals = others.map((name) =>
    expect(act(source, name, { name: 'now' }), name).rejects.toMatchObject({
      message: expect.stringContaining('being simulated'),
    }),
  );
  await Promise.all(refusals);
  expect(await document(source, 'clock')).toMatchObject({ simulating: { days: 2 } });
  expect(await running).toEqual({ days: 2 });
  expect(await detailOf(source, 'users', userId)).toBeUndefined();
  const clock = (await document(source, 'clock')) as { readonly now: string };
  expect(clock).toMatchObject({ simulating: null, pace: 'real', rateLimits: 'off', stuck: 0 });
  expect(Math.abs(Date.parse(clock.now) - box.clock.now())).toBeLessThan(60_000);
  expect((await box.call('GET', '/getfees')).status).toBe(200);
  const work = await source.lists['work']?.page({ text: '', state: '', from: 0, limit: 0 });
  expect(work?.total).toBeGreaterThan(5);
});

test('a history that is stopped keeps the days that are done', async () => {
  const { box, source } = await opened();
  await using _ = box;
  const running = act(source, 'simulate', { days: 300, users: 1 });
  await act(source, 'simulate-stop');
  const { days } = (await running) as { days: number };
  expect(days).toBeLessThan(300);
  expect(days).toBeGreaterThan(0);
});
