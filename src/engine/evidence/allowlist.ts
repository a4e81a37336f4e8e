import type { Profile } from '../../account/profile.ts';
import { advice, type Hint } from '../../base/advice.ts';
import { CliError, withDetails } from '../../base/errors.ts';
import {
  fullyVisible,
  type IpRange,
  matchesVisible,
  parseRange,
  parseVisible,
  rangeText,
  type VisibleRange,
} from '../../contract/cidr.ts';
import type { ResponseOf } from '../../contract/endpoint.ts';
import { ipAllowlist } from '../../contract/endpoints/allowlist.ts';
import { getFees } from '../../contract/endpoints/fees.ts';
import type { Account, AccountCallOptions } from '../account.ts';
import { FIRST_POLL_MS, interruptedWait, longerPause, SHORTEST_READ_MS, statusUnreadable } from './follow.ts';

/** The result of `check` for this machine. */
interface Access {
  /** The address that the service sees: masked, or in full if it is known. */
  readonly yourIp: string;
  readonly own: VisibleRange | undefined;
  readonly isAllowed: boolean;
  /** The entry that allows this machine, masked. */
  readonly matchedRule: string | undefined;
  readonly total: number | undefined;
}

export interface AllowlistEntry {
  readonly index: number;
  /** Masked. */
  readonly ip: string;
  readonly label: string | undefined;
}

/** The allowlist and this machine's access before a change. */
export interface AllowlistState {
  readonly access: Access;
  readonly entries: readonly AllowlistEntry[];
}

/** These reads precede a change, and are made in a dry run too. */
const BEFOREHAND = { isBeforehand: true } as const;

/** The time after which a change is in effect on every server. Source: interface. */
export const PROPAGATION_MS = 30_000;

/** Reads access and entries. `mine` is the full address of this machine, if known. Throws CliError usage if the service sees another address. */
export async function readAllowlist(account: Account, mine?: IpRange): Promise<AllowlistState> {
  const access = await readAccess(account, BEFOREHAND);
  const known = mine ?? localAddress(account.profile);
  const isShown = known !== undefined && access.own !== undefined && matchesVisible(known, access.own);
  if (mine && !isShown) {
    throw new CliError('usage', `--my-address: the service sees this machine as ${access.yourIp}`, {
      hint: 'pass the address from which this machine reaches the service',
    });
  }
  const full = isShown ? { own: fullyVisible(known), yourIp: rangeText(known) } : {};
  return { access: { ...access, ...full }, entries: await readEntries(account) };
}

/** Returns the loopback address for a service on this machine; undefined for a remote service, which may see another address. */
function localAddress({ mode, baseUrl }: Profile): IpRange | undefined {
  const { hostname } = new URL(baseUrl);
  if (mode === 'embedded' || hostname === 'localhost' || hostname === '127.0.0.1') return parseRange('127.0.0.1');
  return hostname === '[::1]' ? parseRange('::1') : undefined;
}

export async function readEntries(account: Account): Promise<readonly AllowlistEntry[]> {
  const { data } = await account.call(ipAllowlist, { action: 'list' }, BEFOREHAND);
  if (!data.ipAddresses) throw unusable('which entries the allowlist has');
  return data.ipAddresses.map(({ index, ip, description }, position) => ({
    index: index ?? position,
    ip: ip ?? '',
    label: description || undefined,
  }));
}

/** Checks this machine's access; the server reads its list again for every check. */
async function readAccess(account: Account, options: AccountCallOptions): Promise<Access> {
  return accessOf((await account.call(ipAllowlist, { action: 'check' }, options)).data);
}

/** How long a command that was blocked takes at most to find out from where. */
const OWN_ADDRESS_MS = 5_000;

/** Adds this machine's address to the error of a request that it blocked, as far as the service shows it. */
export async function withOwnAddress(account: Account, error: CliError): Promise<CliError> {
  const access = await readAccess(account, { ...BEFOREHAND, totalMs: OWN_ADDRESS_MS }).catch(() => undefined);
  if (!access?.own || access.isAllowed) return error;
  const { own } = access;
  const known = [localAddress(account.profile), parseRange(access.yourIp)].find(
    (each) => each !== undefined && matchesVisible(each, own),
  );
  const address = known ? rangeText(known) : access.yourIp;
  return withDetails(error, {
    message: `${error.message} (this machine is ${address})`,
    hint: known
      ? advice`allow this machine with: [fiatrail ip add ${address}]`
      : advice`allow this machine by its full address, of which the service shows ${address}, with: [fiatrail ip add ADDRESS]`,
  });
}

/** Converts a `check` response. Throws CliError network if it does not say whether this machine is allowed. */
export function accessOf(data: ResponseOf<typeof ipAllowlist>): Access {
  if (typeof data.isAllowed !== 'boolean') throw unusable('whether this machine is allowed');
  return {
    yourIp: data.yourIp ?? 'unknown address',
    own: parseVisible(data.yourIp ?? ''),
    isAllowed: data.isAllowed,
    matchedRule: data.matchedRule ?? undefined,
    total: data.totalConfiguredIps ?? undefined,
  };
}

function unusable(missing: string): CliError {
  return new CliError('network', `the response does not say ${missing}`, {
    code: 'UNUSABLE_RESPONSE',
    hint: 'run the command again later',
  });
}

export const entryText = ({ index, ip, label }: AllowlistEntry): string =>
  `${ip} (index ${index}${label === undefined ? '' : `, ${label}`})`;

/** `this machine (203.0.*.*) is allowed by the entry 203.0.*.*`. */
export function accessText({ yourIp, isAllowed, matchedRule, total }: Access): string {
  const machine = `this machine (${yourIp})`;
  if (!isAllowed) return `${machine} is not allowed`;
  if (total === 0) return `${machine} is allowed, like every address: the allowlist is empty`;
  return `${machine} is allowed${matchedRule === undefined ? '' : ` by the entry ${matchedRule}`}`;
}

const CHANGE = { what: 'the allowlist change', again: advice`[fiatrail ip check]` } as const;

/** Polls until this machine is allowed and an ordinary read succeeds. Throws CliError pending with `hint` after `waitMs`. */
export async function verifyAccess(account: Account, waitMs: number, hint: Hint): Promise<void> {
  const { clock, interrupted } = account.world;
  const deadlineMs = clock.now() + waitMs;
  const line = account.notices.progress.line();
  try {
    for (let pauseMs = FIRST_POLL_MS; ; pauseMs = longerPause(pauseMs, ipAllowlist)) {
      const options = { totalMs: Math.max(SHORTEST_READ_MS, deadlineMs - clock.now()) };
      const access = await accessAfter(account, options);
      if (access.isAllowed && (await passes(account, options))) {
        await line.end();
        return await account.notices.note(accessText(access));
      }
      const leftMs = deadlineMs - clock.now();
      if (leftMs <= 0) throw notYet(account, access, hint);
      await line.show(`this machine (${access.yourIp}) is not allowed yet`);
      await clock.sleep(Math.min(pauseMs, leftMs), interrupted).catch(() => {
        throw interruptedWait(account, CHANGE, 'before this machine was allowed');
      });
    }
  } finally {
    await line.end();
  }
}

const accessAfter = (account: Account, options: AccountCallOptions): Promise<Access> =>
  readAccess(account, options).catch((error) => {
    throw statusUnreadable(account, CHANGE, error);
  });

/** Whether an ordinary read gets past the allowlist. Live servers were seen to respond with a 400 to an address that is not listed. */
async function passes(account: Account, options: AccountCallOptions): Promise<boolean> {
  try {
    await account.call(getFees, {}, options);
    return true;
  } catch (error) {
    if (error instanceof CliError && (error.category === 'auth' || error.httpStatus === 400)) return false;
    // The read got past the allowlist and was refused for another reason.
    if (error instanceof CliError && error.category === 'rejected') return true;
    throw statusUnreadable(account, CHANGE, error);
  }
}

function notYet(account: Account, { yourIp }: Access, hint: Hint): CliError {
  return new CliError('pending', `the allowlist was changed, but this machine (${yourIp}) is not allowed yet`, {
    hint,
    operationId: account.activity.changed?.operationId,
  });
}

/** Prints this machine's access after a change that does not need to be verified. */
export async function printAccess(account: Account): Promise<void> {
  const access = await accessAfter(account, {});
  if (access.isAllowed) return account.notices.note(accessText(access));
  await account.notices.say(
    `${accessText(access)}; only fiatrail ip commands work from here; allow it with: fiatrail ip add <address>`,
  );
}
