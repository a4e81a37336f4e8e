import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { fiatrail, newHome, requireBuilt, startFiatrail } from '../support/built.ts';
import { closedPort } from '../support/loopback.ts';

beforeAll(requireBuilt);

test('a listener of the embedded sandbox counts what other commands put into the inbox, and logs JSON from its first line', async () => {
  const home = newHome(onTestFinished);
  const port = await closedPort();
  const argv = ['webhooks', 'listen', '--metrics-port', String(port), '--log', 'json', '-o', 'ndjson'];
  const listener = startFiatrail(home, argv);
  await listener.says('Press Ctrl-C to stop');
  const { code } = await fiatrail(home, ['users', 'onboard', '22222222222', '--wait', '-q']);
  expect(code).toBe(0);
  await listener.firstLine();
  const numbers = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  listener.kill('SIGINT');
  const { stdout, stderr } = await listener.end;
  const [, received] = /^fiatrail_deliveries_received_total\{kind="new"\} (\d+)$/m.exec(numbers) ?? [];
  const shown = stdout.trimEnd().split('\n').length;
  expect(Number(received)).toBeGreaterThan(0);
  expect(Number(received)).toBeLessThanOrEqual(shown);
  const lines = stderr.trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(lines.map(() => 'info'));
  expect((JSON.parse(lines[0] ?? '') as { message: string }).message).toBe('profile sandbox · embedded sandbox');
});
