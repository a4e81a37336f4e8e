import { setTimeout as sleep } from 'node:timers/promises';
import { main } from '../../src/main.ts';
import { startProgram } from '../../src/system/processes.ts';
import { SHIM } from '../support/built.ts';
import { type FakeWorld, fakeClock, fakeWorld } from '../support/world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** What the questions are about. */
export interface Story {
  readonly user: string;
  readonly account: string;
  readonly onramp: string;
  readonly wrongDeposit: string;
  readonly payout: string;
  readonly operation: string;
  readonly hash: string;
  readonly reference: string;
}

/** A question, the one command that answers it, and what else helps. */
interface Question {
  readonly asks: string;
  /** The words of the command line, which is printed as a shell would take it. */
  command(story: Story): readonly string[];
  readonly says?: string;
  /** A command that runs on, or that would change the account of the other questions: it is shown without output. */
  readonly isOnlyShown?: true;
}

interface Section {
  readonly title: string;
  readonly questions: readonly Question[];
}

const q = (asks: string, command: Question['command'] | readonly string[], says?: string): Question => ({
  asks,
  command: typeof command === 'function' ? command : () => command,
  ...(says === undefined ? {} : { says }),
});

const shown = (asks: string, command: readonly string[], says?: string): Question => ({
  ...q(asks, command, says),
  isOnlyShown: true,
});

export const SECTIONS: readonly Section[] = [
  {
    title: 'A payment',
    questions: [
      q(
        'Did the payment of ₦5,100 arrive, and from whom?',
        ['find', '₦5,100'],
        'If several rows have this amount, it lists them.',
      ),
      q('What happens to a wrong payment?', ({ wrongDeposit }) => [
        'find',
        wrongDeposit,
        '--fields',
        'status,means,next',
      ]),
      q('Why is this payout stuck?', ({ payout }) => ['find', payout, '--fields', 'status,means,timeline']),
      q('Find a transaction by its hash.', ({ hash }) => ['find', hash, '--fields', 'kind,id,status']),
      q('Find a payment by the bank’s reference.', ({ reference }) => [
        'find',
        reference,
        '--fields',
        'kind,id,status',
      ]),
      q('Who paid into this account number?', ({ account }) => ['find', account, '--fields', 'kind,id,status']),
      q('Find a payment by part of the sender’s name.', ['find', 'mallo', '--fields', 'kind,id,status']),
      q('What is the status of this onramp?', ({ onramp }) => ['onramp', 'status', onramp]),
      q('Who ran this payout, and when?', ({ operation }) => [
        'ops',
        'show',
        operation,
        '--fields',
        'operationId,state,summary,runBy,host,createdAt',
      ]),
    ],
  },
  {
    title: 'What is open',
    questions: [
      q('What is open, and since when?', ['status']),
      q(
        'Which work is open, and what is it waiting for?',
        ['report', 'pending'],
        '`fiatrail find ID` shows the history of each, and what to do.',
      ),
      q(
        'Has anything been sent whose outcome is unknown?',
        ['ops', 'list', '--status', 'unknown'],
        'No rows mean that every outcome is known. Otherwise, run `fiatrail ops reconcile --all`.',
      ),
      q('Which payouts failed?', ['history', 'payouts', '--status', 'failed', '--since', '30d']),
      q('Is the local copy complete, and how old is it?', [
        'sync',
        'status',
        '--fields',
        'table,rows,complete,syncedAt',
      ]),
      shown(
        'Keep the copy fresh.',
        ['sync', '--every', '5m'],
        'Run this as a service. From cron, run `fiatrail sync`.',
      ),
    ],
  },
  {
    title: 'Users and balances',
    questions: [
      q('Who are the top users?', ['report', 'users', '--top', '3']),
      q('What do we owe our users?', ['report', 'owed']),
      q('How did the balance change?', ['report', 'balance', '--since', '3d']),
      q('How much do we hold, and on which network?', ['balances', 'account', '--token', 'CNGN']),
      q('Which account number does a user pay into?', ({ user }) => [
        'users',
        'show',
        user,
        '--query',
        'virtualAccounts[0].accountNumber',
      ]),
      q('How many users are there, and how many are active?', [
        'sql',
        'SELECT count(*) AS users, sum(is_active) AS active FROM users',
      ]),
      q('What is the bank code of GTB?', ['banks', '--search', 'gtb']),
    ],
  },
  {
    title: 'For accountants',
    questions: [
      q('Does everything add up this month?', ['report']),
      q('What did we earn in fees this month?', ['report', 'fees']),
      q('What moved on each day?', ['report', '--since', '14d', '--by', 'day']),
      shown('Export November for the accountants.', [
        'history',
        'transactions',
        '--since',
        '2026-11-01',
        '--until',
        '2026-11-30',
        '--all',
        '-o',
        'csv',
        '--output-file',
        'november.csv',
      ]),
      q('How many deposits arrived each day, and how much?', [
        'sql',
        "SELECT date(completed_at, '+1 hour') AS day, count(*) AS deposits, sum(amount_minor) / 100.0 AS naira FROM deposits WHERE status = 'completed' GROUP BY 1 ORDER BY 1 DESC LIMIT 5",
      ]),
      q('How much was paid to each bank?', [
        'sql',
        "SELECT bank_name, count(*) AS payouts, sum(amount_minor) / 100.0 AS naira FROM payouts WHERE status = 'completed' GROUP BY 1 ORDER BY 3 DESC",
      ]),
    ],
  },
  {
    title: 'Before you send',
    questions: [
      shown(
        'Buy cNGN at a limit price.',
        'fx orders create --pair CNGN-USDC --side sell --price 1400 --min 1000 --max 50000'.split(' '),
        '`--side` refers to the stablecoin: `sell` sells USDC for cNGN.',
      ),
      shown(
        'Convert a user’s USDC to Naira in a bank account.',
        'swaps create USER_ID --sell USDC --buy CNGN --amount 20 --wait'.split(' '),
        'Then send it to the bank: `fiatrail offramp create USER_ID --amount 25000 --bank-code 000013 --account-number 0123456789`.',
      ),
      q('Which rules does this profile have?', ['profiles', 'rules', 'show']),
      q(
        'What would a payment send?',
        'payout create --amount 1000 --to default --dry-run -o json --query body'.split(' '),
      ),
    ],
  },
];

/** A machine on which sleeps take no time, with an embedded sandbox; programs that it starts are real. */
function machine(): FakeWorld {
  const world = fakeWorld({ clock: fakeClock(Date.UTC(2026, 10, 25, 9)) });
  const env = { ...world.env, PATH: process.env['PATH'] };
  return {
    ...world,
    self: [process.execPath, SHIM],
    startProgram: (...program) => startProgram(...program, env, world.interrupted),
  };
}

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(world: FakeWorld, argv: readonly string[]): Promise<Ran> {
  const [before, errors] = [world.stdout.text().length, world.stderr.text().length];
  const code = await main(argv, world);
  return { code, stdout: world.stdout.text().slice(before), stderr: world.stderr.text().slice(errors) };
}

/** Makes an account with a past, and copies it. */
async function tell(world: FakeWorld): Promise<Story> {
  const must = async (...argv: string[]) => {
    const ran = await run(world, [...argv, '-q']);
    if (ran.code !== 0 && ran.code !== 8) throw new Error(`${argv.join(' ')}: ${ran.stderr}`);
    return ran.stdout;
  };
  const json = async <T>(...argv: string[]) => JSON.parse(await must(...argv, '-o', 'json')) as T;
  const pass = (ms: number) => world.clock.sleep(ms, new AbortController().signal);
  await must('sandbox', 'seed', '--users', '4', '--history', '60', '--rate-limits', 'off', '--pace', 'real');
  const { users } = await json<{ users: { userId: string }[] }>('users', 'list', '--limit', '2');
  const [user = '', other = ''] = users.map(({ userId }) => userId);
  const started = async (id: string) => {
    const { requestId } = await json<{ requestId: string }>('onramp', 'create', id, '--amount', '5000', '--yes');
    const { accountNumber } = await json<{ accountNumber: string }>('onramp', 'account', requestId);
    return { requestId, accountNumber };
  };
  const [paid, wrong] = [await started(user), await started(other)];
  await pass(5 * MINUTE_MS);
  await must('sandbox', 'pay', paid.accountNumber, '--amount', '5100', '--sender', 'ADA OBI');
  const { depositId } = await json<{ depositId: string }>(
    ...(['sandbox', 'pay', wrong.accountNumber, '--amount', '4000', '--sender', 'MALLORY JONES'] as const),
  );
  await pass(20 * MINUTE_MS);
  await must('bank-accounts', 'add', '--bank-code', '000013', '--account-number', '0000000015', '--yes');
  const accounts = await json<{ accounts: { accountId: string; accountNumber: string }[] }>('bank-accounts', 'list');
  const reviewed = accounts.accounts.find(({ accountNumber }) => accountNumber === '0000000015')?.accountId ?? '';
  const { requestId: payout } = await json<{ requestId: string }>(
    ...(['payout', 'create', '--amount', '20000', '--to', reviewed, '--yes'] as const),
  );
  await pass(2 * HOUR_MS);
  await must('sync');
  const { operations } = await json<{ operations: { operationId: string; requestId: string }[] }>('ops', 'list');
  const operation = operations.find(({ requestId }) => requestId === payout)?.operationId ?? '';
  const [row] = (
    await json<{ rows: { reference: string; tx_hash: string }[] }>(
      'sql',
      "SELECT reference, tx_hash FROM deposits WHERE sender_name = 'ADA OBI'",
    )
  ).rows;
  return {
    user,
    account: paid.accountNumber,
    onramp: paid.requestId,
    wrongDeposit: depositId,
    payout,
    operation,
    hash: row?.tx_hash ?? '',
    reference: row?.reference ?? '',
  };
}

const PLAIN = /^[\w./:=@,+…-]+$/;

/** Writes a command line as a shell takes it. */
const lineOf = (argv: readonly string[]) =>
  ['fiatrail', ...argv]
    .map((word) => word.replace(/^(0x)?([0-9a-f]{16})[0-9a-f]{48}$/, '$1$2…'))
    .map((word) => (PLAIN.test(word) ? word : word.includes("'") ? `"${word}"` : `'${word}'`))
    .join(' ');

/** Asks every question, and returns what the page has below its mark. */
export async function answers(): Promise<string> {
  const world = machine();
  const story = await tell(world);
  await sleep(0);
  const parts: string[] = [];
  for (const { title, questions } of SECTIONS) {
    parts.push(`## ${title}`);
    for (const { asks, command, says, isOnlyShown } of questions) {
      const argv = command(story);
      const { code, stdout, stderr } = isOnlyShown
        ? { code: 0, stdout: '', stderr: '' }
        : await run(world, [...argv, '-q']);
      if (code !== 0) throw new Error(`${lineOf(argv)} ended with ${code}: ${stderr}`);
      // Ids of 64 digits would look like keys.
      const output = stdout.trimEnd().replace(/\b(0x)?([0-9a-f]{16})[0-9a-f]{48}\b/g, '$1$2…');
      parts.push(
        `### ${asks}`,
        ['```console', `$ ${lineOf(argv)}`, ...(output === '' ? [] : [output]), '```'].join('\n'),
      );
      if (says !== undefined) parts.push(says);
    }
  }
  return parts.join('\n\n');
}
