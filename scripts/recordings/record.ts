import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Frame, Recording } from './drawing.ts';
import type { Scene, Step } from './scenes.ts';
import { screensAt } from './screens.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const STEADY = join(import.meta.dirname, 'steady.cjs');
const PROMPT = '\u001b[32m$\u001b[39m ';
const COLUMNS = 100;
const TYPED_MS = 400;
const END_MS = 5_000;

const words = (given: readonly string[]) => [process.execPath, join(ROOT, 'bin', 'fiatrail.js'), ...given];

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

function run([file = '', ...argv]: readonly string[], env: NodeJS.ProcessEnv, input: string): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, argv, { env });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject).on('close', (code) => resolve({ stdout, stderr, code }));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/** Everything that the terminal received, and how much of it when each step was taken. */
interface Played {
  readonly screen: string;
  readonly taken: readonly number[];
  readonly missed: string | null;
  readonly code: number;
}

/** When each process of a recording starts, by its own clock. */
const timeAt = (minute: number, second = 0) => new Date(Date.UTC(2026, 0, 5, 8, minute, second)).toISOString();
const [START, PAID] = [timeAt(30), timeAt(30, 2)];

/** Called with the home of a recording before it is removed. */
type Leaving = (home: string) => void;

/** Plays a scene with the built program on a pseudo-terminal, in an empty home. */
async function play(scene: Scene, quietSeconds: number, leave: Leaving): Promise<Played> {
  const home = await mkdtemp(join(tmpdir(), 'fiatrail-recording-'));
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    TERM: 'xterm-256color',
    NODE_OPTIONS: `--require=${JSON.stringify(STEADY)}`,
    FIATRAIL_STATE_DIR: join(home, 'state'),
    FIATRAIL_CONFIG_DIR: join(home, 'config'),
  };
  try {
    for (const [index, bvn] of scene.users.entries()) await onboard(bvn, { ...env, RECORDED_AT: timeAt(index) });
    const hasElsewhere = scene.steps.some((step) => 'run' in step);
    const job = {
      argv: words(scene.words),
      env: { ...env, RECORDED_AT: START, ...(hasElsewhere && { RECORDED_HELD: 'yes' }) },
      cwd: home,
      columns: COLUMNS,
      rows: scene.rows,
      quietSeconds,
      steps: scene.steps.map(stepOf),
    };
    const terminal = ['python3', join(ROOT, 'test', 'support', 'terminal.py')];
    const { stdout, stderr, code } = await run(terminal, { PATH: env.PATH }, JSON.stringify(job));
    if (code !== 0) throw new Error(`the terminal failed; it needs python3: ${stderr}`);
    const played = JSON.parse(stdout) as Played;
    if (played.missed !== null || played.code !== 0)
      throw new Error(`${scene.name} ended with ${played.code}, without "${played.missed}":\n${played.screen}`);
    leave(home);
    return played;
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function onboard(bvn: string, env: NodeJS.ProcessEnv): Promise<void> {
  const { code, stderr } = await run(words(['users', 'onboard', '--bvn-stdin', '--wait']), env, bvn);
  if (code !== 0) throw new Error(`no user was onboarded: ${stderr}`);
}

/** Leaves out what is about the drawing. The program stands still while another one runs, so that it never sees half of what that does. */
function stepOf({ afterMs: _, ...step }: Step) {
  if (!('run' in step)) return step;
  return { ...step, run: words(step.run), env: { RECORDED_AT: PAID, RECORDED_HELD: 'no' }, isAlone: true };
}

/** The end of a frame in the output. */
interface Cut {
  readonly end: number;
  readonly shownMs: number;
  readonly note?: string | undefined;
}

const shellWord = (word: string) => (/^[\w.,:/=+-]+$/.test(word) ? word : `'${word}'`);

function noteOf(step: Step, screen: string): string | undefined {
  if (!('run' in step)) return undefined;
  const [, found = ''] = new RegExp(step.find).exec(screen) ?? [];
  const argv = step.run.map((word) => shellWord(word.replace('{}', found)));
  return `in another terminal: $ fiatrail ${argv.join(' ')}`;
}

function cutsOf(scene: Scene, { screen, taken }: Played): Cut[] {
  const steps = scene.steps.map((step, index): Cut => {
    const end = taken[index] ?? 0;
    return { end, shownMs: step.afterMs, note: noteOf(step, screen.slice(0, end)) };
  });
  const pauses = scene.pauses.flatMap(({ at, shownMs }) =>
    [...screen.matchAll(at)].map(({ index }): Cut => ({ end: index, shownMs })),
  );
  const last = { end: screen.length, shownMs: END_MS };
  return [...steps, ...pauses, last].sort((one, other) => one.end - other.end).filter(({ end }) => end > 0);
}

/** The command line, which a shell would show, typed already: a recording must not begin with an empty terminal. */
const typed = (line: string): Cut => ({ end: PROMPT.length + line.length, shownMs: TYPED_MS });

/**
 * Records a scene. What is typed is typed once nothing has arrived for `quietSeconds`: a busy machine may show a screen in parts,
 * and each frame is to be whole.
 */
export async function record(scene: Scene, quietSeconds: number, leave: Leaving = () => {}): Promise<Recording> {
  const played = await play(scene, quietSeconds, leave);
  const line = `fiatrail ${scene.words.join(' ')}`;
  const head = `${PROMPT}${line}\r\n`;
  const cuts = [typed(line), ...cutsOf(scene, played).map((cut) => ({ ...cut, end: cut.end + head.length }))];
  const size = { columns: COLUMNS, rows: scene.rows };
  const screens = await screensAt(
    head + played.screen,
    cuts.map(({ end }) => end),
    size,
  );
  const frames = screens.map((screen, index): Frame => {
    const { shownMs = END_MS, note } = cuts[index] ?? {};
    return { screen, shownMs, note };
  });
  return { title: scene.title, about: scene.about, command: line, frames };
}
