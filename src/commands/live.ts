import { plainLines } from '../present/text.ts';
import type { World } from '../world.ts';

/** What goes on, on stderr: one line that is written over on a terminal, a line for each change anywhere else. */
export interface LiveLine {
  show(text: string): Promise<void>;
  /** Leaves what was shown last, and the cursor below it. */
  end(): Promise<void>;
}

const TO_START = '\r';
const CLEAR_REST = '\u001b[K';

export function liveLine({ stderr, env, clock }: World, isQuiet: boolean): LiveLine {
  const sinceMs = clock.now();
  const isLive = stderr.isTerminal && env['TERM'] !== 'dumb';
  let shown = '';
  // A notice that nobody can read changes nothing of what the command does.
  const write = (text: string) => (isQuiet ? Promise.resolve() : stderr.write(text).catch(() => {}));
  return {
    show: async (text) => {
      const plain = plainLines(text).replaceAll('\n', ' ');
      const seconds = Math.round((clock.now() - sinceMs) / 1000);
      if (isLive) await write(`${TO_START}${fitted(`${plain} · ${seconds} s`, stderr.columns)}${CLEAR_REST}`);
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
