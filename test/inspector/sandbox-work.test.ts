import { expect, test } from 'vitest';
import { zoneNamed } from '../../src/base/zone.ts';
import { LINKABLE } from '../../src/inspector/linkable.ts';
import { eventList } from '../../src/inspector/sandbox/events.ts';
import { ledgerList } from '../../src/inspector/sandbox/ledger.ts';
import { linksIn } from '../../src/inspector/sandbox/links.ts';
import { createStepLog } from '../../src/inspector/sandbox/lives.ts';
import { sandboxNow } from '../../src/inspector/sandbox/now.ts';
import { postingReader } from '../../src/inspector/sandbox/postings.ts';
import { userList } from '../../src/inspector/sandbox/users.ts';
import { workList } from '../../src/inspector/sandbox/work.ts';
import { WORK_COLUMNS } from '../../src/inspector/sandbox/work-columns.ts';
import { findIn } from '../../src/inspector/search.ts';
import type { List, RowFilter } from '../../src/inspector/source.ts';
import { MACHINES } from '../../src/service/machines.ts';
import { fund, offramp, onboardUser, settle, startRamp } from '../service/steps.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';

/** What the page shows of a sandbox's work: its money, where its links lead, what a search finds, what the first page says. */

const listsOf = ({ service }: TestSandbox) => {
  const postings = postingReader(service.store);
  const events = eventList(service);
  const work = workList(service, createStepLog(), {
    postings,
    requests: () => [],
    events: async (id) => (await events.page({ text: id, state: '', from: 0, limit: 50 })).rows,
  });
  return { work, users: userList(service), events, ledger: ledgerList(service, postings) } as const;
};

async function worked() {
  const box = await openSandbox({ pace: 'instant' });
  const user = await onboardUser(box);
  await fund(box, user, 40_000);
  await offramp(box, user.userId, 500_000n);
  await settle(box);
  const unpaid = await startRamp(box, user.userId, 7_000);
  return { box, user, unpaid, lists: listsOf(box) };
}

const page = (list: List, filter: Partial<RowFilter> = {}, limit = 100) =>
  list.page({ text: '', state: '', from: 0, limit, ...filter });

type Detail = Readonly<Record<string, unknown>>;

test('a user has what was paid in and out, and how much goes on', async () => {
  const { box, user, lists } = await worked();
  await using _ = box;
  const [row] = (await page(lists.users, { text: user.userId })).rows;
  // The unpaid onramp goes on.
  expect(row).toMatchObject({ paidIn: '₦40,800.00', paidOut: '₦5,000.00', open: '1' });
  expect(await lists.users.detail(user.userId)).toMatchObject({ paidIn: row?.['paidIn'], open: '1' });
  for (const each of (await page(lists.users)).rows.filter(({ id }) => id !== user.userId))
    expect(each).toMatchObject({ paidIn: null, paidOut: null, open: '0' });
});

test('the rows of each machine have columns', () => {
  expect(Object.keys(WORK_COLUMNS).sort()).toEqual(MACHINES.map(({ name }) => name).sort());
});

test('a row has its sum, whose it is, what it is for and how long it took; its detail the fees and the payment', async () => {
  const { box, user, lists } = await worked();
  await using _ = box;
  const { rows } = await page(lists.work, { state: 'onramp', look: 'done' });
  const [row] = rows;
  expect(row).toMatchObject({ amount: '₦40,000.00', look: 'done', state: 'completed', who: expect.any(String) });
  expect(row?.['endedAt']).toEqual(expect.any(String));
  const detail = (await lists.work.detail(String(row?.id))) as Detail;
  expect(detail).toMatchObject({ user: { userId: user.userId, who: user.name } });
  const amounts = Object.fromEntries(
    (detail['amounts'] as readonly { title: string; text: string }[]).map(({ title, text }) => [title, text]),
  );
  expect(Object.keys(amounts)).toEqual(expect.arrayContaining(['Amount', 'To pay', 'Fee', 'Your fee', 'Platform fee']));
  const [paid] = detail['paidBy'] as readonly Detail[];
  expect(paid?.['amount']).toBe(amounts['To pay']);
  const sets = detail['postings'] as readonly { postings: unknown[]; sums: readonly { isZero: boolean }[] }[];
  expect(sets.length).toBeGreaterThan(0);
  for (const { sums } of sets) for (const { isZero } of sums) expect(isZero).toBe(true);
});

test('a balance after is the balance that the account had then, also of several sets that are read at once', async () => {
  const { box, lists } = await worked();
  await using _ = box;
  const { store } = box.service;
  const sets = store.all<{ id: bigint; event: string; subject: string; created_at: bigint }>(
    'SELECT * FROM posting_set',
  );
  for (const set of postingReader(store)(sets))
    for (const { account, asset, after } of set.postings) {
      const sum = store.get<{ n: bigint }>(
        'SELECT sum(minor) AS n FROM posting JOIN account ON account.id = posting.account WHERE code = ? AND asset = ? AND posting_set <= ?',
        account,
        asset,
        set.id,
      );
      const [alone] = postingReader(store)([set]);
      expect(alone?.postings.find((each) => each.account === account && each.asset === asset)?.after).toBe(after);
      const digits = after.replace(/[^\d−.]/g, '').replace('−', '-');
      expect(Number(digits)).toBeCloseTo(Number(sum?.n ?? 0n) / (asset === 'NGN' ? 100 : 1e6), 6);
    }
  expect((await page(lists.ledger)).rows.at(-1)?.['amount']).toEqual(expect.any(String));
});

test('each link of each detail leads to something', async () => {
  const { box, lists } = await worked();
  await using _ = box;
  const linksOf = linksIn(box.service);
  let followed = 0;
  for (const [name, list] of Object.entries(lists))
    for (const { id } of (await page(list, {}, 500)).rows) {
      const text = JSON.stringify(await list.detail(id));
      expect(text, `${name} ${id}`).toEqual(expect.any(String));
      for (const [from, to] of Object.entries(await linksOf([...new Set(text.match(LINKABLE))]))) {
        const target = await lists[to.list as keyof typeof lists].detail(to.id);
        expect(target, `${from} in ${name} ${id}`).toBeDefined();
        followed += 1;
      }
    }
  expect(followed).toBeGreaterThan(20);
  expect(await linksOf(['01a21cb4-2ab9-7000-b952-000000000000', `0x${'1'.repeat(64)}`, '0000000000'])).toEqual({});
});

test('one search finds an id, a hash, an address, an account, a name, a sum in each spelling and an account of the ledger', async () => {
  const { box, user, unpaid, lists } = await worked();
  await using _ = box;
  const [done] = (await page(lists.work, { state: 'onramp', look: 'done' })).rows;
  const detail = JSON.stringify(await lists.work.detail(String(done?.id)));
  const [hash = ''] = detail.match(/0x[0-9a-f]{64}/) ?? [];
  const [address = ''] = detail.match(/0x[0-9a-f]{40}\b/) ?? [];
  const surname = user.name.split(' ').at(-1) ?? '';
  const found = async (text: string) => (await findIn(lists, text)).map(({ list, id }) => `${list} ${id}`);
  const wanted = `work ${done?.id}`;
  for (const text of [String(done?.id), hash, address, '₦40,000.00', '40000', '40,000 ngn', 'N40,000', surname])
    expect(await found(text), text).toContain(wanted);
  expect(await found(user.accountNumber)).toContain(`users ${user.userId}`);
  expect(await found(user.userId)).toContain(`users ${user.userId}`);
  expect((await found('reserve')).some((each) => each.startsWith('ledger '))).toBe(true);
  expect((await found(unpaid.requestId)).some((each) => each.startsWith('events '))).toBe(true);
  expect(await found('there is no such text')).toEqual([]);
});

test('filters are combined, and the sum is of what is shown', async () => {
  const { box, user, lists } = await worked();
  await using _ = box;
  const count = async (filter: Partial<RowFilter>) => (await page(lists.work, filter)).total;
  const all = await count({ state: 'onramp' });
  expect(await count({ state: 'onramp', look: 'open' })).toBe(1);
  expect(await count({ state: 'onramp', look: 'done' })).toBe(all - 1);
  expect(await count({ state: 'onramp', user: user.userId, least: '7,000', most: '7000' })).toBe(1);
  expect(await count({ state: 'onramp', user: 'nobody' })).toBe(0);
  expect(await count({ state: 'onramp', least: 'many' })).toBe(0);
  const now = new Date(box.clock.now()).toISOString();
  expect(await count({ state: 'onramp', until: '2020-01-01T00:00:00.000Z' })).toBe(0);
  expect(await count({ state: 'onramp', since: '2020-01-01T00:00:00.000Z', until: now })).toBeGreaterThan(0);
  expect(await count({ state: 'onramp', since: 'never' })).toBe(0);
  const sums = (filter: Partial<RowFilter>) => lists.work.sums?.({ text: '', state: '', ...filter });
  expect(await sums({ state: 'onramp', user: user.userId })).toEqual([
    { asset: 'NGN', amount: '₦47,000.00', done: '₦40,000.00' },
  ]);
});

test('the first page has the balances of the ledger, what needs someone, and says whether the ledger balances', async () => {
  const { box, lists } = await worked();
  await using _ = box;
  const read = sandboxNow({
    service: box.service,
    work: lists.work,
    zone: zoneNamed('Africa/Lagos'),
    apiKey: () => box.apiKey,
  });
  const now = await read();
  expect(now.sandbox).toMatchObject({ isBalanced: true, faults: [] });
  expect(now.sandbox.due.length).toBeGreaterThan(0);
  // A vault or an onboarding moves nothing.
  expect(now.latest.length).toBeGreaterThan(0);
  expect(now.latest.filter((row) => row['amount'] === null)).toEqual([]);
  expect(now.volumes).toContainEqual(expect.objectContaining({ title: 'onramp', today: '₦40,000.00' }));
  const inLedger = (asset: string, whose: string) =>
    Number(
      box.service.store.get<{ n: bigint }>(
        `SELECT sum(balance) AS n FROM account JOIN wallet ON code LIKE 'wallet/' || wallet.id || '/%'
         WHERE asset = '${asset}' AND wallet.fintech = 1 AND ${whose}`,
      )?.n,
    ) / 1e6;
  const shown = (of: string, title: string) => {
    const { parts = [] } = now.balances.find(({ asset }) => asset === of) ?? {};
    return Number(parts.find((each) => each.title === title)?.text?.replace(/[^\d.]/g, ''));
  };
  for (const [asset, title, whose] of [
    ['CNGN', 'User wallets', 'wallet.user IS NOT NULL'],
    ['USDC', 'Account wallets', "wallet.user IS NULL AND wallet.kind = 'fintech'"],
    ['USDC', 'Vault', "wallet.kind = 'vault'"],
  ] as const) {
    expect(shown(asset, title), title).toBe(inLedger(asset, whose));
    expect(shown(asset, title), title).toBeGreaterThan(0);
  }
  box.service.store.exec("UPDATE account SET balance = balance + 5 WHERE code = 'reserve'");
  const broken = await read();
  expect(broken.sandbox.isBalanced).toBe(false);
  expect(broken.needs.at(-1)?.what).toMatch(/does not balance/);
});
