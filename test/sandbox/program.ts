import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync } from 'node:fs';
import { resolve } from 'node:path';
import { temporaryFolder } from '../support/sandbox.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** How a command ended. `code` is null when a signal ended it. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly process: ChildProcess;
  readonly ended: Promise<Ran>;
}

/** The built program with a home of its own. */
export interface Program extends Disposable {
  readonly stateDir: string;
  start(args: readonly string[], stdin?: string): Running;
  run(args: readonly string[], stdin?: string): Promise<Ran>;
  /** The JSON a command prints. Throws with its stderr when it fails. */
  json(args: readonly string[], stdin?: string): Promise<Record<string, unknown>>;
}

/** Copies what `node build.ts` built, so that a build at the same time takes nothing away, and gives it empty folders. */
export function installProgram(): Program {
  const folder = temporaryFolder();
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(resolve(ROOT, part), folder.file(part), { recursive: true });
  const stateDir = folder.file('state');
  const env = {
    FIATRAIL_STATE_DIR: stateDir,
    FIATRAIL_CONFIG_DIR: folder.file('config'),
    HOME: folder.file('home'),
    XDG_CACHE_HOME: folder.file('cache'),
    CI: '1',
  };
  const start = (args: readonly string[], stdin = '') => {
    const child = spawn(process.execPath, [folder.file('bin/fiatrail.js'), ...args], { env });
    // A process that is killed before it reads closes the pipe.
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
    return { process: child, ended: endOf(child) };
  };
  const run = (args: readonly string[], stdin?: string) => start(args, stdin).ended;
  return {
    stateDir,
    start,
    run,
    json: async (args, stdin) => {
      const { code, stdout, stderr } = await run([...args, '-o', 'json'], stdin);
      if (code !== 0) throw new Error(`fiatrail ${args.join(' ')} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout) as Record<string, unknown>;
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

function endOf(child: ChildProcess): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  return new Promise((resolveEnd, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolveEnd({ code, stdout, stderr }));
  });
}

/** A status with a ledger in balance: what every test of several processes asks for at its end. */
export const SOUND = {
  ledger: { balanced: true, sums: { NGN: '0.00', CNGN: '0.000000', USDC: '0.000000', USDT: '0.000000' } },
};

/** Onboarding to payout by commands; returns how the offramp ended. */
export async function normalWalk(program: Program, bvn: string): Promise<unknown> {
  const onboarded = await program.json(['users', 'onboard', '--bvn-stdin', '--wait', '30s'], bvn);
  const userId = String(onboarded['userId']);
  const onramp = await program.json(['onramp', 'start', userId, '--amount', '1000', '--yes']);
  const requestId = String(onramp['requestId']);
  const account = await program.json(['onramp', 'account', requestId]);
  const { value } = account['totalAmountWithFee'] as { value: string };
  await program.json(['sandbox', 'pay', String(account['accountNumber']), '--amount', value, '--from', 'ANY PAYER']);
  await program.json(['onramp', 'status', requestId, '--wait', '30s']);
  const toBank = ['--bank-code', '000013', '--account-number', '0123456789'];
  const offramp = await program.json([
    'offramp',
    'start',
    userId,
    '--amount',
    '500',
    ...toBank,
    '--yes',
    '--wait',
    '30s',
  ]);
  return offramp['status'];
}
