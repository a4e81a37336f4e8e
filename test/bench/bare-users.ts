/**
 * The baseline for a list page: a Hono server that reads the first 20 users of a state file with node:sqlite, as the sandbox would
 * print them, and does nothing else. Usage: bare-users.ts FILE. Prints one line {"url"} when it is ready.
 */
import { DatabaseSync } from 'node:sqlite';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { VIRTUAL_ACCOUNT_BANK as bank } from '../../src/service/banks/banks.ts';

const [file = ''] = process.argv.slice(2);
const database = new DatabaseSync(file, { readOnly: true });
const wallet = (kind: string, blockchain: string) =>
  `(SELECT address FROM wallet WHERE wallet.user = user.id AND kind = '${kind}' AND blockchain = '${blockchain}')`;
const page = database.prepare(
  `SELECT user_id, first_name, last_name, active, verified_at, user.created_at, account.number, account.name,
     ${wallet('managed', 'base')} AS evm, ${wallet('multi_chain', 'solana')} AS solana, ${wallet('multi_chain', 'bantu')} AS bantu
   FROM user LEFT JOIN virtual_account AS account ON account.user = user.id AND account.kind = 'user_permanent'
   WHERE user.fintech = 1 ORDER BY verified_at DESC, user.id DESC LIMIT ?`,
);
const count = database.prepare('SELECT users FROM fintech WHERE id = 1');
const time = (ms: unknown) => new Date(Number(ms)).toISOString();

function summary(row: Readonly<Record<string, unknown>>) {
  return {
    userId: row['user_id'],
    firstName: row['first_name'],
    lastName: row['last_name'],
    isActive: row['active'] === 1,
    hasWallet: row['evm'] !== null,
    wallets: { evm: row['evm'], solana: row['solana'], bantu: row['bantu'] },
    virtualAccount: {
      accountNumber: row['number'],
      accountName: row['name'],
      bankName: bank.name,
      bankCode: bank.code,
      provider: bank.provider,
    },
    verifiedAt: time(row['verified_at']),
    createdAt: time(row['created_at']),
  };
}

const app = new Hono();
app.post('/', async (context) => {
  const { limit } = (await context.req.json()) as { limit: number };
  const users = page.all(limit).map(summary);
  const total = Number(count.get()?.['users']);
  const hasMore = users.length < total;
  const pages = { currentPage: 1, totalPages: Math.ceil(total / limit), hasMore, hasNextPage: hasMore };
  return context.json({
    status: 'Success',
    response_code: '00',
    message: 'Users listed',
    data: { users, pagination: { total, limit, offset: 0, ...pages, hasPreviousPage: false } },
  });
});
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
