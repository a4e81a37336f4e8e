import { once } from '../../src/base/calls.ts';
import type { Exchange } from '../../src/base/world.ts';
import { main } from '../../src/main.ts';
import { furnish } from '../faults/money-groups.ts';
import { openSandbox } from '../support/sandbox.ts';
import { fakeWorld } from '../support/world.ts';

const MINUTE_MS = 60_000;

/** An account with what the commands of money name, furnished once, because only what follows differs. */
export const furnished = once(async () => {
  await using box = await openSandbox();
  const network: Exchange = (request) =>
    box.sandbox.fetch(request, { apiKey: request.headers['x-api-key'], address: '127.0.0.1' });
  const env = { FIATRAIL_BASE_URL: 'http://127.0.0.1:9/v1', FIATRAIL_API_KEY: box.apiKey };
  const world = fakeWorld({ clock: box.clock, network, env });
  const json = async (words: readonly string[]): Promise<Record<string, unknown>> => {
    const before = world.stdout.text().length;
    const exit = await main([...words, '--yes', '-q', '-o', 'json'], world);
    if (exit !== 0) throw new Error(`${words.join(' ')}: exit ${exit}: ${world.stderr.text()}`);
    return JSON.parse(world.stdout.text().slice(before)) as Record<string, unknown>;
  };
  const place = await furnish(json, async () => box.clock.pass(MINUTE_MS));
  return { place, beginning: box.copy() };
});
