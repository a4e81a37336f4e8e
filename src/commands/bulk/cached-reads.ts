import type { Endpoint } from '../../contract/endpoint.ts';
import { balanceAddress, balanceMulti, balanceUser } from '../../contract/endpoints/balances.ts';
import { getBankAccount, listBankAccounts, listBanks } from '../../contract/endpoints/banks.ts';
import { getFees, previewFees } from '../../contract/endpoints/fees.ts';
import { getFintechWallet, listUserWallets } from '../../contract/endpoints/wallets.ts';
import type { Account, AccountReply } from '../../engine/account.ts';

/** Reads that show what a row would meet, and that no row of the file changes. */
const SETTLED: readonly Endpoint[] = [
  getBankAccount,
  listBankAccounts,
  listBanks,
  getFees,
  previewFees,
  getFintechWallet,
  listUserWallets,
];

/** Reads of balances, which each row changes. */
const BALANCES: readonly Endpoint[] = [balanceAddress, balanceMulti, balanceUser];

/** How long an answer is used again. */
const FRESH_MS = 60_000;

/** How often the answer about a balance is used again, so that a row which the balance does not cover is noticed before it is sent. */
const MOST_USES = 10;

const isAmong = (endpoints: readonly Endpoint[], { id }: Endpoint) => endpoints.some((each) => each.id === id);

/**
 * Returns the calls of an account that read for many rows what one row reads. What decides about a request's outcome, such as the list before it, is always read
 * anew.
 */
export function cachedReads(account: Account): Account['call'] {
  const known = new Map<
    string,
    { readonly reply: Promise<AccountReply<unknown>>; readonly atMs: number; uses: number }
  >();
  return (endpoint, input, options) => {
    const isBalance = isAmong(BALANCES, endpoint);
    if (!isBalance && !isAmong(SETTLED, endpoint)) return account.call(endpoint, input, options);
    const name = `${endpoint.id} ${JSON.stringify(input)}`;
    const now = account.world.clock.now();
    const found = known.get(name);
    const isFresh =
      found && now - found.atMs >= 0 && now - found.atMs < FRESH_MS && (!isBalance || found.uses < MOST_USES);
    if (isFresh) {
      found.uses += 1;
      return found.reply as ReturnType<typeof account.call<typeof endpoint>>;
    }
    const reply = account.call(endpoint, input, options);
    known.set(name, { reply, atMs: now, uses: 1 });
    // What could not be read is asked again.
    reply.catch(() => known.delete(name));
    return reply;
  };
}
