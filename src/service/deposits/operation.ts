import { Fault } from '../../contract/faults.ts';
import { amount, toWireNumber } from '../../money/amount.ts';
import { VIRTUAL_ACCOUNT_BANK } from '../banks/banks.ts';
import { isoTime, type Operations, type OperationsOf, VERSION } from '../context.ts';
import { feesInFull, type OnrampRow, totalFeeKobo, totalKobo } from '../onramp/machine.ts';
import { ownRow, walletAddressOf } from '../rows.ts';
import type { VirtualAccountRow } from './virtual-accounts.ts';

const naira = (kobo: bigint) => toWireNumber(amount('NGN', kobo), 'naira');

const NO_ACCOUNT = 'no virtual account has this request id';

const get: Operations['virtual-accounts.get'] = (call, { requestId }) => {
  const { store } = call;
  const row = ownRow<OnrampRow>(call, ['onramp', 'request_id', requestId], NO_ACCOUNT);
  const account = store.get<VirtualAccountRow>('SELECT * FROM virtual_account WHERE onramp = ?', row.id);
  if (!account) throw new Fault('NOT_FOUND', NO_ACCOUNT);
  if (account.status === 'expired')
    throw new Fault('VALIDATION_ERROR', 'the virtual account expired after 30 minutes; start a new onramp');
  return {
    requestId: row.request_id,
    virtualAccount: {
      accountNumber: account.number,
      bankName: VIRTUAL_ACCOUNT_BANK.name,
      accountName: account.name,
      amount: naira(totalKobo(row)),
      createdAt: isoTime(account.created_at),
      baseAmount: naira(row.base_kobo),
      feeAmount: naira(totalFeeKobo(row)),
      totalAmountWithFee: naira(totalKobo(row)),
      feeBreakdown: feesInFull(row),
    },
    expiresAt: isoTime(account.expires_at ?? 0n),
    status: account.status,
    walletAddress: walletAddressOf(store, row.wallet),
    version: VERSION,
  };
};

const getFintech: Operations['virtual-accounts.get-fintech'] = ({ store, fintech }) => {
  const account = store.get<VirtualAccountRow>(
    `SELECT * FROM virtual_account WHERE fintech = ? AND kind = 'fintech_permanent'`,
    fintech.id,
  );
  if (!account) throw new Error('the fintech has no virtual account');
  const virtualAccount = {
    accountNumber: account.number,
    accountName: account.name,
    bankName: VIRTUAL_ACCOUNT_BANK.name,
    provider: VIRTUAL_ACCOUNT_BANK.provider,
    accountType: account.kind,
    status: account.status,
    createdAt: isoTime(account.created_at),
  };
  // Newer public text returns a list with one entry per banking provider; the sandbox has one provider.
  return { virtualAccount, virtualAccounts: [virtualAccount] };
};

export const virtualAccountsOperations = {
  'virtual-accounts.get': get,
  'virtual-accounts.get-fintech': getFintech,
} satisfies OperationsOf<'virtual-accounts'>;
