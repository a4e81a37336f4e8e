import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Ran, Running } from '../support/built.ts';
import * as built from '../support/built.ts';

export type { Ran };

/** The hash of a BVN takes 200 ms, also of a program that is killed or waits for others. */
const QUICK_HASH = { NODE_OPTIONS: `--require=${join(built.ROOT, 'test', 'support', 'quick-hash.cjs')}` };

/** The built program with its own home folder. */
export interface Program {
  readonly stateDir: string;
  start(args: readonly string[], stdin?: string): Running;
  run(args: readonly string[], stdin?: string): Promise<Ran>;
  /** Returns the JSON that a command prints. Throws its stderr if it fails. */
  json(args: readonly string[], stdin?: string): Promise<Record<string, unknown>>;
}

/** `env` is added to the environment of every command. `commands` is in-process.ts to run them in this process. */
export function installProgram(
  home = built.newHome(onTestFinished),
  env: Readonly<Record<string, string>> = QUICK_HASH,
  commands: Pick<typeof built, 'startFiatrail' | 'fiatrail' | 'fiatrailJson'> = built,
): Program {
  return {
    stateDir: home.stateDir,
    start: (args, stdin = '') => commands.startFiatrail(home, args, { stdin, env }),
    run: (args, stdin = '') => commands.fiatrail(home, args, { stdin, env }),
    json: (args, stdin = '') => commands.fiatrailJson(home, args, { stdin, env }),
  };
}

/** A status with a balanced ledger, asserted at the end of every multi-process test. */
export const SOUND = {
  ledger: { balanced: true, sums: { NGN: '0.00', CNGN: '0.000000', USDC: '0.000000', USDT: '0.000000' } },
};

/** Runs commands from onboarding to payout; returns the final status of the offramp. */
export async function normalWalk(program: Program, bvn: string): Promise<unknown> {
  const onboarded = await program.json(['users', 'onboard', '--bvn-stdin', '--wait', '30s'], bvn);
  const userId = String(onboarded['userId']);
  const onramp = await program.json(['onramp', 'create', userId, '--amount', '1000', '--yes']);
  const requestId = String(onramp['requestId']);
  const account = await program.json(['onramp', 'account', requestId]);
  const { value } = account['totalAmountWithFee'] as { value: string };
  await program.json(['sandbox', 'pay', String(account['accountNumber']), '--amount', value, '--sender', 'ANY PAYER']);
  await program.json(['onramp', 'status', requestId, '--wait', '30s']);
  const toBank = ['--bank-code', '000013', '--account-number', '0123456789'];
  const offramp = await program.json([
    'offramp',
    'create',
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
