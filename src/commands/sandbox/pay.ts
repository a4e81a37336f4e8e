import { CliError } from '../../base/errors.ts';
import { command } from '../../cli/command.ts';
import {
  amountHelp,
  amountOf,
  argument,
  digits,
  option,
  required,
  switchOn,
  ticker,
  word,
} from '../../cli/parameters.ts';
import { outcomeOf } from '../../cli/session.ts';
import { sandboxDeposit, sandboxPay } from '../../contract/control.ts';
import { type Amount, type Asset, printable, TOKENS } from '../../money/amount.ts';
import { toWireNumber, toWireText } from '../../money/units.ts';
import { requireSandbox } from './only.ts';

/** Addresses of every chain begin with 0x or a letter, account numbers with a digit; the sandbox knows which it has. */
const isAddress = (text: string) => /^(0x|[A-Za-z])[^\s\p{Cc}]{1,100}$/u.test(text);

const destination = (text: string) => (isAddress(text) ? text : digits('account number', 10)(text));

/** An amount of whichever asset arrives, which is told once it is known. */
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

/** A name as a bank writes it, or an address. */
function sender(text: string): string {
  if (/^[\x20-\x7e\u00a0-\uffff]{1,500}$/.test(text) && text.trim() !== '') return text;
  throw new CliError('usage', `"${printable(text)}" is no sender`, {
    hint: "write the sender's name as the bank has it, at most 500 characters; with --chain the address",
  });
}

export const payCommand = command({
  words: ['sandbox', 'pay'],
  summary: 'Let a bank transfer arrive in a virtual account, or with --chain tokens at an address',
  details:
    "A one-time account takes the exact total in its 30 minutes; a user's permanent account takes any amount from the user's own name.",
  examples: [
    'fiatrail sandbox pay 7387420489 --amount 5075 --from "NGOZI OKAFOR"',
    'fiatrail sandbox pay 7387420489 --amount "507500 kobo" --from "NGOZI OKAFOR" -o json',
    'fiatrail sandbox pay 0x9f3c… --chain --token CNGN --network base --amount 100 --from 0x11a4…',
  ],
  endpoints: [sandboxPay.id, sandboxDeposit.id],
  parameters: {
    account: argument(
      'account',
      'the virtual account, 10 digits; with --chain the address',
      destination,
      'Virtual account:',
    ),
    amount: required('--amount <amount>', amountHelp('NGN'), amountOfAny, 'Amount in Naira:'),
    from: required(
      '--from <name>',
      "the sender's name as the bank has it; with --chain its address",
      sender,
      "Sender's name:",
    ),
    chain: switchOn('--chain', 'tokens on a chain instead of Naira from a bank'),
    token: option('--token <ticker>', 'with --chain: CNGN, USDC or USDT (default CNGN)', ticker),
    network: option('--network <network>', 'with --chain: the network, such as base (default base)', word),
  },
  run: async (session, { account, amount, from, chain, token, network }) => {
    requireSandbox(session);
    if (chain) {
      const asset = token ?? 'CNGN';
      const request = {
        address: account,
        asset,
        amount: toWireText(amount(asset), 'decimal-string'),
        network: network ?? 'base',
        from,
      };
      return outcomeOf(session, sandboxDeposit, await session.call(sandboxDeposit, request));
    }
    if (token !== undefined || network !== undefined || isAddress(account))
      throw new CliError(
        'usage',
        `${isAddress(account) ? 'an address' : token ? '--token' : '--network'} goes with --chain`,
        {
          hint: 'add --chain for tokens; a bank transfer goes to an account of 10 digits',
        },
      );
    const request = { accountNumber: account, amount: toWireNumber(amount('NGN'), 'naira'), senderName: from };
    return outcomeOf(session, sandboxPay, await session.call(sandboxPay, request));
  },
});
