import { listBankAccounts } from '../../../src/contract/endpoints/banks.ts';
import { addExternalWallet } from '../../../src/contract/endpoints/external-wallets.ts';
import { startPayout } from '../../../src/contract/endpoints/payouts.ts';
import { getDetails } from '../../../src/contract/endpoints/users.ts';
import { listUserWallets } from '../../../src/contract/endpoints/wallets.ts';
import { insertOrder } from '../../../src/service/fx/order-book.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

/** An address outside the sandbox. */
export const OUTSIDE = `0x${'ab'.repeat(20)}`;

/** The fintech's seeded payout account. */
export async function seededAccount(box: TestSandbox, apiKey = box.apiKey): Promise<string> {
  const { defaultAccount } = await box.ask(listBankAccounts, {}, apiKey);
  return defaultAccount?.accountId ?? '';
}

/** Starts a payout to the seeded account or another one. */
export async function payOut(box: TestSandbox, kobo: number, bankAccountId?: string): Promise<string> {
  const to = bankAccountId ?? (await seededAccount(box));
  const { requestId } = await box.ask(startPayout, { amount: kobo * 10_000, bankAccountId: to });
  return requestId;
}

export async function addAccount(box: TestSandbox, accountNumber: string): Promise<string> {
  const { envelope } = await box.call('POST', '/addbankaccount', { accountNumber, bankCode: '000013' });
  return String(envelope.data?.['accountId']);
}

/** The address of a user's managed wallet. */
export async function managedAddress(box: TestSandbox, userId: string): Promise<string> {
  const { walletDetails } = await box.ask(getDetails, { userId });
  if (walletDetails?.evmWallet) return walletDetails.evmWallet;
  // An older form of the answer has no wallets.
  const { wallets } = await box.ask(listUserWallets, { userId });
  return wallets?.find(({ walletAddress }) => walletAddress?.startsWith('0x'))?.walletAddress ?? '';
}

/** Registers an address outside the sandbox, or another one. */
export async function register(box: TestSandbox, address = OUTSIDE, more: { isDefault?: boolean } = {}) {
  await box.ask(addExternalWallet, { address, blockchain: 'base', type: 'hot', label: 'treasury', ...more });
}

/** Places an order of the first fintech that gives up to this many whole cNGN. */
export function commit(box: TestSandbox, cngn: bigint): Promise<bigint> {
  return box.inside(
    (context) =>
      insertOrder(context, 1n, {
        pair: 'CNGN-USDC',
        gives: 'CNGN',
        priceMicro: 1_400_000_000n,
        spreadMillionths: 0n,
        minBase: 1_000_000n,
        maxBase: cngn * 1_000_000n,
      }).id,
  );
}

/** Returns a refusal as `http code detail`; undefined for a success. */
export async function refusal(
  box: TestSandbox,
  method: string,
  path: string,
  body?: object,
): Promise<string | undefined> {
  const { status, envelope } = await box.call(method, path, body);
  return status === 200 ? undefined : `${status} ${envelope.response_code} ${envelope.message}`;
}

export interface SentEvent {
  readonly event: string;
  readonly user_id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The events of one request, oldest first. */
export async function eventsOf(box: TestSandbox, requestId: string): Promise<SentEvent[]> {
  const sql = 'SELECT event, user_id, data FROM outbox WHERE request_id = ? ORDER BY id';
  const rows = await box.inside(
    ({ store }) => store.all<{ event: string; user_id: string | null; data: string }>(sql, requestId),
    'read',
  );
  return rows.map(({ data, ...row }) => ({ ...row, data: JSON.parse(data) }));
}
