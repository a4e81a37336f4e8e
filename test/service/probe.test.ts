import { test } from 'vitest';
import { openSandbox, temporaryFolder, START_MS, countingIds, fakeClock } from '../support/sandbox.ts';
const log = (...a: unknown[]) => console.log(...a);
const show = (p: Promise<unknown>) => p.then((v) => JSON.stringify(v, (_k, x) => typeof x === 'bigint' ? `${x}n` : x)?.slice(0, 200), (e) => `REJECT ${e?.name} ${e?.problem ?? ''} ${e?.code ?? ''} ${e?.message}`);
test('read writes at window turn', async () => {
  using dir = temporaryFolder();
  const clock = fakeClock();
  const ids = countingIds();
  let hook = () => {};
  const hooked = { ...ids, uuid: () => { hook(); return ids.uuid(); } };
  await using a = await openSandbox({ path: dir.file('s.db'), clock, ids: hooked, rateLimits: true });
  await using b = await openSandbox({ path: dir.file('s.db'), clock, ids: countingIds(2), rateLimits: true });
  await a.call('GET', '/getfees');
  clock.pass(61_000);
  hook = () => { hook = () => {}; b.service.store.transaction('write', () => b.service.store.run(`UPDATE setting SET pace = 'real'`)); };
  log('TURN', await show(Promise.all([show(a.call('POST', '/getbankscode')), show(a.call('GET', '/getfees'))])));
});
test('two advances', async () => {
  await using box = await openSandbox();
  const r = await Promise.all([2, 1].map((h) => box.call('POST', '/_sandbox/advance', { durationMs: h * 3600000 })));
  log('ADV', JSON.stringify(r.map((x) => x.envelope.data)), JSON.stringify((await box.call('GET', '/_sandbox/clock')).envelope.data));
});
test('reads are snapshot', async () => {
  await using box = await openSandbox();
  const r = await show(box.inside(({ store }) => store.run('UPDATE fintech SET users = 5'), 'read'));
  log('READ WRITES', r);
});
test('replace', async () => {
  await using box = await openSandbox();
  log('REPL', await show(box.inside(({ store }) => store.run(`INSERT OR REPLACE INTO posting_set (id, event, subject, created_at) VALUES (1, 'x', 'y', 0)`))), await show(box.inside(({ store }) => store.all('SELECT * FROM posting_set'))));
});
