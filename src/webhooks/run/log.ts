import type { Account } from '../../engine/account.ts';
import { shownTarget } from '../../engine/connection/inbox.ts';
import { jsonText, plainLine } from '../../present/text.ts';

/** What a line of the log is about. */
export interface About {
  readonly level?: 'info' | 'warning';
  /** The client’s address. */
  readonly address?: string | undefined;
  readonly webhookId?: string | undefined;
  /** The number of an event of the inbox. */
  readonly event?: bigint | undefined;
}

/** Writes a line of the log. */
export type Say = (text: string, about?: About) => void;

/** The forms of a log: for people who watch, for a file that people read, and for programs. */
export const LOG_FORMS = ['plain', 'text', 'json'] as const;

export type LogForm = (typeof LOG_FORMS)[number];

/** An id of the service is far shorter. */
const LONGEST_ID = 100;

/** Returns a line of the log. Whatever came from outside is made harmless for a terminal. */
export function logLine(form: LogForm, timeMs: number, text: string, about: About = {}): string {
  const { level = 'info', address, webhookId, event } = about;
  const from = {
    address,
    webhookId: webhookId?.slice(0, LONGEST_ID),
    event: event === undefined ? undefined : Number(event),
  };
  const time = new Date(timeMs).toISOString();
  if (form === 'json') return jsonText({ time, level, message: text, ...from });
  const known = Object.entries(from).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${quoted(String(value))}`],
  );
  if (form === 'text') return [time, level, text, ...known].join(' ');
  return [level === 'warning' ? `warning: ${text}` : text, ...known].join(' · ');
}

/** A value that cannot be taken for another field. */
const quoted = (value: string) => (/^[\w.:-]+$/.test(value) ? value : jsonText(plainLine(value)));

/** The form of the log that fits where it goes. */
export const usualForm = ({ stderr }: Account['world']): LogForm => (stderr.isTerminal ? 'plain' : 'text');

/** Returns an account whose notices are lines of the log. */
export function loggingAccount(account: Account, form: LogForm): Account {
  const { say, note } = account.notices;
  const line = (text: string) => noticeLine(form, account, text);
  const notices = {
    ...account.notices,
    say: (text: string) => say(line(text)),
    note: (text: string) => note(line(text)),
  };
  return { ...account, notices };
}

const WARNING = 'warning: ';

/** Returns the line of the log for a notice of any command. */
export function noticeLine(form: LogForm, { world }: Pick<Account, 'world'>, text: string): string {
  const isWarning = text.startsWith(WARNING);
  const about = isWarning ? ({ level: 'warning' } as const) : {};
  return logLine(form, world.clock.now(), isWarning ? text.slice(WARNING.length) : text, about);
}

/** Returns what writes the log; `note` is silent if `isQuiet`. `clear` makes room for a line on a terminal. */
export function createLog(
  account: Account,
  isQuiet: boolean,
  form: LogForm,
  clear: () => Promise<void>,
): Readonly<Record<'say' | 'note', Say>> {
  const { world } = account;
  const say: Say = (text, about) =>
    void clear().then(() => account.notices.say(logLine(form, world.clock.now(), text, about)));
  const note: Say = (text, about) => {
    if (!isQuiet) say(text, about);
  };
  return { say, note };
}

/** A command with its name alone: the rest of its line may have a secret. */
const COMMAND = /^exec:\s*(?:[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|[^\s"']*)\s+)*([\w./+-]+)(?=\s|$)/;

/** A target as the log names it. */
export function loggedTarget(target: string): string {
  if (!target.startsWith('exec:')) return shownTarget(target);
  const [all = '', name = '…'] = COMMAND.exec(target) ?? [];
  return all.length === `exec:${name}`.length && all === target ? target : `exec:${name} …`;
}

/** How long equal refusals are counted before their sum is written. */
const SUMMED_MS = 10_000;

/** The refusals of a listener in its log: the first of each reason at once, and those that follow as a sum. */
export function createRefusals({ world }: Pick<Account, 'world'>, say: Say) {
  const counted = new Map<string, { sinceMs: number; more: number; readonly addresses: Set<string> }>();
  return {
    add: (reason: string, about: About) => {
      const same = counted.get(reason);
      if (!same) {
        counted.set(reason, { sinceMs: world.clock.now(), more: 0, addresses: new Set() });
        return say(`rejected: ${reason}`, about);
      }
      same.more += 1;
      if (same.addresses.size < SHOWN_ADDRESSES + 1) same.addresses.add(about.address ?? '');
    },
    /** Writes the sums that are due. */
    look: (isLast = false) => {
      for (const [reason, { sinceMs, more, addresses }] of counted) {
        if (!isLast && Math.abs(world.clock.now() - sinceMs) < SUMMED_MS) continue;
        counted.delete(reason);
        if (more === 0) continue;
        // Whoever goes on is counted from now on.
        counted.set(reason, { sinceMs: world.clock.now(), more: 0, addresses: new Set() });
        const several =
          addresses.size > SHOWN_ADDRESSES ? 'several addresses' : [...addresses].map(plainLine).join(', ');
        say(`rejected ${more} more in ${SUMMED_MS / 1_000} seconds: ${reason}; from ${several}`);
      }
    },
  };
}

const SHOWN_ADDRESSES = 3;
