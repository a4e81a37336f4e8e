import { expect, onTestFinished, test } from 'vitest';
import { createMask } from '../../src/contract/mask/index.ts';
import { withCopies } from '../../src/inspector/copies.ts';
import { shownSource } from '../../src/inspector/masked.ts';
import { openRequestLog } from '../../src/inspector/requests.ts';
import { sessionText } from '../../src/inspector/saved.ts';
import type { InspectorSource, RowQuery } from '../../src/inspector/source.ts';
import type { ObservedExchange } from '../../src/sandbox/observe.ts';
import { CANARY, ENCODINGS, MESSAGES, planted } from '../contract/canaries.ts';

/** What the page and a saved session show of requests with a canary in each field that tells about someone. */

const ALL: RowQuery = { text: '', state: '', from: 0, limit: 500 };

const planting = (name: string) => {
  const schema = MESSAGES.find((each) => each.name === name)?.schema;
  if (!schema) throw new Error(`the contract has no ${name}`);
  return planted(schema);
};

const post = (url: string, sent: unknown, received: unknown): ObservedExchange => ({
  request: { method: 'POST', url, headers: {}, body: JSON.stringify(sent) },
  startMs: 1,
  durationMs: 1,
  response: { status: 200, headers: {}, body: JSON.stringify({ status: 'Success', data: received }) },
  caller: { apiKey: 'k-1', address: '127.0.0.1' },
});

/** A sandbox whose requests have canaries in their bodies, paths and queries, for known and unknown endpoints. */
async function sandboxWithCanaries(): Promise<{
  readonly source: InspectorSource;
  readonly canaries: readonly string[];
}> {
  const requests = await openRequestLog(() => 'Acme');
  onTestFinished(requests.close);
  const withdrawal = planting('fees.withdraw request');
  const users = planting('users.list response');
  const [canary = ''] = withdrawal.canaries;
  requests.observe(post('/v1/feewithdrawal', withdrawal.value, { narration: canary, undocumented: canary }));
  requests.observe(post(`/v1/listfintechusers?label=${encodeURIComponent(canary)}`, {}, users.value));
  requests.observe(post(`/v1/nope/${encodeURIComponent(canary)}?x=${encodeURIComponent(canary)}`, {}, {}));
  const detail = async () => ({ id: 'o-1', request: JSON.stringify(withdrawal.value), summary: `pay ${canary}` });
  const source: InspectorSource = {
    title: 'sandbox',
    zone: 'UTC',
    actions: {},
    version: () => '1',
    lists: {
      requests: requests.list,
      operations: {
        page: () => ({
          total: 1,
          generation: 0,
          rows: [{ id: 'o-1', summary: `pay ₦50.00 to ${canary}` }],
        }),
        detail,
      },
    },
    documents: { book: () => ({ said: canary }) },
    find: async (text) => [{ list: 'operations', id: 'o-1', text: `found ${text}` }],
    linksOf: async () => ({}),
  };
  return { source, canaries: [...withdrawal.canaries, ...users.canaries] };
}

function expectNone(text: string, canaries: readonly string[]): void {
  expect(CANARY.exec(text)?.[0]).toBeUndefined();
  for (const canary of canaries)
    for (const encoded of Object.values(ENCODINGS)) expect(text).not.toContain(encoded(canary));
}

test('a masked page has no canary: not in rows, details, documents, or the commands that repeat a request', async () => {
  const { source, canaries } = await sandboxWithCanaries();
  const { lists, documents } = shownSource(source, createMask());
  const shown: unknown[] = [];
  for (const [name, list] of Object.entries(lists)) {
    const { rows } = await list.page(ALL);
    shown.push(rows);
    for (const { id } of rows) shown.push(withCopies(name, await list.detail(id)));
  }
  for (const read of Object.values(documents)) shown.push(await read({}));
  const text = JSON.stringify(shown);
  expect(text).toContain('fiatrail api POST /feewithdrawal -d ');
  expectNone(text, canaries);
  expectNone(JSON.stringify(shown.map((each) => JSON.stringify(each))), canaries);
});

test('a summary is masked by what its operation says in fields of their own, before anyone opened it', async () => {
  const { source, canaries } = await sandboxWithCanaries();
  const { rows } = (await shownSource(source, createMask()).lists['operations']?.page(ALL)) ?? { rows: [] };
  expect(rows[0]?.['summary']).toMatch(/^pay ₦50\.00 to \w+-\d+$/);
  expectNone(JSON.stringify(rows), canaries);
});

test('what a masked page shows by a handle is found by it', async () => {
  const rows = [{ id: '0x52908400098527886E0F7030069857D2E4169EE7', who: 'Ada' }];
  const asked: string[] = [];
  const page = ({ text }: RowQuery) => ({ total: 1, generation: 0, rows: asked.push(text) ? rows : [] });
  const detail = (id: string) => rows.find((row) => row.id === id);
  const base = { title: '', zone: 'UTC', actions: {}, documents: {}, version: () => '', linksOf: async () => ({}) };
  const find = async (text: string) => [{ list: 'wallets', id: '1', text }];
  const source: InspectorSource = { ...base, lists: { wallets: { page, detail } }, find };
  const shown = shownSource(source, createMask());
  expect((await shown.lists['wallets']?.page(ALL))?.rows).toEqual([{ id: 'address-2', who: 'name-1' }]);
  expect(await shown.lists['wallets']?.detail('address-2')).toEqual({ id: 'address-2', who: 'name-1' });
  await shown.lists['wallets']?.page({ ...ALL, text: 'name-1' });
  expect(asked).toEqual(['', 'Ada']);
  expect(await shown.find('name-1')).toEqual([{ list: 'wallets', id: '1', text: 'name-1' }]);
  expect(shownSource(source, undefined)).toBe(source);
});

test('a saved session has no canary, and neither the commands nor the values that its handles stand for', async () => {
  const { source, canaries } = await sandboxWithCanaries();
  const text = await sessionText(source, { nowMs: 1, mask: createMask() });
  expectNone(text, canaries);
  expectNone(JSON.stringify(text), canaries);
  expect(text).not.toContain('"copies"');
  const whole = await sessionText(source, { nowMs: 1, mask: undefined });
  expect(whole).toMatch(CANARY);
});
