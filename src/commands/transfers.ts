import { transferToWallet } from '../contract/endpoints/transfers.ts';
import { outcomeOf } from '../engine/outcome.ts';
import { accountBalance, paidFrom, paidFromUnreserved } from '../engine/previews/balances.ts';
import { externalWalletLines } from '../engine/previews/names.ts';
import { amountLine, readPreviews } from '../engine/previews/previews.ts';
import { newTag } from '../engine/requests.ts';
import { type Amount, amountForPeople, type Token, toWireNumber } from '../money/amount.ts';
import { command } from '../terminal/command.ts';
import { thingListCommand } from '../terminal/list-command.ts';
import { amountOfThatToken, evmAddress, noTagOption, noteOption } from '../terminal/parse/field-options.ts';
import { option, picked, required, ticker } from '../terminal/parse/parameters.ts';
import { change } from '../terminal/terminal.ts';
import { listedStatus } from '../terminal/work-commands.ts';
import { transfer } from '../things/token-transfers.ts';

const NOT_REGISTERED = [['wallet', 'not registered; the transfer will be rejected']] as const;

const COLUMNS = [
  { field: 'requestId', title: 'Request' },
  { field: 'amount', title: 'Amount' },
  { field: 'destinationAddress', title: 'To' },
  { field: 'destinationLabel', title: 'Label' },
  { field: 'transactionHash', title: 'Transaction' },
  { field: 'commitmentsSafeguarded.remainingBalance', title: 'Remaining balance' },
  { field: 'executedAt', title: 'Executed' },
] as const;

interface TypedTransfer {
  readonly token: Token | undefined;
  readonly amount: (token: Token) => Amount;
  readonly to: string;
  readonly note: string | undefined;
}

const requestOf = ({ token, amount, to, note }: TypedTransfer) => ({
  destinationAddress: to,
  amount: toWireNumber(amount(token ?? 'CNGN'), 'base'),
  ticker: token,
  note,
});

const start = command({
  words: ['transfers', 'create'],
  money: 'guarded',
  rows: { endpoint: transferToWallet, leavesOut: ['noTag'], request: requestOf },
  summary: 'Send the account’s own tokens to a registered wallet',
  details:
    'The transfer is final when the command returns. Register the wallet first with: fiatrail wallets external add',
  examples: [
    'fiatrail transfers create --amount 1000 --to 0x52908400098527886E0F7030069857D2E4169EE7',
    'fiatrail transfers create --amount 25.5 --token USDC --to 0x52908400098527886E0F7030069857D2E4169EE7 --note "treasury, August" --yes -o json',
  ],
  endpoints: [transferToWallet.id],
  prints: { response: transferToWallet },
  parameters: {
    token: option('--token <ticker>', 'CNGN, USDC or USDT (default CNGN)', ticker, 'Token (CNGN, USDC or USDT):'),
    amount: amountOfThatToken,
    to: picked(
      'external wallet',
      required(
        '--to <external-wallet>',
        'registered external wallet, from wallets show',
        evmAddress,
        'To which registered wallet?',
      ),
    ),
    note: noteOption,
    noTag: noTagOption,
  },
  fields: { destinationAddress: 'to', ticker: 'token' },
  asks: ({ amount }) => (amount === undefined ? ['token'] : []),
  run: async (account, terminal, { amount: amountIn, to, token, note: ownNote, noTag }) => {
    const tag = ownNote === undefined && !noTag ? newTag(account) : undefined;
    const note = ownNote ?? tag;
    const amount = amountIn(token ?? 'CNGN');
    const request = requestOf({ token, amount: amountIn, to, note });
    const payer =
      amount.asset === 'CNGN'
        ? paidFromUnreserved(account, amount)
        : paidFrom(() => accountBalance(account, token ?? 'CNGN', 'base'), amount);
    const reply = await change(account, terminal, transferToWallet, request, {
      summary: `transfer ${amountForPeople(amount)} to ${to}`,
      tag,
      lines: [
        amountLine(amount, 'base', 'any fees are deducted from it'),
        ['destination', to],
        ...(note === undefined ? [] : [['note', note] as const]),
      ],
      previews: () => readPreviews(() => externalWalletLines(account, to, NOT_REGISTERED), payer),
      payer,
    });
    return outcomeOf(account, transferToWallet, reply, { columns: COLUMNS });
  },
});

const list = thingListCommand(transfer);

export const commands = [start, list, listedStatus('transfers', transfer)];
