import { CliError } from '../../base/errors.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { balanceAddress, balanceMulti, balanceUser } from '../../contract/endpoints/balances.ts';
import { getBankAccount, listBankAccounts, listBanks } from '../../contract/endpoints/banks.ts';
import { getFees, previewFees } from '../../contract/endpoints/fees.ts';
import { listOrders } from '../../contract/endpoints/fx-orders.ts';
import { getFintechWallet, listUserWallets } from '../../contract/endpoints/wallets.ts';
import type { Account, AccountReply } from '../../engine/account.ts';

/** Reads that show what a row would meet before it is sent. What decides about its outcome, such as the list before it, is not among them. */
const SHARED: readonly Endpoint[] = [
  balanceAddress,
  balanceMulti,
  balanceUser,
  getBankAccount,
  getFees,
  getFintechWallet,
  listBankAccounts,
  listBanks,
  listOrders,
  listUserWallets,
];

/** How long, and how often, an answer is used again. A balance changes with each row; the service says so too, by a name that proves that nothing was done. */
const FRESH_MS = 60_000;
const MOST_USES = 30;

/**
 * Returns the calls of an account that read once for many rows what each of them looks at before it is sent. The fee of a row is not asked for: the check of the
 * file compared the balance with all fees.
 */
export function cachedReads({ call, world }: Pick<Account, 'call' | 'world'>): Account['call'] {
  const known = new Map<
    string,
    { readonly reply: Promise<AccountReply<unknown>>; readonly atMs: number; uses: number }
  >();
  return (endpoint, input, options) => {
    if (endpoint.id === previewFees.id) return Promise.reject(new CliError('network', 'the fee of a row is not read'));
    if (!SHARED.some(({ id }) => id === endpoint.id)) return call(endpoint, input, options);
    const name = `${endpoint.id} ${JSON.stringify(input)}`;
    const now = world.clock.now();
    const found = known.get(name);
    if (found && now >= found.atMs && now - found.atMs < FRESH_MS && found.uses < MOST_USES) {
      found.uses += 1;
      return found.reply as ReturnType<typeof call<typeof endpoint>>;
    }
    const reply = call(endpoint, input, options);
    known.set(name, { reply, atMs: now, uses: 1 });
    // What could not be read is asked again.
    reply.catch(() => known.delete(name));
    return reply;
  };
}
