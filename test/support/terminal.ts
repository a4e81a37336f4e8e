import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { endAfterFile, type Home, ROOT, SHIM } from './built.ts';

/** Waits for `expect` on the screen, then types a text or runs another fiatrail command. */
export type Step =
  | { readonly expect: string; readonly send: string }
  /** `{}` in `run` is replaced by what the group of the pattern `find` matches on the screen. */
  | { readonly expect: string; readonly find: string; readonly run: readonly string[] };

export interface OnTerminal {
  /** Everything the terminal received, including escape sequences. */
  readonly screen: string;
  readonly code: number;
  /** The expected text that never appeared, or null. */
  readonly missed: string | null;
}

/** Runs one program after the other on a terminal: the JSON of a job to the JSON of what came of it. */
interface Terminal {
  play(job: string): Promise<string>;
  readonly hasEnded: () => boolean;
}

/** Starts terminal.py, which needs python3. */
function startTerminal(): Terminal {
  const child = spawn('python3', [join(ROOT, 'test', 'support', 'terminal.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  endAfterFile(child);
  let hasEnded = false;
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  child.on('error', () => {
    hasEnded = true;
    child.stdout.destroy();
  });
  child.on('exit', () => {
    hasEnded = true;
  });
  // The end of its output says that it has ended.
  child.stdin.on('error', () => {});
  return {
    play: async (job) => {
      child.stdin.write(`${job}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error('test/support/terminal.py failed; it needs python3');
      return value;
    },
    hasEnded: () => hasEnded,
  };
}

/** Python starts slower than what most tests run on it, so the tests of a file share one. */
let terminal: Terminal | undefined;

/** Runs fiatrail on a pseudo-terminal and answers its prompts. One at a time. */
export async function fiatrailOnTerminal(
  home: Home,
  argv: readonly string[],
  steps: readonly Step[],
  {
    term = 'xterm',
    columns = 80,
    shim = SHIM,
  }: { readonly term?: string; readonly columns?: number; readonly shim?: string } = {},
): Promise<OnTerminal> {
  const words = (given: readonly string[]) => [process.execPath, shim, ...given];
  const job = {
    argv: words(argv),
    env: { ...home.env, TERM: term },
    cwd: home.path,
    columns,
    steps: steps.map((step) => ('run' in step ? { ...step, run: words(step.run) } : step)),
  };
  if (!terminal || terminal.hasEnded()) terminal = startTerminal();
  return JSON.parse(await terminal.play(JSON.stringify(job))) as OnTerminal;
}
