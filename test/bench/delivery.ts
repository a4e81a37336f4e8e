import { join } from 'node:path';
import { inTurn, timeMs } from './measure.ts';
import type { Row } from './report.ts';
import { rowsIn } from './rows-in.ts';
import { median, ratios } from './statistics.ts';
import { type Load, onboardingAt, type Shot, settledUsers, shoot } from './throughput.ts';
import type { Served, Workshop } from './workshop.ts';

interface Sandbox extends Served {
  readonly onboard: Shot;
  /** The number of deliveries that still wait. */
  waiting(): number;
}

async function startSandbox(shop: Workshop, state: string): Promise<Sandbox> {
  const flags = ['--port', '0', '--rate-limits', 'off', '--webhooks-to-loopback', '-o', 'json'];
  const command = shop.fiatrail(state, ['sandbox', 'serve', ...flags]);
  const file = join(command.env['FIATRAIL_STATE_DIR'] ?? '', 'sandbox.db');
  const served = await shop.serve(command);
  return {
    ...served,
    onboard: onboardingAt(served),
    waiting: () => rowsIn(file, `delivery WHERE state <> 'delivered'`),
  };
}

/** Waits until all events are delivered, so that one sandbox does not slow the other. Returns how long that took. */
async function drainMs(sandbox: Sandbox): Promise<number> {
  const startMs = performance.now();
  await settledUsers(sandbox);
  while (sandbox.waiting() > 0) await new Promise((resolve) => setTimeout(resolve, 100));
  return performance.now() - startMs;
}

/** Measures onboardings in a sandbox that delivers their events against one without a webhook. */
export async function measureDelivery(shop: Workshop, { rounds, seconds }: Load): Promise<Row[]> {
  const receiver = await shop.serve(shop.node([join(import.meta.dirname, 'bare-receiver.mjs')]));
  const sandboxes = { on: await startSandbox(shop, 'delivery-on'), off: await startSandbox(shop, 'delivery-off') };
  const { url, apiKey } = sandboxes.on;
  const account = { FIATRAIL_BASE_URL: url, FIATRAIL_API_KEY: apiKey };
  timeMs(shop.fiatrail('delivery-caller', ['webhooks', 'set', receiver.url, '--yes', '-q'], account));
  const onboard = async (sandbox: Sandbox) => ({
    ...(await shoot(sandbox.onboard, { duration: seconds })),
    drainMs: await drainMs(sandbox),
  });
  const found = await inTurn(sandboxes, rounds, onboard, 1);
  await Promise.all([receiver, ...Object.values(sandboxes)].map((each) => shop.stop(each)));
  const perSecond = (name: keyof typeof sandboxes) => found[name].map((each) => each.perSecond);
  const refused = [...found.on, ...found.off].reduce((sum, each) => sum + each.refused, 0);
  const drainS = median(found.on.map((each) => each.drainMs)) / 1_000;
  return [
    {
      name: 'POST /v1/onboarduser, with its events delivered',
      unit: '/s',
      values: perSecond('on'),
      against: 'without a webhook',
      beside: perSecond('off'),
      ratios: ratios(perSecond('on'), perSecond('off')),
      target: { is: 'at least', ratio: 0.9 },
      note: `Two events for each user, to a bare node:http server. The last one arrived ${drainS.toFixed(1)} s after a round of ${seconds} s. Without status 200: ${refused}.`,
    },
  ];
}
