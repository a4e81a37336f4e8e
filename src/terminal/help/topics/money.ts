import type { Topic } from './topic.ts';

/** Topics about money that moves, or does not. */
export const MONEY_TOPICS: readonly Topic[] = [
  {
    name: 'refund',
    title: 'Refunds',
    blocks: [
      'No command makes a refund. The service returns a payment by itself, to the bank account that it came from, if it cannot accept it:',
      {
        rows: [
          ['into the account of an onramp', 'a wrong amount, a payment after 30 minutes, or a second payment'],
          ['into a user’s permanent account', 'the sender’s name is not the user’s, or the user is inactive'],
        ],
      },
      'See what came in and what was returned:',
      {
        run: [
          'fiatrail history deposits --since 7d',
          'fiatrail history deposits --user USER_ID --status failed',
          'fiatrail onramp account REQUEST_ID',
        ],
      },
      'After a wrong amount, the account of the onramp stays open until it expires. Ask for the exact total, which `fiatrail onramp account` prints.',
      'To pay a user back yourself, convert the user’s cNGN to Naira. Check the name of the account holder before you confirm:',
      {
        run: ['fiatrail offramp create USER_ID --amount 5000 --bank-code 000013 --account-number 0123456789'],
      },
      'If you sent money by mistake, see `fiatrail help wrong-payment`.',
    ],
    more: 'money.md',
  },
  {
    name: 'wrong-payment',
    title: 'A wrong payment',
    blocks: [
      'Money that was sent cannot be recalled. Find out where it is first, and do not pay again before you know.',
      {
        step: 'Find the payment, and note its status, request id and destination.',
        run: ['fiatrail ops list --since today', 'fiatrail ops show OPERATION_ID'],
      },
      {
        step: 'If the outcome is unknown, find out. The request may never have arrived.',
        run: ['fiatrail ops reconcile OPERATION_ID'],
      },
      {
        step: 'If a bank was paid, give the request id to the service’s support, and ask the bank to return the payment. If it is returned, the status changes.',
        run: ['fiatrail offramp status REQUEST_ID', 'fiatrail payout status REQUEST_ID'],
      },
      {
        step: 'Tokens on a chain are final: only the owner of the address can send them back. If the address is registered, stop further transfers to it.',
        run: ['fiatrail wallets external disable ADDRESS'],
      },
      {
        step: 'Prevent the next one with rules, and with a second person’s approval.',
        run: [
          'fiatrail profiles rules set main --allow-account 000013/0123456789',
          'fiatrail profiles rules set main --max-per-call "NGN 500000"',
        ],
      },
      'A payment that you received, with a wrong amount or name: `fiatrail help refund`.',
    ],
    more: 'controls.md',
  },
  {
    name: 'send',
    title: 'Send money',
    blocks: [
      'Which command sends money depends on whose it is and where it goes:',
      {
        rows: [
          ['`fiatrail offramp create`', 'a user’s cNGN, as Naira, to any Nigerian bank account'],
          ['`fiatrail payout create`', 'the account’s own cNGN, as Naira, to one of its bank accounts'],
          ['`fiatrail fees withdraw`', 'earned fees, as Naira, to a bank account'],
          ['`fiatrail withdrawals create`', 'a user’s tokens, to an address on a chain'],
          ['`fiatrail transfers create`', 'the account’s own tokens, to a registered wallet'],
          ['`fiatrail bridge create`', 'cNGN, to another network'],
        ],
      },
      'On a terminal, each command asks for what is missing, shows the fees and the destination, and then asks for confirmation. See what it would send first:',
      {
        run: [
          'fiatrail fees preview --amount 5000 --transaction-type offramp',
          'fiatrail payout create --amount 50000 --to default --dry-run',
        ],
      },
      'In a script, add `--yes`, and an idempotency key so that it is paid once:',
      { run: ['fiatrail payout create --amount 50000 --to default --yes --once rent-2026-11'] },
      'Send tokens to a wallet that is not registered yet: register it first.',
      { run: ['fiatrail wallets external add ADDRESS --network base --label vault'] },
    ],
    more: 'money.md',
  },
  {
    name: 'receive',
    title: 'Receive money',
    blocks: [
      {
        rows: [
          ['`fiatrail onramp create`', 'Naira from a user, once: an account for an exact sum, for 30 minutes'],
          ['`fiatrail users show`', 'Naira from a user, any time: the user’s permanent account'],
          ['`fiatrail wallets deposit-account`', 'Naira for the account’s own wallet, from anyone'],
          ['`fiatrail wallets show`', 'tokens on a chain: the address of the account wallet'],
        ],
      },
      'The amount of an onramp is what arrives; the fees are added on top. The payer must pay the exact total:',
      {
        run: [
          'fiatrail onramp create USER_ID --amount 5000',
          'fiatrail onramp account REQUEST_ID',
          'fiatrail onramp status REQUEST_ID --wait',
        ],
      },
      'List what came in:',
      { run: ['fiatrail history deposits --since 7d'] },
      'In the sandbox, let a payment arrive:',
      { run: ['fiatrail sandbox pay ACCOUNT_NUMBER --amount 5100 --sender "IFEOMA BOLAJI OBI"'] },
      'To be notified of each payment, set up a webhook: `fiatrail help webhook-setup`.',
    ],
    more: 'quick-start.md',
  },
  {
    name: 'stuck',
    title: 'Stuck or pending work',
    blocks: [
      'Do not start it again: it may be paid twice.',
      {
        step: 'See what has not finished.',
        run: ['fiatrail status', 'fiatrail ops list --refresh --status accepted', 'fiatrail ops list --status unknown'],
      },
      {
        step: 'Wait for it.',
        run: ['fiatrail ops resume OPERATION_ID --wait 1h'],
      },
      {
        step: 'If an outcome is unknown, find out: see `fiatrail help unknown-outcome`.',
        run: ['fiatrail ops reconcile'],
      },
      {
        step: 'If the status no longer changes, ask the service to continue. This never pays twice.',
        run: ['fiatrail recover REQUEST_ID'],
      },
      { step: 'If that does not help, give the request id, from `fiatrail ops show`, to the service’s support.' },
      'How long it takes:',
      {
        rows: [
          ['onramp', 'waits for its payment; fails after 30 minutes without one'],
          ['fee withdrawal', '1 to 3 business days'],
          ['trade', 'settles or expires within 5 minutes'],
          ['sandbox', 'at once, with `fiatrail sandbox settle`'],
        ],
      },
    ],
    more: 'money.md',
  },
  {
    name: 'unknown-outcome',
    title: 'Unknown outcomes (exit code 6)',
    blocks: [
      'A request was sent, and no usable response arrived: the money may have moved. fiatrail recorded the request before it left, so it can find out. Do not send it another way.',
      { step: 'List the requests whose outcome is unknown.', run: ['fiatrail ops list --status unknown'] },
      {
        step: 'Look for them in the service’s lists. This only reads. If one is in no list, the output says when to run it again.',
        run: ['fiatrail ops reconcile'],
      },
      {
        step: 'Send a lost trade again, if it has a service idempotency key and was sent less than 10 minutes ago. The service executes it at most once.',
        run: ['fiatrail ops retry OPERATION_ID'],
      },
      {
        step: 'If that cannot decide, it prints what was seen and what was not, and what to compare, such as a bank statement. Record what you found. `--not-done` frees the idempotency key.',
        run: [
          'fiatrail ops resolve OPERATION_ID --completed --reason "seen on the bank statement"',
          'fiatrail ops resolve OPERATION_ID --not-done --reason "the service never received it"',
        ],
      },
      'In cron, run a job every 15 minutes: `fiatrail ops reconcile --all -q`.',
      'A command with the same idempotency key looks first, and pays only if nothing was done. For such a trade, it does what `ops retry` does.',
    ],
    more: 'money.md',
  },
  {
    name: 'once',
    title: 'Idempotency keys (--once)',
    blocks: [
      'With `--once KEY`, the money moves at most once under that key. A second run sends nothing and prints what the first one did.',
      {
        run: [
          'fiatrail payout create --amount 50000 --to default --once rent-2026-11 --yes',
          'fiatrail fees withdraw --amount all --to default --once "fees-{year}-{month}-{day}" --yes',
        ],
      },
      'Name the payment, not the attempt: an order number, or the day. `{year}`, `{month}`, `{day}` and `{hour}` are filled in with the time in Lagos.',
      {
        rows: [
          ['same key, same input', 'prints the recorded result'],
          ['same key, other input', 'exit code 2 (`ONCE_KEY_TAKEN`); choose another key'],
          ['the service rejected it', 'the key is free again'],
          ['the work failed', 'the key is taken; a new attempt needs a new key'],
          ['no key, done 5 minutes ago', 'exit code 9 (`REPEATED`); `--again` sends it a second time'],
          [
            'an equal payment is unknown',
            'exit code 9 (`OUTCOME_UNKNOWN`) with any key and with `--again`: `fiatrail ops reconcile`',
          ],
        ],
      },
      'See what was done under a key, and require keys for a profile:',
      {
        run: ['fiatrail ops list --once rent-2026-11', 'fiatrail profiles rules set main --require-once'],
      },
      'The keys are in the journal. Machines that pay from one account must share it.',
    ],
    more: 'money.md',
  },
  {
    name: 'cancel',
    title: 'Cancel and undo',
    blocks: [
      'What was sent cannot be cancelled. Before that, Ctrl-C or "no" at the prompt ends a command, and `--dry-run` only shows what it would send.',
      {
        rows: [
          ['a payment that was accepted', 'cannot be cancelled: `fiatrail help wrong-payment`'],
          ['an onramp that was not paid', 'expires after 30 minutes'],
          ['an order on the order book', '`fiatrail fx orders pause ORDER_ID`, or cancel it'],
          ['a bridge transaction', 'send nothing to its deposit address'],
          ['a plan', '`fiatrail plans withdraw PLAN_ID --reason TEXT`, or delete its file; it expires after 24 hours'],
          ['a change of approvers', '`fiatrail profiles approvers cancel`'],
          ['a deactivated user', '`fiatrail users activate USER_ID`'],
          ['a disabled webhook', '`fiatrail webhooks enable`'],
          ['a disabled external wallet', '`fiatrail wallets external enable ADDRESS`'],
          ['a removed address or account', 'add it again'],
          ['a replaced API key', 'stays replaced; use the new one'],
          ['encryption', 'cannot be turned off: `fiatrail help encryption`'],
          ['a reset of the sandbox', 'only with a file of `fiatrail sandbox snapshot`'],
        ],
      },
    ],
    more: 'money.md',
  },
];
