import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { requireBuilt, startProgram } from '../support/built.ts';
import { closedPort } from '../support/loopback.ts';
import { productionFile, sendEvent, startListener } from './listener.ts';
import { programOf } from './programs.ts';

beforeAll(() => {
  requireBuilt();
  programOf('promtool', 'prometheus');
});

const promtool = (argv: readonly string[], input = '') =>
  execFileSync(programOf('promtool', 'prometheus'), argv, { input, encoding: 'utf8' });

/** A listener that has received, refused, quarantined and forwarded something. */
async function busyListener() {
  const started = await startListener(['--exec', 'true', '--log', 'text']);
  for (const number of [1, 2]) expect(await sendEvent(started.url, number)).toBe(200);
  expect(await sendEvent(started.url, 2, 'another-secret')).toBe(401);
  const metrics = async () => (await fetch(`http://127.0.0.1:${started.metricsPort}/metrics`)).text();
  while (!/^fiatrail_forwards_total\{.*\} 2$/m.test(await metrics())) await sleep(50);
  return { ...started, text: await metrics() };
}

test('promtool finds nothing wrong with the numbers', async () => {
  const { text } = await busyListener();
  expect(promtool(['check', 'metrics'], text)).toBe('');
});

test('the alert rules are right, and ask for numbers that there are', async () => {
  const { text } = await busyListener();
  const rules = productionFile('alerts.yml');
  const path = join((await startListener()).home.path, 'alerts.yml');
  writeFileSync(path, rules);
  expect(promtool(['check', 'rules', path])).toContain('SUCCESS: 7 rules found');
  const asked = [...new Set(rules.match(/\bfiatrail_\w+/g))];
  expect(asked.length).toBeGreaterThan(4);
  expect(asked.filter((name) => !text.includes(`\n${name}{`) && !text.includes(`\n${name} `))).toEqual([]);
});

test('Prometheus scrapes the numbers as OpenMetrics', async () => {
  const { home, metricsPort } = await busyListener();
  const port = await closedPort();
  const config = join(home.path, 'prometheus.yml');
  const scraped = `{ job_name: fiatrail-webhooks, static_configs: [{ targets: ['127.0.0.1:${metricsPort}'] }] }`;
  writeFileSync(config, `global: { scrape_interval: 1s }\nscrape_configs: [${scraped}]\n`);
  const prometheus = startProgram(home, programOf('prometheus', 'prometheus'), [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(home.path, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  onTestFinished(async () => {
    prometheus.kill('SIGTERM');
    await prometheus.end;
  });
  const ask = async (query: string) => {
    const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`;
    const answer = await fetch(url).catch(() => undefined);
    if (!answer?.ok) return [];
    const { data } = (await answer.json()) as { data: { result: { value: [number, string] }[] } };
    return data.result.map(({ value }) => value[1]);
  };
  while ((await ask('fiatrail_inbox_events')).length === 0) await sleep(200);
  expect(
    await Promise.all(['up', 'fiatrail_inbox_events', 'fiatrail_deliveries_received_total{kind="new"}'].map(ask)),
  ).toEqual([['1'], ['2'], ['2']]);
});
