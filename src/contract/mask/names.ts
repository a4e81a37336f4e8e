import { once } from '../../base/calls.ts';
import { controls } from '../control.ts';
import { endpoints } from '../endpoints/index.ts';
import { EVENT_PAYLOADS } from '../event-payloads.ts';
import { EVENTS } from '../events.ts';
import type { PersonalKind } from '../fields.ts';
import { NETWORKS } from '../networks.ts';
import { rowsOf } from '../rows.ts';

/** What a field is by its name alone. `open`: it tells about nobody, but words in it may. `figure`: it is a figure or a time. `exact`: a program made it, and takes nothing else. */
export type Meaning = PersonalKind | 'open' | 'figure' | 'exact' | 'path';

/** The fields of the envelope around the data of a response; in `data`, a message may name someone. Source: public. */
const ENVELOPE = ['status', 'response_code', 'responseCode', 'responseMessage', 'message', 'error', 'details', 'code'];

/**
 * Fields of fiatrail's own documents, where the contract has none of that name or means something else by it. After a dot, a field is
 * of the object or the list of that name.
 */
const OWN: Readonly<Record<string, Meaning>> = {
  approver: 'name',
  runBy: 'name',
  who: 'name',
  addedBy: 'name',
  askedBy: 'name',
  signedBy: 'name',
  'author.user': 'name',
  user: 'name',
  'user.name': 'name',
  'users.name': 'name',
  'signers.name': 'name',
  'approvers.name': 'name',
  'headers.value': 'text',
  host: 'host',
  target: 'url',
  idempotencyKey: 'key',
  tag: 'reference',
  path: 'path',
  name: 'open',
  value: 'open',
  reason: 'open',
  note: 'open',
  description: 'open',
  label: 'open',
  from: 'open',
  message: 'open',
  error: 'open',
  amount: 'figure',
  minor: 'figure',
  sum: 'figure',
  balance: 'figure',
  url: 'path',
  explorerLink: 'url',
  after: 'exact',
  hash: 'exact',
  head: 'exact',
  signature: 'exact',
  publicKey: 'exact',
  platformKey: 'exact',
  NGN: 'figure',
  CNGN: 'figure',
  USDC: 'figure',
  USDT: 'figure',
};

/** Stands for the name of what an envelope is in, so that its own message is told from one in `data`. */
export const IN_ENVELOPE = '(envelope)';

/** Fields that commands add to a response. */
const ADDED: Readonly<Record<string, Meaning>> = { emptyNetworks: 'open', secret: 'open', secretFingerprint: 'open' };

/** Fields of fiatrail's documents that repeat what the service or a sender wrote. */
export const REPEATED: ReadonlySet<string> = new Set([
  'request',
  'result',
  'row',
  'data',
  'sent',
  'received',
  'body',
  'answer',
]);

/** Returns every field of the contract: those of requests, responses and events. */
const allRows = once(() => [
  ...[...controls, ...endpoints].flatMap(({ request, response }) => [...rowsOf(request()), ...rowsOf(response())]),
  ...Object.values(EVENT_PAYLOADS).flatMap((payload) => rowsOf(payload())),
]);

/** Returns what a field of the service is by its name; undefined if the contract has none of that name. */
export const serviceMeaning = (name: string, parent: string): Meaning | undefined =>
  (parent === IN_ENVELOPE && ENVELOPE.includes(name) ? 'open' : byName().get(plainName(name))) ??
  (Object.hasOwn(ADDED, name) ? ADDED[name] : undefined);

const leafOf = (name: string) => name.slice(name.lastIndexOf('.') + 1).replace(/\[\]$/, '');

/** `first_name` and `firstName` are one field. */
const plainName = (name: string) => name.replaceAll('_', '').toLowerCase();

/** What the fields of the contract are by their names. One that is personal anywhere is personal. */
const byName = once(() => {
  const meanings = new Map<string, Meaning>();
  for (const { name, personal } of allRows()) {
    const leaf = plainName(leafOf(name));
    const known = meanings.get(leaf);
    if (known === undefined || known === 'open') meanings.set(leaf, personal ?? 'open');
  }
  return meanings;
});

const figureNames = once(
  () => new Set(allRows().flatMap(({ name, unit }) => (unit === undefined ? [] : [plainName(leafOf(name))]))),
);

/** Whether a field of that name is a figure in some message of the contract. */
export const isFigureName = (name: string): boolean => figureNames().has(plainName(name));

/** Returns what a field of one of fiatrail's own documents is by its name and that of what it is in. */
export function ownMeaning(name: string, parent: string): Meaning | undefined {
  const inParent = `${parent}.${name}`;
  if (Object.hasOwn(OWN, inParent)) return OWN[inParent];
  return Object.hasOwn(OWN, name) ? OWN[name] : serviceMeaning(name, parent);
}

/** The words of the contract: states, networks, tokens, events, endpoints and names of fields. They are nobody's. */
const vocabulary = once(() => {
  const enums = allRows().flatMap(({ type }) => /^enum\[(.*)\]$/.exec(type)?.[1]?.split(',') ?? []);
  const words = [
    ...enums,
    ...ENVELOPE,
    ...Object.keys(OWN),
    ...REPEATED,
    'naira',
    'ngn',
    'cngn',
    'usdc',
    'usdt',
    'usd',
    ...[...controls, ...endpoints].flatMap(({ id, path }) => [id, ...path.split('/')]),
    ...NETWORKS.flatMap(({ key, name }) => [key, name]),
    ...EVENTS.map(({ name }) => name),
    ...Object.keys(EVENT_PAYLOADS),
    'v1',
    '_sandbox',
    'get',
    'post',
    'put',
    'delete',
    'success',
    'true',
    'false',
    'null',
  ];
  return new Set(
    [...words, ...byName().keys(), ...allRows().map(({ name }) => leafOf(name))].map((each) => each.toLowerCase()),
  );
});

/** Whether a text is a word of the contract itself. */
export const isContractWord = (text: string): boolean => vocabulary().has(text.trim().toLowerCase());
