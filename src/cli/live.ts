import type { World } from '../base/world.ts';
import { plainLines } from '../present/text.ts';

/** What goes on, on stderr: one line that is written over on a terminal, a line for each change anywhere else. */
interface LiveLine {
  /** True where it is written over. */
  readonly isLive: boolean;
  show(text: string): Promise<void>;
  /** Leaves what was shown last, and the cursor below it. */
  end(): Promise<void>;
}

const TO_START = '\r';
const CLEAR_REST = '\u001b[K';

/** `hasTime`: the text tells the time itself. */
export function liveLine({ stderr, env, clock }: World, isQuiet: boolean, hasTime = false): LiveLine {
  const sinceMs = clock.now();
  const isLive = stderr.isTerminal && env['TERM'] !== 'dumb';
  let shown = '';
  // A notice that nobody can read changes nothing of what the command does.
  const write = (text: string) => (isQuiet ? Promise.resolve() : stderr.write(text).catch(() => {}));
  return {
    isLive,
    show: async (text) => {
      const plain = plainLines(text).replaceAll('\n', ' ');
      const time = hasTime ? '' : ` · ${Math.round((clock.now() - sinceMs) / 1000)} s`;
      if (isLive) await write(`${TO_START}${fitted(plain + time, stderr.columns)}${CLEAR_REST}`);
      else if (plain !== shown) await write(`${plain}\n`);
      shown = plain;
    },
    end: async () => {
      if (isLive && shown !== '') await write('\n');
      shown = '';
    },
  };
}

/** A line that wraps cannot be written over. */
function fitted(text: string, columns = 80): string {
  return text.length < columns ? text : `${text.slice(0, Math.max(0, columns - 2))}…`;
}
