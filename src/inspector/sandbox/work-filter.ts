import { scaledInteger } from '../../money/decimal.ts';
import { MACHINES } from '../../service/machines.ts';
import type { SqlValue } from '../../sqlite/database.ts';
import { lookOf, thingNamed } from '../look.ts';
import type { RowFilter } from '../source.ts';
import { typedSums } from '../typed.ts';

/** Every state of every machine. */
const STATES = MACHINES.flatMap(({ name, transitions }) =>
  [...new Set(transitions.flatMap(({ from, to }) => [...from, to]))].map((state) => ({ kind: name, state })),
);

/** What the service says of states that only its sandbox has. */
const STATUSES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  deposit: { refunding: 'processing', refunded: 'failed' },
  'fee-withdrawal': { processing: 'pending' },
};

/** The status that the service says of work in a state. */
export const statusOfWork = (kind: string, state: string): string => STATUSES[kind]?.[state] ?? state;

/** How work of a machine looks. Those of a user and of the account itself have the same states. */
export const lookOfWork = (kind: string, state: string, isOfUser = true) =>
  kind === 'vault'
    ? lookOf({ of: 'account', states: VAULT }, state)
    : lookOf(thingOfWork(kind, isOfUser) ?? { of: 'account', states: {} }, statusOfWork(kind, state));

const VAULT = {
  pending: { waits: 'waits for its approval' },
  active: { ends: 'good' },
  inactive: { ends: 'bad' },
} as const;

const NAMES: Readonly<Record<string, string>> = { bridge: 'bridge transfer', 'fee-withdrawal': 'fee withdrawal' };

/** The record of the work of a machine. */
export const thingOfWork = (kind: string, isOfUser: boolean) =>
  kind === 'withdrawal' && !isOfUser ? thingNamed('transfer') : thingNamed(NAMES[kind] ?? kind, isOfUser);

/** Whether a text may be a state, which changes. */
export const mayBeState = (text: string): boolean =>
  text !== '' && STATES.some(({ state }) => state.includes(text.toLowerCase()));

/** An amount of the filter in millionths of its asset; undefined if it is no figure. */
const millionths = (text: string | undefined) =>
  text === undefined || text === '' ? undefined : scaledInteger(text.replace(/[, ]/g, ''), 6);

const MILLIONTHS = `minor * CASE asset WHEN 'NGN' THEN 10000 ELSE 1 END`;

/** The condition of a filter, and its values. What is no time and no figure matches nothing. */
export function conditionOf({ text, state, look, since, until, user, least, most }: RowFilter) {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const add = (condition: string, ...of: SqlValue[]) => {
    conditions.push(condition);
    values.push(...of);
  };
  if (state !== '') add('kind = ?', state);
  if (look) {
    const all = STATES.filter((each) => lookOfWork(each.kind, each.state) === look);
    add(
      all.length === 0 ? '0' : `kind || '/' || state IN (${all.map(() => '?').join(', ')})`,
      ...all.map((each) => `${each.kind}/${each.state}`),
    );
  }
  for (const [time, sign] of [
    [since, '>='],
    [until, '<'],
  ] as const)
    if (time) add(Number.isNaN(Date.parse(time)) ? '0' : `created_at ${sign} ${Date.parse(time)}`);
  if (user) add('user = (SELECT user.id FROM user WHERE user_id = ?)', user);
  for (const [figure, sign] of [
    [least, '>='],
    [most, '<='],
  ] as const)
    if (figure) {
      const bound = millionths(figure);
      add(bound === undefined ? '0' : `${MILLIONTHS} ${sign} ${bound}`);
    }
  if (text !== '') {
    const sums = typedSums(text);
    const isSum = sums.map(() => '(minor = ? AND asset = ?) OR instr(sums, ?) > 0');
    const words = `instr(lower(kind || ' ' || id || ' ' || state) || ' ' || found, ?) > 0`;
    add(
      `(${[words, ...isSum].join(' OR ')})`,
      text.toLowerCase(),
      ...sums.flatMap(({ minor, asset }) => [minor, asset, ` ${asset}:${minor} `]),
    );
  }
  return { sql: conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '', values };
}
