import { CliError } from '../../base/errors.ts';
import { problemsOf, problemText } from '../../contract/check.ts';
import { EVENT_PAYLOADS } from '../../contract/event-payloads.ts';
import { exampleOf } from '../../derive/example.ts';
import { endDryRun } from '../../engine/requests.ts';
import { command } from '../../terminal/command.ts';
import { argument, required, word } from '../../terminal/parse/parameters.ts';
import { objectOf, properties } from '../../terminal/parse/properties.ts';
import type { Session } from '../../terminal/session.ts';
import { isTaken } from '../../webhooks/inbox/forwards.ts';
import { sendSigned } from '../../webhooks/listen/forwarder.ts';
import { setAt } from './change.ts';
import { eventNamed } from './events.ts';
import { secretsOf } from './settings.ts';
import { serviceNameFor, targetUrl } from './targets.ts';

/** What the service's own sandbox signs with. Source: public. */
const TEST_SECRET = 'sandbox-webhook-secret-do-not-use-in-production';

/** Makes up an event with example values, changed as asked. Throws CliError usage for a value that breaks the contract. */
function madeUp({ world }: Session, name: string, changes: Readonly<Record<string, unknown>> = {}) {
  const { name: event, scope } = eventNamed(name);
  const schema = EVENT_PAYLOADS[event]();
  const nowMs = world.clock.now();
  const data = exampleOf(schema, nowMs) as Record<string, unknown>;
  for (const [path, value] of Object.entries(changes)) setAt(data, path.split('.'), value);
  const problems = problemsOf(schema, data);
  if (problems.length > 0)
    throw new CliError('usage', `--set: ${problems.map(problemText).join('; ')}`, {
      hint: `see the fields with: fiatrail webhooks events ${event}`,
    });
  const ids = { eventId: world.ids.uuid(), requestId: world.ids.uuid() };
  const around = {
    ...ids,
    timestamp: new Date(nowMs).toISOString(),
    ...(scope === 'user' ? { userId: 'example-user' } : {}),
  };
  return { event, body: JSON.stringify({ event, ...around, version: '1.0.0', data }) };
}

export const triggerCommand = command({
  words: ['webhooks', 'trigger'],
  summary: 'Send a made-up event to a URL, signed as the service would',
  details: `The event has example values, and nothing happened to cause it. It is signed with FIATRAIL_WEBHOOK_SECRET or the profile’s secret, else with ${TEST_SECRET}. Live profiles refuse it.`,
  examples: [
    'fiatrail webhooks trigger user.onboarded --target http://127.0.0.1:3000/webhooks',
    'fiatrail webhooks trigger fintech.user.deposit.received --target http://127.0.0.1:3000/webhooks --set deposit.amount=750',
  ],
  endpoints: [],
  prints: { form: { event: 'text', to: 'text', status: ['null or', 'whole number'], problem: ['null or', 'text'] } },
  isLocal: true,
  parameters: {
    event: argument('event', 'event name, such as user.onboarded', word, 'Event:'),
    to: required('--target <url>', 'URL that receives it', targetUrl, 'Target URL:'),
    set: properties('--set', 'field of the content to change, such as deposit.amount'),
  },
  run: async (session, { event: name, to, set }) => {
    const { world, profile } = session;
    if (profile.mode === 'live')
      throw new CliError('declined', 'a live profile sends no made-up events', {
        hint: 'use the sandbox: add --profile sandbox',
      });
    const { event, body } = madeUp(session, name, objectOf(set));
    endDryRun(session, { event, to, body });
    const [secret] = await secretsOf(session);
    const end = await sendSigned(
      to,
      { event, webhookId: world.ids.uuid(), body: Buffer.from(body) },
      { form: 'service', secret: secret?.reveal() ?? TEST_SECRET, serviceName: serviceNameFor(world, profile) },
      { exchange: world.network, clock: world.clock },
      world.interrupted,
    );
    const { status, problem } = end;
    const data = { event, to, status: status ?? null, problem: problem ?? null };
    if (isTaken(end)) return { result: { data } };
    const why = problem ?? `it answered HTTP ${status}`;
    return {
      result: { data },
      error: new CliError('refused', `the target did not take the event: ${why}`, { code: 'NOT_TAKEN' }),
    };
  },
});
