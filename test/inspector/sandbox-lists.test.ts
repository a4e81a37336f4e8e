import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { setWebhook } from '../../src/contract/endpoints/management.ts';
import { createMask } from '../../src/contract/mask/index.ts';
import { shownSource } from '../../src/inspector/masked.ts';
import { eventList } from '../../src/inspector/sandbox/events.ts';
import { ledgerList } from '../../src/inspector/sandbox/ledger.ts';
import { createStepLog } from '../../src/inspector/sandbox/lives.ts';
import { postingReader } from '../../src/inspector/sandbox/postings.ts';
import { userList } from '../../src/inspector/sandbox/users.ts';
import { workList } from '../../src/inspector/sandbox/work.ts';
import { sessionText } from '../../src/inspector/saved.ts';
import type { List, RowQuery } from '../../src/inspector/source.ts';
import { MACHINES } from '../../src/service/machines.ts';
import { onboardUser } from '../service/steps.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';

/** The lists of a sandbox: what was looked at before is not looked at again, and yet every page is what is there now. */

const listsOf = ({ service }: TestSandbox): Readonly<Record<string, List>> => ({
  events: eventList(service),
  ledger: ledgerList(service, postingReader(service.store)),
  users: userList(service),
  work: workList(service, createStepLog(), {
    postings: postingReader(service.store),
    requests: () => [],
    events: async () => [],
  }),
});

const EMPTY = {
  title: '',
  zone: 'UTC',
  documents: {},
  actions: {},
  find: async () => [],
  linksOf: async () => ({}),
  version: () => '',
};

const pageOf = async (list: List | undefined, query: Partial<RowQuery> = {}) => {
  const page = await list?.page({ text: '', state: '', from: 0, limit: 1_000, ...query });
  if (!page) throw new Error('there is no such list');
  return page;
};

const pay = (box: TestSandbox, accountNumber: string, amount = 5_000) =>
  box.call('POST', '/_sandbox/pay', { accountNumber, amount, senderName: 'ADA OBI' });

test('a list that is asked for again has what a new one has, in the same places', async () => {
  await using box = await openSandbox();
  const known = listsOf(box);
  const filters: Partial<RowQuery>[] = [{}, { text: 'DEPOSIT' }, { text: 'o' }, { state: 'deposit' }];
  const { accountNumber } = await onboardUser(box);
  for (let round = 0; round < 4; round += 1) {
    for (const [name, list] of Object.entries(known))
      for (const filter of filters) {
        const page = await pageOf(list, filter);
        expect(page, `${name} ${JSON.stringify(filter)} ${round}`).toEqual(await pageOf(listsOf(box)[name], filter));
        const [, second] = page.rows;
        const part = await pageOf(list, { ...filter, from: 1, limit: 1 });
        expect(part).toEqual({ ...page, rows: second ? [second] : [] });
      }
    await pay(box, accountNumber, 5_000 + round);
    box.clock.pass(60_000);
  }
  expect((await pageOf(known['work'], { text: 'deposit' })).total).toBe(4);
});

test('the list of work says of which kinds it can show only one, also in a masked and in a saved page', async () => {
  await using box = await openSandbox();
  const { work } = listsOf(box);
  const kinds = MACHINES.map(({ name }) => name);
  expect(kinds).toContain('fee-withdrawal');
  expect(work?.kinds).toEqual(kinds);
  const source = { ...EMPTY, lists: listsOf(box) };
  expect(shownSource(source, createMask()).lists['work']?.kinds).toEqual(kinds);
  const text = await sessionText(source, { nowMs: 0, mask: undefined });
  expect(JSON.parse(text.split('\n')[1] ?? '')).toMatchObject({ lists: { work: { kinds }, ledger: {} } });
});

test('work is found by the state that it is in now', async () => {
  await using box = await openSandbox();
  const { work } = listsOf(box);
  await box.call('POST', '/onboarduser', { bvn: '22222222222' });
  const found = async (text: string) => (await pageOf(work, { text })).rows.map(({ state }) => state);
  const [before] = (await pageOf(work, { state: 'onboarding' })).rows;
  expect(await found(String(before?.['state']))).toEqual([before?.['state']]);
  await box.call('POST', '/_sandbox/settle', {});
  expect(await found(String(before?.['state']))).toEqual([]);
  expect(await found('completed')).toEqual(['completed']);
  expect((await pageOf(work, { state: 'onboarding' })).rows.map(({ state }) => state)).toEqual(['completed']);
});

test('after another state was restored, every list has its rows, and says that the places have changed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fiatrail-lists-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await using box = await openSandbox({ path: join(folder, 'sandbox.db') });
  const known = listsOf(box);
  const { accountNumber } = await onboardUser(box);
  await pay(box, accountNumber);
  const { envelope } = await box.call('POST', '/_sandbox/snapshot', {});
  for (let more = 0; more < 3; more += 1) await pay(box, accountNumber);
  const before: Record<string, number> = {};
  for (const [name, list] of Object.entries(known)) before[name] = (await pageOf(list)).generation;
  const restored = await box.call('POST', '/_sandbox/restore', { content: envelope.data?.['content'] });
  expect(restored.status).toBe(200);
  // As many rows as before, and others.
  for (let more = 0; more < 3; more += 1) {
    box.clock.pass(1_000);
    await pay(box, accountNumber, 7_000);
  }
  for (const [name, list] of Object.entries(known)) {
    const { rows, total, generation } = await pageOf(list);
    const anew = await pageOf(listsOf(box)[name]);
    expect({ name, rows, total }).toEqual({ name, rows: anew.rows, total: anew.total });
    // The user was there before and after.
    if (name !== 'users') expect(generation, name).toBeGreaterThan(before[name] ?? 0);
  }
});

test('an event that is sent again to another URL stays one row, with every attempt', async () => {
  const exchange = async ({ url }: { readonly url: string }) => ({
    status: url.endsWith('/second') ? 200 : 500,
    headers: {},
    body: '',
  });
  await using box = await openSandbox({ delivery: { exchange } });
  const subscribe = (path: string) =>
    box.ask(setWebhook, { webhookUrl: `https://hooks.example.ms/${path}`, enabled: true, secret: 'a-webhook-secret' });
  const { events } = listsOf(box);
  await subscribe('first');
  await box.call('POST', '/onboarduser', { bvn: '22222222222' });
  await box.call('POST', '/_sandbox/settle', {});
  const deliver = () => box.sandbox.deliverDue(new AbortController().signal);
  await deliver();
  const [row] = (await pageOf(events)).rows;
  expect(row).toMatchObject({ state: 'waiting', attempts: 1 });
  expect((await pageOf(events, { state: 'waiting' })).rows[0]).toEqual(row);
  await subscribe('second');
  await box.call('POST', `/_sandbox/events/${row?.id}/resend`, {});
  await deliver();
  const now = (await pageOf(events)).rows.filter(({ id }) => id === row?.id);
  expect(now).toMatchObject([{ state: 'delivered' }]);
  const detail = await events?.detail(String(row?.id));
  expect(detail).toMatchObject({ url: 'https://hooks.example.ms/second', log: [{ status: 200 }, { status: 500 }] });
});
