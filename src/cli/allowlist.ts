import type { Profile } from '../account/profile.ts';
import { CliError } from '../base/errors.ts';
import { fitsShown, type IpRange, parseRange, rangeText, readShown, type Shown, shownWhole } from '../contract/cidr.ts';
import type { ResponseOf } from '../contract/endpoint.ts';
import { ipAllowlist } from '../contract/endpoints/allowlist.ts';
import { getFees } from '../contract/endpoints/fees.ts';
import { liveLine } from './live.ts';
import type { Session, SessionCallOptions } from './session.ts';
import { FIRST_POLL_MS, interruptedWait, longerPause, SHORTEST_READ_MS, statusUnreadable } from './wait.ts';

/** What `check` says of this machine. */
interface Access {
  /** As the service shows it, masked; in full where it is known. */
  readonly yourIp: string;
  readonly own: Shown | undefined;
  readonly isAllowed: boolean;
  /** Masked; the entry that lets this machine in. */
  readonly matchedRule: string | undefined;
  readonly total: number | undefined;
}

export interface Entry {
  readonly index: number;
  /** Masked. */
  readonly ip: string;
  readonly label: string | undefined;
}

/** How things stand before a change. */
export interface AllowlistState {
  readonly access: Access;
  readonly entries: readonly Entry[];
}

/** Read before a change, in a dry run too. */
const BEFOREHAND = { isBeforehand: true } as const;

/** A change is in force on every server so long after it. Source: interface. */
export const PROPAGATION_MS = 30_000;

/** `mine`: the address of this machine, from who knows it in full. Throws CliError usage where the service sees another. */
export async function readAllowlist(session: Session, mine?: IpRange): Promise<AllowlistState> {
  const access = await readAccess(session, BEFOREHAND);
  const known = mine ?? localAddress(session.profile);
  const isSeen = known !== undefined && access.own !== undefined && fitsShown(known, access.own);
  if (mine && !isSeen) {
    throw new CliError('usage', `--my-address: the service sees this machine as ${access.yourIp}`, {
      hint: 'give the address that this machine has on the way to the service',
    });
  }
  const whole = isSeen ? { own: shownWhole(known), yourIp: rangeText(known) } : {};
  return { access: { ...access, ...whole }, entries: await readEntries(session) };
}

/** The address by which this machine reaches itself; undefined for a service elsewhere, which sees what is between. */
function localAddress({ mode, baseUrl }: Profile): IpRange | undefined {
  const { hostname } = new URL(baseUrl);
  if (mode === 'embedded' || hostname === 'localhost' || hostname === '127.0.0.1') return parseRange('127.0.0.1');
  return hostname === '[::1]' ? parseRange('::1') : undefined;
}

export async function readEntries(session: Session): Promise<readonly Entry[]> {
  const { data } = await session.call(ipAllowlist, { action: 'list' }, BEFOREHAND);
  if (!data.ipAddresses) throw unusable('what is on the list');
  return data.ipAddresses.map(({ index, ip, description }, position) => ({
    index: index ?? position,
    ip: ip ?? '',
    label: description || undefined,
  }));
}

/** The server that answers reads the list anew for it. */
async function readAccess(session: Session, options: SessionCallOptions): Promise<Access> {
  return accessOf((await session.call(ipAllowlist, { action: 'check' }, options)).data);
}

/** Throws CliError network for an answer that leaves it open. */
export function accessOf(data: ResponseOf<typeof ipAllowlist>): Access {
  if (typeof data.isAllowed !== 'boolean') throw unusable('whether this machine may call');
  return {
    yourIp: data.yourIp ?? 'an address that is not shown',
    own: readShown(data.yourIp ?? ''),
    isAllowed: data.isAllowed,
    matchedRule: data.matchedRule ?? undefined,
    total: data.totalConfiguredIps ?? undefined,
  };
}

function unusable(what: string): CliError {
  return new CliError('network', `the service does not say ${what}`, {
    code: 'UNUSABLE_ANSWER',
    hint: 'run the command again in a while',
  });
}

export const entryText = ({ index, ip, label }: Entry): string =>
  `${ip} (index ${index}${label === undefined ? '' : `, ${label}`})`;

/** `this machine (203.0.*.*) may call, by the entry 203.0.*.*`. */
export function accessText({ yourIp, isAllowed, matchedRule, total }: Access): string {
  const machine = `this machine (${yourIp})`;
  if (!isAllowed) return `${machine} may not call`;
  if (total === 0) return `${machine} may call, as everybody may: the list is empty`;
  return `${machine} may call${matchedRule === undefined ? '' : `, by the entry ${matchedRule}`}`;
}

const CHANGE = { what: 'the change of the allowlist', again: 'fiatrail ip check' } as const;

/** Waits until a check says that this machine may call and a plain read passes. Throws CliError pending with `hint`. */
export async function verifyAccess(session: Session, waitMs: number, hint: string): Promise<void> {
  const { clock, interrupted } = session.world;
  const deadlineMs = clock.now() + waitMs;
  const line = liveLine(session.world, session.globals.quiet);
  try {
    for (let pauseMs = FIRST_POLL_MS; ; pauseMs = longerPause(pauseMs, ipAllowlist)) {
      const options = { totalMs: Math.max(SHORTEST_READ_MS, deadlineMs - clock.now()) };
      const access = await accessAfter(session, options);
      if (access.isAllowed && (await passes(session, options))) {
        await line.end();
        return await session.note(accessText(access));
      }
      const leftMs = deadlineMs - clock.now();
      if (leftMs <= 0) throw notYet(session, access, hint);
      await line.show(`this machine (${access.yourIp}) may not call yet`);
      await clock.sleep(Math.min(pauseMs, leftMs), interrupted).catch(() => {
        throw interruptedWait(session, CHANGE, 'before this machine could call');
      });
    }
  } finally {
    await line.end();
  }
}

const accessAfter = (session: Session, options: SessionCallOptions): Promise<Access> =>
  readAccess(session, options).catch((error) => {
    throw statusUnreadable(session, CHANGE, error);
  });

/** Whether a plain read is let in. Live servers were seen to say 400 to an address that is not on the list. */
async function passes(session: Session, options: SessionCallOptions): Promise<boolean> {
  try {
    await session.call(getFees, {}, options);
    return true;
  } catch (error) {
    if (error instanceof CliError && (error.category === 'auth' || error.httpStatus === 400)) return false;
    // It was let in, and then there was nothing to read.
    if (error instanceof CliError && error.category === 'refused') return true;
    throw statusUnreadable(session, CHANGE, error);
  }
}

function notYet(session: Session, { yourIp }: Access, hint: string): CliError {
  return new CliError('pending', `the list was changed, and this machine (${yourIp}) may still not call`, {
    hint,
    operationId: session.changed()?.operationId,
  });
}

/** Says what a change has made of this machine, where nothing has to come of it. */
export async function printAccess(session: Session): Promise<void> {
  const access = await accessAfter(session, {});
  if (access.isAllowed) return session.note(accessText(access));
  await session.say(
    `${accessText(access)}: the service answers it nothing but fiatrail ip; let it in with: fiatrail ip add <address>`,
  );
}
