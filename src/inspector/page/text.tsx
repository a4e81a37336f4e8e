import { useState } from 'preact/hooks';
import { hrefOf } from './route.tsx';

/** Characters that are not seen, or that change the order in which others are. */
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** The text of somebody else: what is not seen is named, so that it cannot hide or reorder anything. */
export const plain = (text: string): string =>
  text.replace(UNSEEN, (each) =>
    each === '\n' || each === '\t' ? each : `⟨U+${each.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );

const IDS =
  /\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[A-Z]{2,6}_[\w-]{8,64}|0x[0-9a-f]{40,64})\b/gi;

/** Text in which everything with an id is a link to what has it. */
export function Linked({ text }: { readonly text: string }) {
  const shown = plain(text);
  const parts: preact.ComponentChildren[] = [];
  let at = 0;
  for (const found of shown.matchAll(IDS)) {
    parts.push(shown.slice(at, found.index));
    parts.push(<a href={hrefOf({ pane: 'find', text: found[0] })}>{found[0]}</a>);
    at = found.index + found[0].length;
  }
  parts.push(shown.slice(at));
  return <>{parts}</>;
}

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
  if (text === null) return <p class="note">Not kept: it came among too many others, or has been forgotten.</p>;
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

/** `14:03:07.120`, with the day in a tooltip; the time of the machine's zone. */
export function Time({ at }: { readonly at: string | number | null | undefined }) {
  if (at === null || at === undefined) return <>—</>;
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return <>{plain(String(at))}</>;
  const two = (value: number, length = 2) => String(value).padStart(length, '0');
  const now = new Date();
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
  const isToday =
    time.getDate() === now.getDate() && time.getMonth() === now.getMonth() && time.getFullYear() === now.getFullYear();
  const iso = time.toISOString();
  return (
    <time dateTime={iso} title={iso}>
      {isToday ? `${clock}.${two(time.getMilliseconds(), 3)}` : `${day} ${clock}`}
    </time>
  );
}

/** The status of a request; one that was not answered was dropped. */
export const statusOf = (status: string | number | null | undefined) => status ?? 'dropped';

/** Icon and colour of a status. The icon is enough without colour. */
const LOOKS: readonly (readonly [pattern: RegExp, look: string, sign: string])[] = [
  [/^(2\d\d|completed|delivered|settled|acknowledged|verified|accepted|active|event|forwarded)$/, 'good', '✓'],
  [/^(4\d\d|rejected|cancelled|expired|reversed|given-up|dead|late|inactive)$/, 'bad', '✕'],
  [/^(5\d\d|failed|dropped|unknown|invalid.*|quarantined)$/, 'worse', '!'],
  [/^none$/, 'quiet', '·'],
];

export function State({ of }: { readonly of: string | number | null | undefined }) {
  if (of === null || of === undefined) return <>—</>;
  const text = String(of);
  const [, look, sign] = LOOKS.find(([pattern]) => pattern.test(text)) ?? [undefined, 'open', '…'];
  return (
    <span class={`state ${look}`}>
      <span aria-hidden="true">{sign}</span> {plain(text)}
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

export function Copy({ label, text }: { readonly label: string; readonly text: string }) {
  const [said, setSaid] = useState('');
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('The browser does not allow it; select the text below'),
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
