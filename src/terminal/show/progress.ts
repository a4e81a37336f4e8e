import { CliError } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import type { LiveLine, Notices, Progress } from '../../engine/connection/notices.ts';
import { grouped } from '../../money/decimal.ts';
import { hasColor, openPaint } from '../../present/style.ts';
import { hasLinks, plainLines, sentenceWithLinks, visible } from '../../present/text.ts';
import { cut } from '../../present/width.ts';
import type { Globals } from '../parse/globals.ts';

/** Shorter work needs no progress. */
const SHOWN_AFTER_MS = 1_000;
/** How often a line changes, and how often a terminal that cannot overwrite it gets a new one. */
const LIVE_EVERY_MS = 100;
const PLAIN_EVERY_MS = 10_000;

/** Makes the progress of a command. Rows are shown only on a terminal, and not while the rows themselves appear on it. */
export function createProgress(world: World, globals: Pick<Globals, 'quiet' | 'color'>, showsRows: boolean): Progress {
  const { stderr, stdout, clock } = world;
  const line = liveLine(world, globals, true);
  const canShow = stderr.isTerminal && !globals.quiet && !(showsRows && stdout.isTerminal);
  let sinceMs: number | undefined;
  let shownMs = 0;
  let isLimited = false;
  let limitedUntilMs = 0;
  let extent: Extent | undefined;
  const limitText = (waitMs: number) =>
    [...(extent ? extentTexts(extent, waitMs) : []), `rate limit: next request in ${timeText(waitMs)}`].join(' · ');
  return {
    rows: async (done, total, what, leastLeftMs = 0) => {
      const now = clock.now();
      sinceMs ??= now;
      const perMs = done / (now - sinceMs);
      // What was read before the first wait says nothing of the rest.
      extent = extentOf({ done, total, what, perMs, leastLeftMs: isLimited ? leastLeftMs : 0 });
      if (!canShow || now - sinceMs < SHOWN_AFTER_MS) return;
      if (now - shownMs < (line.isLive ? LIVE_EVERY_MS : PLAIN_EVERY_MS)) return;
      shownMs = now;
      const [count = '', ...left] = extentTexts(extent);
      await line.show([count, rateText(perMs), ...left].join(' · '));
    },
    waits: async (waitMs) => {
      isLimited = true;
      limitedUntilMs = clock.now() + waitMs;
      const text = limitText(waitMs);
      if (canShow) return line.show(text);
      // Also if the last wait was as long.
      const start = line.isLive ? `${TO_START}${CLEAR_REST}` : '';
      if (!globals.quiet) await stderr.write(`${start}${text}\n`).catch(() => {});
    },
    answering: async (work) => {
      if (!stderr.isTerminal || globals.quiet || !clock.every) return work();
      const waiting = liveLine(world, globals);
      // One after the other, and the last one before the line is removed.
      let showing = Promise.resolve();
      using _ = clock.every(waiting.isLive ? SHOWN_AFTER_MS : PLAIN_EVERY_MS, () => {
        const leftMs = limitedUntilMs - clock.now();
        const show = () => (leftMs <= 0 ? waiting.show('waiting for the service') : line.show(limitText(leftMs)));
        if (leftMs <= 0 || canShow) showing = showing.then(show);
      });
      try {
        return await work();
      } finally {
        await showing;
        await waiting.clear();
      }
    },
    isLimited: () => isLimited,
    line: (hasTime) => liveLine(world, globals, hasTime),
    end: () => {
      extent = undefined;
      return line.clear();
    },
  };
}

/** How far work is, and how long the rest takes, as far as that is known. */
interface Extent {
  readonly count: string;
  readonly leftMs: number | undefined;
}

interface Work {
  readonly done: number;
  readonly total: number | undefined;
  readonly what: string;
  readonly perMs: number;
  readonly leastLeftMs: number;
}

function extentOf({ done, total, what, perMs, leastLeftMs }: Work): Extent {
  if (total === undefined || total <= done) return { count: `${grouped(done)} ${what}`, leftMs: undefined };
  const usualMs = perMs > 0 && Number.isFinite(perMs) ? (total - done) / perMs : 0;
  return { count: `${grouped(done)} of ${grouped(total)} ${what}`, leftMs: Math.max(usualMs, leastLeftMs) };
}

/** `120/s`, or `8/min`. */
function rateText(perMs: number): string {
  const perSecond = Math.round(perMs * 1000);
  return perSecond > 0 ? `${grouped(perSecond)}/s` : `${grouped(Math.round(perMs * 60_000))}/min`;
}

/** `31 of 72 users` and `4 min left`, which is no shorter than a wait. */
function extentTexts({ count, leftMs }: Extent, waitMs = 0): readonly string[] {
  const longestMs = leftMs === undefined ? 0 : Math.max(leftMs, waitMs);
  return longestMs === 0 ? [count] : [count, `${timeText(longestMs)} left`];
}

/** `8 s`, `5 min`, `2 h 10 min` */
function timeText(durationMs: number): string {
  const seconds = Math.ceil(durationMs / 1000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const TO_START = '\r';
const CLEAR_REST = '\u001b[K';

/** Creates a live line. It shows the elapsed time unless `hasTime` says that the text already shows a time. */
export function liveLine(
  { stderr, env, clock }: World,
  { quiet, color }: Pick<Globals, 'quiet' | 'color'>,
  hasTime = false,
): LiveLine {
  const sinceMs = clock.now();
  const isLive = stderr.isTerminal && env['TERM'] !== 'dumb';
  let shown = '';
  // A notice that cannot be written must not affect the command.
  const write = (text: string) => (quiet ? Promise.resolve() : stderr.write(text).catch(() => {}));
  return {
    isLive,
    show: async (text, isBad = false) => {
      const plain = plainLines(text).replaceAll('\n', ' ');
      const time = hasTime ? '' : ` · ${Math.round((clock.now() - sinceMs) / 1000)} s`;
      const paint = await openPaint(isBad && hasColor(color, stderr, env));
      const painted = (line: string) => (isBad ? paint(line, 'red') : line);
      // A wrapped line could not be overwritten.
      if (isLive) await write(`${TO_START}${painted(cut(plain + time, (stderr.columns ?? 80) - 1))}${CLEAR_REST}`);
      else if (plain !== shown) await write(`${painted(plain)}\n`);
      shown = plain;
    },
    clear: async () => {
      if (isLive && shown !== '') await write(`${TO_START}${CLEAR_REST}`);
    },
    end: async () => {
      if (isLive && shown !== '') await write('\n');
      shown = '';
    },
  };
}

/** Messages and prompts on the terminal, if there is one. */
export interface Dialog extends Omit<Notices, 'progress'> {
  readonly world: World;
  readonly globals: Globals;
  /** Whether a person can go back to the last question from a consent; without it, nothing was asked. */
  hasBack?(): boolean;
}

/** What is said before a question from which a person can go back. */
export const howToGoBack = ({ env }: Pick<World, 'env'>): string =>
  `${env['TERM'] === 'dumb' ? 'Esc or Ctrl-B, then Enter,' : 'Esc or Ctrl-B'} goes back one question`;

export function createDialog(world: World, globals: Globals): Dialog {
  // A notice that cannot be written must not change what the command does.
  const shown = hasLinks(world.stderr, world.env) ? sentenceWithLinks : (text: string) => text;
  const say = (text: string) =>
    world.stderr.write(`${shown(plainLines(text).replaceAll('\n', ' '))}\n`).catch(() => {});
  return {
    world,
    globals,
    isInteractive: !globals.noInput && !world.env['CI'] && world.stderr.isTerminal && world.stdin.isTerminal,
    askCode: (summary) => requireCode(world, summary),
    say,
    note: async (text) => {
      if (!globals.quiet) await say(text);
    },
  };
}

/** Letters and digits that are not mistaken for each other. */
const LETTERS = 'ACDEFHJKLMNPRTUVWXY34679';

const LENGTH = 5;

/** Shows a random code, which must be typed. Throws CliError declined if anything else is typed. */
async function requireCode({ ids, prompter }: World, summary: string): Promise<void> {
  const code = Array.from(ids.bytes(LENGTH), (byte) => LETTERS[byte % LETTERS.length]).join('');
  const { text } = await prompter();
  const typed = await text(`Type ${code} to ${visible(summary)}:`, () => true);
  if (typed.trim().toUpperCase() === code) return;
  throw new CliError('declined', 'the code that was typed is not the one that was shown; nothing was sent', {
    code: 'RULE_CONFIRMATION',
    hint: 'run the command again, and type the new code',
  });
}
