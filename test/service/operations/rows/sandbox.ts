import { ExchangeError } from '../../../../src/base/errors.ts';
import type { Exchange } from '../../../../src/base/world.ts';
import {
  sandboxEvent,
  sandboxEventResend,
  sandboxEvents,
  sandboxFaultAdd,
  sandboxFaultClear,
  sandboxFaultList,
  sandboxRestore,
  sandboxSettle,
  sandboxSimulate,
  sandboxSnapshot,
} from '../../../../src/contract/control.ts';
import { setWebhook } from '../../../../src/contract/endpoints/management.ts';
import { startOnramp } from '../../../../src/contract/endpoints/onramp.ts';
import { FAULT_KINDS, WEBHOOK_FAULTS } from '../../../../src/contract/sandbox.ts';
import type { TestSandbox } from '../../../support/sandbox.ts';
import { onboardUser } from '../../steps.ts';
import type { Ask, GroupRows } from './group.ts';

/** Calls the controls that the other groups do not use. */
async function walk(box: TestSandbox, ask: Ask) {
  const { userId } = await onboardUser(box);
  await box.ask(startOnramp, { userId, amount: 1 });
  await ask(sandboxSettle, {});
  const ofWebhooks: readonly string[] = WEBHOOK_FAULTS;
  for (const kind of FAULT_KINDS) {
    const endpoint = ofWebhooks.includes(kind) ? 'webhooks' : 'transactions.offramp';
    const name = kind === 'reject' ? 'NO_FUNDED_WALLET' : undefined;
    await ask(sandboxFaultAdd, { endpoint, kind, name, times: 2 });
  }
  await ask(sandboxFaultList, {});
  await ask(sandboxFaultClear, {});
  await walkEvents(box, ask);
  const { content } = await ask(sandboxSnapshot, {});
  await ask(sandboxRestore, { content });
  // As the command does: a day at a time.
  let day = await ask(sandboxSimulate, { seed: 7, users: 60, days: 12 });
  for (let days = 11; days > 0; days -= 1) {
    const { until, now } = day;
    day = await ask(sandboxSimulate, { seed: 7, users: 60, days, until, from: now });
  }
}

const REFUSING = 'https://hooks.example.com/refuses';

/** Receives webhooks for the sandboxes of the walks, except at one address. */
export const receiver: Exchange = async ({ url }) => {
  if (url === REFUSING) throw new ExchangeError('the connection was refused', false);
  return { status: 200, headers: {}, body: 'taken' };
};

/** Shows events in every state of their delivery: one that nobody wanted, one lost, one delivered, and one refused. */
async function walkEvents(box: TestSandbox, ask: Ask) {
  const deliver = () => box.sandbox.deliverDue(new AbortController().signal);
  const subscribe = (webhookUrl: string) =>
    box.ask(setWebhook, { webhookUrl, enabled: true, events: ['user.onboarded'] });
  const onboard = (bvn: string) => box.call('POST', '/onboarduser', { bvn });
  await subscribe('https://hooks.example.com/in');
  await box.ask(sandboxFaultAdd, { endpoint: 'webhooks', kind: 'lost-webhook' });
  for (const bvn of ['22222222225', '22222222226']) {
    await onboard(bvn);
    await box.ask(sandboxSettle, {});
  }
  await deliver();
  await subscribe(REFUSING);
  await onboard('22222222227');
  await box.ask(sandboxSettle, {});
  await deliver();
  const { events } = await ask(sandboxEvents, { limit: 100 });
  for (const state of ['none', 'given-up', 'delivered', 'waiting'])
    for (const { eventId } of events.filter((event) => event.state === state).slice(0, 1))
      await ask(sandboxEvent, { eventId });
  const [delivered] = events.filter(({ state }) => state === 'delivered');
  await ask(sandboxEventResend, { eventId: delivered?.eventId ?? '' });
}

export const rows: GroupRows = {
  declared: [],
  precedence: [],
  walk,
  unproduced: {},
  // What is sent again is waiting.
  unreached: {
    'sandbox.event-resend state': ['none', 'delivered', 'given-up'],
    // Nothing of these goes wrong in so few days.
    'sandbox.simulate failures[].kind': [
      'user-status',
      'swap',
      'tokens-in',
      'registration',
      'account-deposit',
      'bridge-deposit',
      'transfer',
      'fee-change',
    ],
  },
};
