import type { AnswerFormName } from '../../src/contract/answer-forms.ts';
import type { Chances } from './chances.ts';
import type { MoneyLine, Place, Terms } from './money-groups.ts';
import { type ClockErrors, type Copied, rightClocks } from './money-rig.ts';
import type { Rows } from './money-rows.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** By how much a clock may be wrong. */
const ERRORS: Readonly<Record<string, number>> = {
  '+2 s': 2 * SECOND,
  '-2 s': -2 * SECOND,
  '+70 s': 70 * SECOND,
  '-70 s': -70 * SECOND,
  '+310 s': 310 * SECOND,
  '-310 s': -310 * SECOND,
  '+1 h': HOUR,
  '-1 h': -HOUR,
  '+2 days': 48 * HOUR,
};
const NO_ERROR = '0';

type ClockName = keyof ClockErrors;

/** What decides how an unknown outcome ends, as flags of a profile. */
export const PROFILES: Readonly<Record<string, readonly string[]>> = {
  sandbox: ['--mode', 'sandbox'],
  live: ['--mode', 'live'],
  'sandbox, asked': ['--mode', 'sandbox', '--unknown', 'ask'],
  'live, asked': ['--mode', 'live', '--unknown', 'ask'],
};

/** What is wrong with the world of a run. */
export interface World {
  readonly clockErrors: ClockErrors;
  /** The clock that is set in the middle of the run. */
  readonly setsClock: ClockName | undefined;
  /** How many other programs use the account. */
  readonly others: number;
  readonly answers: AnswerFormName;
  readonly profile: readonly string[];
  readonly isLive: boolean;
  /** Whether only a mark proves anything, by the profile. */
  readonly needsMarks: boolean;
  readonly rows: Rows;
  /** The older copy that is put in place of the journal. */
  readonly copy: 'none' | Copied;
  /** What was chosen, in words. */
  readonly said: Readonly<Record<string, string>>;
}

const USUAL = 'as usual';

/** Chooses what is wrong: sometimes little, so that it is known what a failure needs. */
export function worldOf(chances: Chances, clocks: readonly ClockName[]): World {
  const share = chances.one([12, 35, 70]);
  const said: Record<string, string> = {};
  const chosen = <T extends string>(name: string, usual: T, unusual: readonly T[]): T => {
    const value = chances.percent(share) ? chances.one(unusual) : usual;
    said[name] = value === usual ? USUAL : value;
    return value;
  };
  const clockErrors = rightClocks();
  for (const name of clocks) clockErrors[name] = errorOf(chosen(`clock of ${name}`, NO_ERROR, Object.keys(ERRORS)));
  const setsClock = chosen('clock that is set', 'none', clocks);
  const lateMs = Number(chosen('rows are late by at most', '0', ['60000', '600000']));
  const order = chosen('order of rows', 'as documented', ['oldest first', 'shuffled']);
  const profile = chances.one(Object.keys(PROFILES));
  said['profile'] = profile;
  return {
    clockErrors,
    said,
    setsClock: setsClock === 'none' ? undefined : setsClock,
    others: Number(chosen('other programs', '0', ['1', '2', '3'])),
    answers: chosen('answers', 'interface', ['public', 'public-older']),
    profile: PROFILES[profile] ?? [],
    isLive: profile.includes('live'),
    needsMarks: profile.includes('asked'),
    rows: { lateMs, order, chances },
    copy: chosen('older copy of the journal', 'none', ['the journal', 'the state folders', 'the machines']),
  };
}

const errorOf = (text: string) => ERRORS[text] ?? 0;

/** An error to which a clock may be set. */
export const anyError = (chances: Chances) => errorOf(chances.one([NO_ERROR, ...Object.keys(ERRORS)]));

/** How the request of another program differs from ours. */
const TWISTS: readonly ((other: Place, terms: Terms) => Partial<Terms>)[] = [
  () => ({}),
  () => ({}),
  ({ userId, managedWallet, onrampWallet }) => ({ userId, managedWallet, onrampWallet }),
  ({ wallet, destination, bankAccountId, bank }) => ({ wallet, destination, bankAccountId, bank }),
  (_other, { isOpposite }) => ({ isOpposite: !isOpposite }),
  (_other, { more }) => ({ more: more + 1 }),
];

/** What another program says otherwise than our command. It knows no tag of ours. */
export function twisted(chances: Chances, other: Place, { terms }: MoneyLine): Partial<Terms> {
  return { ...chances.one(TWISTS)(other, terms), tag: ' --no-tag' };
}

/** What is unusual about a world. */
export const unusual = ({ said }: World) => Object.entries(said).filter(([, value]) => value !== USUAL);
