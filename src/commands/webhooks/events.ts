import * as z from 'zod/mini';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { problemsOf, problemText } from '../../contract/check.ts';
import { EVENT_PAYLOADS } from '../../contract/event-payloads.ts';
import { EVENTS, eventOf } from '../../contract/events.ts';
import { valuesOf } from '../../contract/fields.ts';
import { elementOf, shapeOf, unwrap } from '../../contract/rows.ts';
import { fieldSchema, fieldsOf } from '../../derive/describe.ts';
import type { Account } from '../../engine/account.ts';
import { endDryRun } from '../../engine/requests.ts';
import { type Asset, amount, DECIMALS, printable, toWireNumber, toWireText } from '../../money/amount.ts';
import { paginationSchema } from '../../present/prints.ts';
import { command } from '../../terminal/command.ts';
import { objectOf, properties } from '../../terminal/parse/field-options.ts';
import { nearest } from '../../terminal/parse/nearest.ts';
import { argument, optionalArgument, required, withValues, word } from '../../terminal/parse/parameters.ts';
import { isTaken } from '../../webhooks/inbox/forwards.ts';
import { sendSigned } from '../../webhooks/listen/sending.ts';
import { secretsOf } from '../../webhooks/run/secrets.ts';
import { CHECK_TARGET, serviceNameFor, targetUrl } from './targets.ts';

/** Sets a field of an event's content; each part of the path but the last must be there. Throws CliError usage. */
export function setAt(content: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  // Only fields of its own: `__proto__` is a field like any other.
  const inner = Object.hasOwn(content, name) ? content[name] : undefined;
  if (rest.length === 0)
    Object.defineProperty(content, name, { value, configurable: true, enumerable: true, writable: true });
  else if (typeof inner === 'object' && inner !== null && !Array.isArray(inner))
    setAt(inner as Record<string, unknown>, rest, value);
  else
    throw new CliError('usage', `--set: the event has no field ${name} that contains ${rest.join('.')}`, {
      hint: advice`see the fields with: [fiatrail webhooks events EVENT]`,
    });
}

const COLUMNS = [
  { field: 'name', title: 'Event' },
  { field: 'scope', title: 'About' },
  { field: 'means', title: 'Meaning' },
  { field: 'source', title: 'Source', isWide: true },
] as const;

const FIELDS = [
  { field: 'name', title: 'Field' },
  { field: 'type', title: 'Type' },
  { field: 'source', title: 'Source' },
  { field: 'meaning', title: 'Meaning' },
] as const;

const eventSchema = () =>
  z.object({ name: z.string(), scope: z.enum(['user', 'fintech']), source: z.string(), means: z.string() });

/** Returns an event by either of its names. Throws CliError usage. */
export function eventNamed(text: string) {
  const event = eventOf(text);
  if (event) return event;
  const near = nearest(
    text,
    EVENTS.map(({ name }) => name),
  );
  throw new CliError('usage', `unknown event "${printable(text)}"`, {
    hint:
      near.length > 0 ? `did you mean ${near.join(' or ')}?` : advice`list the events with: [fiatrail webhooks events]`,
  });
}

export const eventsCommand = command({
  words: ['webhooks', 'events'],
  summary: 'List the events of the service, or describe one with its fields',
  examples: ['fiatrail webhooks events', 'fiatrail webhooks events user.onboarded -o json'],
  endpoints: [],
  prints: () =>
    z.union([
      z.object({
        events: z.array(z.extend(eventSchema(), { otherName: z.optional(z.string()) })),
        pagination: paginationSchema(),
      }),
      z.extend(eventSchema(), { otherName: z.nullable(z.string()), fields: z.array(fieldSchema()) }),
    ]),
  isLocal: true,
  parameters: { event: optionalArgument('event', 'event to describe, such as user.onboarded', word) },
  run: async (_account, _terminal, { event: name }) => {
    if (name === undefined)
      return {
        result: { data: { events: EVENTS }, lists: 'events', list: { isWhole: true }, columns: COLUMNS },
      };
    const { otherName, ...event } = eventNamed(name);
    const { aboutField } = await import('../../derive/about.ts');
    const fields = fieldsOf(EVENT_PAYLOADS[event.name](), { id: event.name }, aboutField);
    const columns = [
      { field: 'name', title: 'Event' },
      { field: 'otherName', title: 'Other name' },
      { field: 'scope', title: 'About' },
      { field: 'means', title: 'Meaning' },
      { field: 'source', title: 'Source' },
      { field: 'fields', title: 'Fields of data', columns: FIELDS },
    ];
    return { result: { data: { ...event, otherName: otherName ?? null, fields }, columns } };
  },
});

/** What the service's own sandbox signs with. Source: public. */
const TEST_SECRET = 'sandbox-webhook-secret-do-not-use-in-production';

/** Makes up an event with example values, changed as asked. Throws CliError usage for a value that breaks the contract. */
function madeUp({ world }: Account, name: string, changes: Readonly<Record<string, unknown>> = {}) {
  const { name: event, scope } = eventNamed(name);
  const schema = EVENT_PAYLOADS[event]();
  const nowMs = world.clock.now();
  const data = exampleOf(schema, nowMs) as Record<string, unknown>;
  for (const [path, value] of Object.entries(changes)) setAt(data, path.split('.'), value);
  const problems = problemsOf(schema, data);
  if (problems.length > 0)
    throw new CliError('usage', `--set: ${problems.map(problemText).join('; ')}`, {
      hint: advice`see the fields with: [fiatrail webhooks events ${event}]`,
    });
  const ids = { eventId: world.ids.uuid(), requestId: world.ids.uuid() };
  const around = {
    ...ids,
    timestamp: new Date(nowMs).toISOString(),
    ...(scope === 'user' ? { userId: 'example-user' } : {}),
  };
  return { event, body: JSON.stringify({ event, ...around, version: '1.0.0', data }) };
}

const EVENT_NAME = withValues(
  EVENTS.map(({ name }) => name),
  word,
);

export const triggerCommand = command({
  words: ['webhooks', 'trigger'],
  summary: 'Send a test event with sample data to a URL',
  details: `Signs it as the service would, with FIATRAIL_WEBHOOK_SECRET or the profile’s secret, otherwise with ${TEST_SECRET}. Not available on live profiles.`,
  examples: [
    'fiatrail webhooks trigger user.onboarded --target http://127.0.0.1:3000/webhooks',
    'fiatrail webhooks trigger fintech.user.deposit.received --target http://127.0.0.1:3000/webhooks --set deposit.amount=750',
  ],
  endpoints: [],
  prints: () =>
    z.object({ event: z.string(), to: z.string(), status: z.nullable(z.int()), problem: z.nullable(z.string()) }),
  isLocal: true,
  parameters: {
    event: argument('event', 'event name, such as user.onboarded', EVENT_NAME, 'Which event?'),
    to: required('--target <url>', 'URL that receives it', targetUrl, 'Target URL:'),
    set: properties('--set', 'field of the content to change, such as deposit.amount'),
  },
  run: async (account, _terminal, { event: name, to, set }) => {
    const { world, profile } = account;
    if (profile.mode === 'live')
      throw new CliError('declined', 'a live profile sends no made-up events', {
        hint: 'use the sandbox: add --profile sandbox',
      });
    const { event, body } = madeUp(account, name, objectOf(set));
    endDryRun(account, { event, to, body });
    const [secret] = await secretsOf(account);
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
    const why = problem ?? `it responded with HTTP ${status}`;
    return {
      result: { data },
      error: new CliError('rejected', `the target did not acknowledge the event: ${why}`, {
        code: 'NOT_ACKNOWLEDGED',
        hint: CHECK_TARGET,
      }),
    };
  },
});

/** Example values by the name of a field, where a text that only looks like one would mislead. */
const BY_NAME: readonly (readonly [name: RegExp, value: string])[] = [
  [/^(firstName)$/, 'Ada'],
  [/^(lastName)$/, 'Okafor'],
  [/accountName|^name$/i, 'ADA OKAFOR'],
  [/accountNumber/i, '0123456789'],
  [/bankCode/i, '000013'],
  [/bankName/i, 'EXAMPLE BANK'],
  [/^(ticker|currency|sellToken|buyToken|token|targetAsset)$/, 'CNGN'],
  [/network/i, 'base'],
  [/address|wallet$/i, `0x${'ab'.repeat(20)}`],
  [/hash/i, `0x${'cd'.repeat(32)}`],
  [/url/i, 'https://example.com/'],
];

/** How much an example moves: 5,000 units. */
const WHOLE = 5_000n;

/** Returns a value that a schema accepts. `nowMs` is the time in it, in milliseconds since the epoch. */
function exampleOf(schema: z.ZodMiniType, nowMs: number, name = ''): unknown {
  const { schema: inner, meta } = unwrap(schema);
  const shape = shapeOf(inner);
  if (shape)
    return Object.fromEntries(Object.entries(shape).map(([key, value]) => [key, exampleOf(value, nowMs, key)]));
  const element = elementOf(inner);
  if (element) return [exampleOf(element, nowMs, name)];
  if (!meta) return 'example';
  const { type, unit, asset } = meta;
  const [first] = valuesOf(meta) ?? [];
  if (first !== undefined) return first;
  if (unit !== undefined && unit !== 'percent') {
    const known: Asset = typeof asset === 'string' && asset !== 'USD' ? asset : 'CNGN';
    const value = amount(known, WHOLE * 10n ** BigInt(DECIMALS[known]));
    return type === 'string' ? toWireText(value, unit) : toWireNumber(value, unit);
  }
  if (type === 'datetime') return new Date(nowMs).toISOString();
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return 1;
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? `example-${name || 'text'}`;
}
