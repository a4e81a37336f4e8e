import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { LINKABLE } from '../linkable.ts';
import { hrefOf } from './route.tsx';
import { type Drawn, isDrawn, Sign } from './sign.tsx';

/** Characters that are not seen, or that change the order in which others are. */
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** The text of somebody else: what is not seen is named, so that it cannot hide or reorder anything. */
export const plain = (text: string): string =>
  text.replace(UNSEEN, (each) =>
    each === '\n' || each === '\t' ? each : `⟨U+${each.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );

/** What the server found of the ids in a detail: only these are links. */
export const Links = createContext<Readonly<Record<string, { readonly list: string; readonly id: string }>>>({});

/** Text in which everything with an id that something has is a link to it. */
export function Linked({ text }: { readonly text: string }) {
  const links = useContext(Links);
  const shown = plain(text);
  const parts: preact.ComponentChildren[] = [];
  let at = 0;
  for (const found of shown.matchAll(LINKABLE)) {
    const to = Object.hasOwn(links, found[0]) ? links[found[0]] : undefined;
    parts.push(shown.slice(at, found.index));
    parts.push(to ? <a href={hrefOf({ pane: to.list, id: to.id })}>{found[0]}</a> : found[0]);
    at = found.index + found[0].length;
  }
  parts.push(shown.slice(at));
  return <>{parts}</>;
}

const ISO_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::[\d.]+)?Z/;
const PARTS = new RegExp(`(\`[^\`]+\`|${ISO_TIME.source})`);

/** A sentence: what is between backticks is something to type, and a time is one of the zone of the page. */
export function Prose({ text }: { readonly text: string }) {
  return (
    <>
      {text
        .split(PARTS)
        .map((part) =>
          part.startsWith('`') && part.length > 2 ? (
            <code>{plain(part.slice(1, -1))}</code>
          ) : ISO_TIME.test(part) ? (
            <Time at={part} />
          ) : (
            <Linked text={part} />
          ),
        )}
    </>
  );
}

/** A name of the records in words: `fee-withdrawal` is a fee withdrawal. */
export const words = (name: string): string => plain(name.replace(/[-_]/g, ' '));

/** Words that begin a heading. */
export const heading = (text: string): string => plain(text.slice(0, 1).toUpperCase() + text.slice(1));

/** Indents a JSON text without reading its numbers, so that no digit is lost. Other texts stay as they are. */
export function indented(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  let [out, depth, isInText] = ['', 0, false];
  for (let at = 0; at < text.length; at++) {
    const each = text.charAt(at);
    if (isInText) {
      out += each;
      if (each === '\\') out += text.charAt(++at);
      else if (each === '"') isInText = false;
    } else if (each === '"') {
      isInText = true;
      out += each;
    } else if (/[[{]/.test(each)) {
      const isEmpty = /^\s*[\]}]/.test(text.slice(at + 1, at + 4));
      depth += 1;
      out += isEmpty ? each : `${each}\n${'  '.repeat(depth)}`;
    } else if (/[\]}]/.test(each)) {
      depth = Math.max(0, depth - 1);
      out += /[[{]$/.test(out) ? each : `\n${'  '.repeat(depth)}${each}`;
    } else if (each === ',') out += `,\n${'  '.repeat(depth)}`;
    else if (each === ':') out += ': ';
    else if (!/\s/.test(each)) out += each;
  }
  return out;
}

export function Json({ text, label }: { readonly text: string | null; readonly label: string }) {
  if (text === null)
    return <p class="note">Not kept: too many requests arrived at once, or later ones needed its space.</p>;
  if (text === '') return <p class="note">Empty.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section class="json" tabIndex={0} aria-label={label}>
      <pre>
        <Linked text={indented(text)} />
      </pre>
    </section>
  );
}

/** The zone in which the page shows all times, and how far its clocks are ahead of UTC in each hour that was shown. */
const TIMES: { zone: string; format: Intl.DateTimeFormat | undefined; readonly ahead: Map<number, number> } = {
  zone: 'UTC',
  format: undefined,
  ahead: new Map(),
};

const HOUR_MS = 3_600_000;

/** Sets the zone in which all times are shown. */
export function showTimesIn(zone: string): void {
  TIMES.zone = zone;
  try {
    TIMES.format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  } catch {
    // A saved session may say anything; its times are shown in UTC.
    TIMES.zone = 'UTC';
    TIMES.format = undefined;
  }
  TIMES.ahead.clear();
}

/** The zone that times are shown in. */
export const shownZone = (): string => TIMES.zone;

/** How far the zone's clocks are ahead of UTC, in milliseconds. Asking Intl for each row of a list would take most of a frame. */
function aheadMs(timeMs: number): number {
  const hour = Math.floor(timeMs / HOUR_MS);
  const known = TIMES.ahead.get(hour);
  if (known !== undefined) return known;
  const name = TIMES.format?.formatToParts(timeMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  const ahead = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  if (TIMES.ahead.size > 10_000) TIMES.ahead.clear();
  TIMES.ahead.set(hour, ahead);
  return ahead;
}

const inZone = (timeMs: number) => new Date(timeMs + aheadMs(timeMs)).toISOString();

/** When a day begins in the zone, ISO 8601 in UTC; what is no day stays. */
export function startOf(day: string): string {
  const utcMs = Date.parse(day);
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(utcMs)) return day;
  return new Date(utcMs - aheadMs(utcMs - aheadMs(utcMs))).toISOString();
}

/** `14:03:07` of today, `2026-11-26 14:03:07` of another day; the time of the zone that the header names. */
export function Time({ at }: { readonly at: string | number | null | undefined }) {
  if (at === null || at === undefined) return <>—</>;
  const timeMs = Date.parse(String(at));
  if (Number.isNaN(timeMs)) return <>{plain(String(at))}</>;
  const shown = inZone(timeMs);
  const isToday = shown.slice(0, 10) === inZone(Date.now()).slice(0, 10);
  const iso = new Date(timeMs).toISOString();
  return (
    <time dateTime={iso} title={iso}>
      {isToday ? shown.slice(11, 19) : shown.slice(0, 19).replace('T', ' ')}
    </time>
  );
}

const SPANS = [
  ['d', 86_400_000],
  ['h', HOUR_MS],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** `1 m 35 s`, `3 d 4 h`, `250 ms`: the two largest units. */
export function span(ms: number): string {
  if (!(ms >= 0)) return '';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const at = SPANS.findIndex(([, unit]) => ms >= unit);
  const [name, unit] = SPANS[at] ?? SPANS[3];
  const [next, small] = SPANS[at + 1] ?? ['', 0];
  const rest = small === 0 ? 0 : Math.floor((ms % unit) / small);
  return `${Math.floor(ms / unit)} ${name}${rest > 0 ? ` ${rest} ${next}` : ''}`;
}

/** `019c…5b858` of an id that is long. */
export const shortId = (id: string): string => (id.length > 14 ? `${id.slice(0, 4)}…${id.slice(-6)}` : id);

/** The status of a request; one that was not answered was dropped. */
export const statusOf = (status: string | number | null | undefined) => status ?? 'dropped';

/** What the sign of a look says. */
const LOOKS: Readonly<Record<Drawn, string>> = {
  done: 'done',
  open: 'under way',
  bad: 'failed',
  you: 'needs action',
  none: '',
};

/** The looks that a list can be reduced to, in words. */
export const LOOK_NAMES = Object.entries(LOOKS).filter(([, says]) => says !== '');

interface StateProps {
  readonly of: string | number | null | undefined;
  /** How it looks, by the records of the server. */
  readonly look?: string | number | null | undefined;
}

export function State({ of, look }: StateProps) {
  if (of === null || of === undefined) return <>—</>;
  const given = String(look ?? 'none');
  const name = isDrawn(given) ? given : 'none';
  return (
    <span class={`state ${name}`} title={LOOKS[name]}>
      <Sign of={name} /> {plain(String(of))}
      {name === 'you' && <span class="tag">needs action</span>}
    </span>
  );
}

/** What may be wider than its place scrolls there, and nothing in it is broken into single characters. */
export function Wide({ label, children }: { readonly label: string; readonly children: preact.ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section class="wide" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}

/** Copies an id or another short text. */
export function CopyId({ text, label }: { readonly text: string; readonly label: string }) {
  const [said, setSaid] = useState('');
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('The browser blocked copying'),
    );
  return (
    <>
      <button type="button" class="small" onClick={copy} title={plain(text)}>
        {label}
      </button>{' '}
      <span role="status" class="note">
        {said}
      </span>
    </>
  );
}

export function Copy({ label, text }: { readonly label: string; readonly text: string }) {
  const [said, setSaid] = useState('');
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('The browser blocked copying; select the text below'),
    );
  return (
    <div class="copy">
      <button type="button" onClick={copy}>
        {label}
      </button>
      <span role="status">{said}</span>
      <code>{plain(text)}</code>
    </div>
  );
}
