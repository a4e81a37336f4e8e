import { CliError } from '../../base/errors.ts';
import { sandboxDeposit, sandboxPay } from '../../contract/control.ts';
import { outcomeOf } from '../../engine/outcome.ts';
import { type Amount, type Asset, printable, TOKENS, toWireNumber, toWireText } from '../../money/amount.ts';
import { command } from '../../terminal/command.ts';
import {
  amountHelp,
  amountOf,
  argument,
  digits,
  option,
  plainText,
  required,
  switchOn,
  ticker,
  word,
} from '../../terminal/parse/parameters.ts';
import { requireSandbox } from './require-sandbox.ts';

/** Addresses on every chain begin with 0x or a letter, account numbers with a digit. */
const isAddress = (text: string) => /^(0x|[A-Za-z])[^\s\p{Cc}]{1,100}$/u.test(text);

const destination = (text: string) => (isAddress(text) ? text : digits('account number', 10)(text));

/** Parses an amount whose asset is known only after all options are parsed; returns a function of that asset. */
function amountOfAny(text: string): (asset: Asset) => Amount {
  const fits = (asset: Asset) => {
    try {
      return amountOf(asset)(text).minor > 0n;
    } catch {
      return false;
    }
  };
  if (!TOKENS.some(fits)) amountOf('NGN')(text);
  return (asset) => {
    try {
      return amountOf(asset)(text);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      throw new CliError(error.category, `--amount: ${error.message}`, { code: error.code, hint: error.hint });
    }
  };
}

/** Parses a sender: a name as a bank writes it, or an address. */
function sender(text: string): string {
  if (/^[\x20-\x7e\u00a0-\uffff]{1,500}$/.test(text) && text.trim() !== '') return plainText(text);
  throw new CliError('usage', `invalid sender "${printable(text)}"`, {
    hint: 'use the name as the bank writes it, at most 500 characters, or with --chain an address',
  });
}

export const payCommand = command({
  words: ['sandbox', 'pay'],
  summary: 'Simulate an incoming bank transfer or token deposit',
  details:
    'Pays Naira into a virtual account, or with --chain tokens to an address. A one-time account accepts the exact total within 30 minutes; a user’s permanent account accepts any amount sent in the user’s name.',
  examples: [
    'fiatrail sandbox pay 7387420489 --amount 5075 --sender "NGOZI OKAFOR"',
    'fiatrail sandbox pay 7387420489 --amount "507500 kobo" --sender "NGOZI OKAFOR" -o json',
    'fiatrail sandbox pay 0x52908400098527886E0F7030069857D2E4169EE7 --chain --token CNGN --network base --amount 100 --sender 0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  ],
  endpoints: [sandboxPay.id, sandboxDeposit.id],
  prints: { either: [{ response: sandboxPay }, { response: sandboxDeposit }] },
  parameters: {
    account: argument(
      'account',
      'virtual account number, or with --chain the address',
      destination,
      'Virtual account:',
    ),
    amount: required('--amount <amount>', amountHelp('NGN'), amountOfAny, 'Amount in Naira:'),
    from: required(
      '--sender <name>',
      'sender’s name as the bank writes it, or with --chain the sender’s address',
      sender,
      'Name of the sender:',
    ),
    chain: switchOn('--chain', 'deposit tokens on a chain instead of Naira from a bank'),
    token: option('--token <ticker>', 'with --chain: CNGN, USDC or USDT (default CNGN)', ticker),
    network: option('--network <network>', 'with --chain: network, such as base, eth, bsc or sol (default base)', word),
  },
  fields: { accountNumber: 'account', address: 'account', senderName: 'from', asset: 'token' },
  run: async (account, _terminal, { account: payee, amount, from, chain, token, network }) => {
    requireSandbox(account);
    if (chain) {
      const asset = token ?? 'CNGN';
      const request = {
        address: payee,
        asset,
        amount: toWireText(amount(asset), 'decimal-string'),
        network: network ?? 'base',
        from,
      };
      return outcomeOf(account, sandboxDeposit, await account.call(sandboxDeposit, request));
    }
    if (token !== undefined || network !== undefined || isAddress(payee))
      throw new CliError(
        'usage',
        `${isAddress(payee) ? 'an address' : token ? '--token' : '--network'} requires --chain`,
        {
          hint: 'add --chain to deposit tokens; a bank transfer goes to a 10-digit account number',
        },
      );
    const request = { accountNumber: payee, amount: toWireNumber(amount('NGN'), 'naira'), senderName: from };
    return outcomeOf(account, sandboxPay, await account.call(sandboxPay, request));
  },
});
