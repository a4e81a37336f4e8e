import type { Profile } from '../../account/profile.ts';
import { CliError } from '../../base/errors.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { World } from '../../base/world.ts';
import { sha256Hex } from '../../crypto/digest.ts';
import type { AccountNames } from '../../journal/accounts.ts';
import type { Journal } from '../../journal/interface.ts';
import type { Asset } from '../../money/amount.ts';
import { isWireNumber } from '../../money/decimal.ts';
import { visible } from '../../present/text.ts';
import { existingJournal } from '../connection/journal-location.ts';
import { LONGEST_PLAN_MS } from './lifetime.ts';

/** A label and its value. */
export type PlannedLine = readonly [label: string, value: string];

/** The texts of a command's parameters by name, as they were typed. */
export type TypedInput = Readonly<Record<string, string | true | readonly string[]>>;

/** What a change sends and what it was seen to cost. Everything here must be the same when the plan is applied. */
export interface Terms {
  /** The command as a shell would take it. */
  readonly commandLine: string;
  /** A verb phrase that says what the plan does. */
  readonly summary: string;
  readonly endpoint: string;
  readonly method: string;
  readonly path: string;
  /** The request with its exact wire numbers. */
  readonly request: Readonly<Record<string, unknown>>;
  /** The text in the request by which the service’s lists show it. */
  readonly tag: string | null;
  /** The sums that it moves; of several operations, their totals. */
  readonly amounts: readonly PlannedAmount[];
  /** How many operations it makes. */
  readonly count: number;
  /** What a confirmation shows. */
  readonly lines: readonly PlannedLine[];
  /** What was read for it: fees, the destination’s name. Without the balance, which may change. */
  readonly previews: readonly PlannedLine[];
}

/** An amount of the request, in whole units and in the smallest ones. */
export interface PlannedAmount {
  readonly field: string;
  readonly asset: Asset;
  readonly value: string;
  readonly minor: string;
}

/** Who asks for something: the user of a machine, as that machine says it, and as an approver. */
export interface Author {
  readonly user: string;
  readonly host: string;
  /** Name and public key; null if the author has no key. */
  readonly approver: { readonly name: string; readonly publicKey: string } | null;
  /** The agent that asked, by the name that it gave itself; left out for a person or a job. */
  readonly agent?: string | undefined;
}

interface PlannedBalance {
  readonly text: string;
  readonly asset: Asset;
  readonly beforeMinor: string;
  readonly afterMinor: string | null;
}

/** A plan without what proves it. The hash covers every field. */
export interface PlanContent extends Terms {
  readonly id: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly author: Author;
  readonly account: {
    readonly profile: string;
    readonly mode: string;
    readonly baseUrl: string;
    readonly keyFingerprint: string;
  };
  readonly words: readonly string[];
  readonly input: TypedInput;
  readonly balance: PlannedBalance | null;
  /** The rules of the profile that the plan met when it was made, one sentence each. */
  readonly rules: readonly string[];
}

/** An approver’s signature. `author`: made together with the plan. `signer`: made by someone else who agreed. */
export interface Signature {
  readonly role: 'author' | 'signer';
  readonly approver: string;
  readonly publicKey: string;
  readonly signedAt: string;
  /** The references of the rows that a signer struck out of the plan of a file; left out if there are none. */
  readonly without?: readonly string[] | undefined;
  readonly signature: string;
}

export interface Plan {
  readonly content: PlanContent;
  readonly hash: string;
  readonly signatures: readonly Signature[];
}

/** Keeps the hash of a plan from being the hash of anything else. */
const HASH_PREFIX = 'fiatrail plan 1';

/** Returns the SHA-256 of a plan’s content in its canonical form: names sorted, no spaces, numbers as they are on the wire. */
export function hashOf(content: PlanContent): string {
  return sha256Hex(`${HASH_PREFIX}\n${canonical(content)}`);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null || isWireNumber(value)) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join(',')}}`;
}

/** Throws CliError declined if the times of a plan are none, or if it holds longer than any plan may. */
function requireTimes({ createdAt, expiresAt }: Pick<PlanContent, 'createdAt' | 'expiresAt'>): void {
  const invalid = [createdAt, expiresAt].find((each) => !isTime(each));
  const heldMs = Date.parse(expiresAt) - Date.parse(createdAt);
  if (invalid === undefined && heldMs > 0 && heldMs <= LONGEST_PLAN_MS) return;
  const message =
    invalid === undefined
      ? `the plan of ${createdAt} expires on ${expiresAt}; expected at most ${LONGEST_PLAN_MS / 86_400_000} days later`
      : `the plan has a time that does not exist: ${invalid}`;
  throw new CliError('declined', `${message}; nothing was sent`, {
    code: 'INVALID_EXPIRY',
    hint: 'write a new plan with --plan; --plan-expires sets how long it holds',
  });
}

/** Whether a text is a time as JSON writes it: there is no 13th month, and February has no 30th day. */
function isTime(text: string): boolean {
  const timeMs = Date.parse(text);
  return Number.isFinite(timeMs) && new Date(timeMs).toISOString() === text;
}

/**
 * Throws CliError declined if a plan has expired, was made by a clock that is ahead of the agreed time by more than a few minutes, or
 * holds longer than any plan may.
 */
export function requireUnexpired({ content }: Pick<Plan, 'content'>, nowMs: number): void {
  const { expiresAt, createdAt } = content;
  requireTimes(content);
  if (nowMs >= Date.parse(expiresAt))
    throw new CliError('declined', `the plan expired on ${expiresAt}; nothing was sent`, {
      code: 'PLAN_EXPIRED',
      hint: 'write a new one with --plan; --plan-expires sets how long it holds',
    });
  if (Date.parse(createdAt) - nowMs > CLOCK_SKEW_MS)
    throw new CliError('declined', `the plan was made in the future, on ${createdAt}; nothing was sent`, {
      code: 'PLAN_EXPIRED',
      hint: 'check the clocks of both machines',
    });
}

const CLOCK_SKEW_MS = 5 * 60_000;

/** Longer than anything an honest author writes. */
const MAX_CHARACTERS = 200;

/** Shows a text of someone else: what a terminal would hide or act on is escaped, and a long text is cut. */
export function quotedText(text: string, maximum = MAX_CHARACTERS): string {
  const shown = visible(text);
  const characters = [...shown];
  if (characters.length <= maximum) return shown;
  return `${characters.slice(0, maximum).join('')}… (cut; ${characters.length} characters)`;
}

/** The account of a plan, and the journal that knows its approvers. */
export interface PlanAccount {
  readonly world: World;
  readonly profile: Profile;
  accountNames(): Promise<AccountNames>;
  journal(): Promise<Journal>;
}

/** Throws CliError usage if a plan is for another account, or for the same one at another address. */
export async function requireAccount(own: PlanAccount, { content: { account } }: Plan): Promise<void> {
  const { name, baseUrl } = own.profile;
  if (account.baseUrl === baseUrl && (await isSameAccount(own, account.keyFingerprint))) return;
  const where = account.mode === 'embedded' ? 'the embedded sandbox' : account.baseUrl;
  throw new CliError(
    'usage',
    `the plan is for another account than profile ${name} has: ${account.profile} (${account.mode}) at ${where}, key ${account.keyFingerprint}; nothing was sent`,
    { code: 'OTHER_ACCOUNT', hint: `choose a profile with that account: --profile ${shellWord(account.profile)}` },
  );
}

/** An account is its key, or a key that the journal knows to be of the same account, such as the one before a rotation. */
export async function isSameAccount(current: PlanAccount, keyFingerprint: string): Promise<boolean> {
  const own = await current.accountNames();
  if (own.keyFingerprint === keyFingerprint) return true;
  const journal = await existingJournal(current);
  if (!journal) return false;
  // Only the key: a profile’s name does not say whose account it is.
  const planned = await journal.accountIds({ keyFingerprint, profile: '', baseUrl: '' });
  const ours = await journal.accountIds({ ...own, profile: '', baseUrl: '' });
  return planned.some((id) => ours.includes(id));
}
