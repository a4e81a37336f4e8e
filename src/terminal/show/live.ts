import type { World } from '../../base/world.ts';
import type { LiveLine } from '../../engine/notices.ts';
import { plainLines } from '../../present/text.ts';
import type { Globals } from '../parse/globals.ts';
import { hasColor } from '../parse/read-globals.ts';

const TO_START = '\r';
const CLEAR_REST = '\u001b[K';
const RED = ['\u001b[31m', '\u001b[39m'] as const;

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
      const [start, end] = isBad && hasColor(color, stderr, env) ? RED : ['', ''];
      if (isLive) await write(`${TO_START}${start}${fitted(plain + time, stderr.columns)}${end}${CLEAR_REST}`);
      else if (plain !== shown) await write(`${start}${plain}${end}\n`);
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

/** Truncates a line to the terminal, because a wrapped line cannot be overwritten. */
function fitted(text: string, columns = 80): string {
  return text.length < columns ? text : `${text.slice(0, Math.max(0, columns - 2))}…`;
}
