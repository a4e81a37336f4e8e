import { Fault } from '../../contract/faults.ts';
import { type Call, isoTime, type Operations, type OperationsOf } from '../context.ts';
import { insert, ownRow } from '../rows.ts';
import { IS_OPEN_PAYOUT } from '../schema/schema.ts';
import { accountHolder } from '../values.ts';
import { BANKS, type Bank, bankByCode } from './banks.ts';

export interface BankAccountRow {
  readonly id: bigint;
  readonly account_id: string;
  readonly number: string;
  readonly bank_code: string;
  readonly verified_name: string;
  readonly label: string | null;
  readonly is_default: bigint;
  readonly created_at: bigint;
  readonly updated_at: bigint;
}

const listCodes: Operations['banks.list-codes'] = (call) => ({
  countryCode: 'NG',
  banks: BANKS.map(({ code, name }) => ({ bankCode: code, bankName: name, bank_code: code, bank_name: name })),
  totalCount: BANKS.length,
  operationId: call.ids.uuid(),
  requestId: call.ids.uuid(),
});

/** Returns the bank and the holder of an account. Throws VALIDATION_ERROR if either is unknown. */
export function resolveAccount(accountNumber: string, bankCode: string): { bank: Bank; holder: string } {
  const bank = bankByCode(bankCode);
  if (!bank) throw new Fault('VALIDATION_ERROR', 'bankCode: expected the code of a listed bank');
  const holder = accountHolder(accountNumber, bank.code);
  if (holder === undefined)
    throw new Fault('VALIDATION_ERROR', 'accountNumber: expected an account that resolves to a name at this bank');
  return { bank, holder };
}

const add: Operations['banks.add'] = (call, { accountNumber, bankCode, isDefault = false, label }) => {
  const { store, fintech, nowMs } = call;
  const { bank, holder } = resolveAccount(accountNumber, bankCode);
  const known = store.get<BankAccountRow>(
    'SELECT * FROM bank_account WHERE fintech = ? AND number = ? AND bank_code = ?',
    fintech.id,
    accountNumber,
    bank.code,
  );
  const accountId = known?.account_id ?? call.ids.uuid();
  if (isDefault) clearDefault(call);
  if (known) {
    store.run(
      'UPDATE bank_account SET label = COALESCE(?, label), is_default = MAX(is_default, ?), updated_at = ? WHERE id = ?',
      label ?? null,
      isDefault ? 1 : 0,
      nowMs,
      known.id,
    );
  } else {
    insert(store, 'bank_account', {
      account_id: accountId,
      fintech: fintech.id,
      number: accountNumber,
      bank_code: bank.code,
      verified_name: holder,
      label,
      is_default: isDefault,
      created_at: nowMs,
      updated_at: nowMs,
    });
  }
  return {
    accountId,
    verifiedAccountName: holder,
    accountNumber,
    bankName: bank.name,
    bankCode: bank.code,
    isValidated: true,
    message: 'the account is verified and ready for payouts',
  };
};

/** Returns a payout account of the calling fintech by id, or throws `fault`. */
export function bankAccountById(
  call: Call,
  accountId: string,
  fault: 'NOT_FOUND' | 'BANK_ACCOUNT_NOT_FOUND',
): BankAccountRow {
  return ownRow(
    call,
    ['bank_account', 'account_id', accountId],
    'this fintech has no payout account with this id',
    fault,
  );
}

function clearDefault({ store, fintech, nowMs }: Call): void {
  store.run(
    'UPDATE bank_account SET is_default = 0, updated_at = ? WHERE fintech = ? AND is_default = 1',
    nowMs,
    fintech.id,
  );
}

function summaryOf(row: BankAccountRow) {
  return {
    accountId: row.account_id,
    accountName: row.verified_name,
    accountNumber: row.number,
    bankName: bankByCode(row.bank_code)?.name ?? '',
    bankCode: row.bank_code,
  };
}

function recordOf(call: Call, row: BankAccountRow) {
  return {
    ...summaryOf(row),
    fintechId: call.fintech.fintechId,
    label: row.label,
    isDefault: row.is_default === 1n,
    isValidated: true,
    validationDetails: { validatedAt: isoTime(row.created_at), accountNameMatch: true },
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}

const list: Operations['banks.list'] = (call) => {
  const rows = call.store.all<BankAccountRow>(
    'SELECT * FROM bank_account WHERE fintech = ? ORDER BY id DESC',
    call.fintech.id,
  );
  const preferred = rows.find((row) => row.is_default === 1n);
  return {
    accounts: rows.map((row) => recordOf(call, row)),
    total: rows.length,
    defaultAccount: preferred ? summaryOf(preferred) : null,
  };
};

const get: Operations['banks.get'] = (call, { accountId }) => ({
  accounts: [recordOf(call, bankAccountById(call, accountId, 'NOT_FOUND'))],
});

/** Omitted fields stay unchanged; `isDefault: false` clears the flag on the account that has it. */
const update: Operations['banks.update'] = (call, { accountId, label, isDefault }) => {
  const { id } = bankAccountById(call, accountId, 'NOT_FOUND');
  if (isDefault) clearDefault(call);
  call.store.run(
    'UPDATE bank_account SET label = COALESCE(?, label), is_default = COALESCE(?, is_default), updated_at = ? WHERE id = ?',
    label ?? null,
    isDefault === undefined ? null : Number(isDefault),
    call.nowMs,
    id,
  );
  const row = bankAccountById(call, accountId, 'NOT_FOUND');
  return {
    ...summaryOf(row),
    label: row.label,
    isDefault: row.is_default === 1n,
    isValidated: true,
    updatedAt: isoTime(row.updated_at),
  };
};

const remove: Operations['banks.delete'] = (call, { accountId }) => {
  const { id } = bankAccountById(call, accountId, 'NOT_FOUND');
  const isPaidTo = call.store.get(`SELECT 1 FROM payout WHERE bank_account = ? AND ${IS_OPEN_PAYOUT} LIMIT 1`, id);
  if (isPaidTo)
    throw new Fault('PENDING_TRANSACTIONS', 'PENDING_TRANSACTIONS: payouts to this account are still pending');
  call.store.run('DELETE FROM bank_account WHERE id = ?', id);
  return {};
};

export const banksOperations = {
  'banks.list-codes': listCodes,
  'banks.add': add,
  'banks.list': list,
  'banks.get': get,
  'banks.update': update,
  'banks.delete': remove,
} satisfies OperationsOf<'banks'>;
