import type { Topic } from './topic.ts';

/** Topics about keys, people and settings. */
export const ACCOUNT_TOPICS: readonly Topic[] = [
  {
    name: 'leaked-key',
    title: 'A leaked key',
    blocks: [
      {
        step: 'Replace the API key. The old one stops working at once. If you cannot, call the service’s support.',
        run: ['fiatrail keys rotate'],
      },
      {
        step: 'Check who may call. Someone with the key may have added an address; an empty list lets everyone in.',
        run: ['fiatrail ip list', 'fiatrail ip check', 'fiatrail ip remove --index 0'],
      },
      {
        step: 'Check the webhook, and make a new signing secret. Give it to your own handlers; `fiatrail webhooks listen` accepts the old one for 24 hours.',
        run: ['fiatrail webhooks show', 'fiatrail webhooks set https://hooks.example.com/fiatrail --new-secret'],
      },
      {
        step: 'If encryption is on and this machine may have been read, replace the encryption key.',
        run: ['fiatrail keys encryption show', 'fiatrail keys encryption rotate'],
      },
      {
        step: 'Check who may approve plans. If an approver’s key leaked, remove the approver; another one approves that plan.',
        run: ['fiatrail profiles approvers list', 'fiatrail profiles approvers remove NAME --plan'],
      },
      {
        step: 'Look for what was done: payments and destinations that are not yours, and not in the journal.',
        run: [
          'fiatrail history payouts --since 7d',
          'fiatrail history withdrawals --since 7d',
          'fiatrail ops list --since 7d',
          'fiatrail bank-accounts list',
          'fiatrail wallets show',
        ],
      },
    ],
    more: 'threats.md',
  },
  {
    name: 'login',
    title: 'Log in and out',
    blocks: [
      'There is no login: each request carries the API key of a profile. `fiatrail whoami` shows the profile in use, and `fiatrail explain` what chose it.',
      { run: ['fiatrail whoami', 'fiatrail explain'] },
      'Add a profile with its key. On a terminal, `fiatrail init` asks for everything:',
      {
        run: ['fiatrail init', 'fiatrail profiles add main --base-url https://host/v1 --key-stdin --check < key.txt'],
      },
      'Switch to another profile: for good, for this folder, or for one command.',
      {
        run: ['fiatrail profiles use main', 'fiatrail profiles use main --here', 'fiatrail status --profile main'],
      },
      'Without a profile, set FIATRAIL_BASE_URL and FIATRAIL_API_KEY.',
      'There is no logout, either. To take the key off this machine, remove the profile:',
      { run: ['fiatrail profiles remove main'] },
    ],
    more: 'quick-start.md',
  },
  {
    name: 'encryption',
    title: 'Encryption of requests and responses',
    blocks: [
      'Requests always travel over TLS. On top of that, responses can be encrypted to a key of the profile, and requests to a key of the service.',
      {
        run: [
          'fiatrail keys encryption show',
          'fiatrail keys encryption enable',
          'fiatrail keys encryption enable --encrypt-requests on',
          'fiatrail keys encryption rotate',
        ],
      },
      'The service cannot turn the encryption of responses off again. You can undo the settings on your side:',
      {
        rows: [
          ['send plain requests again', '`fiatrail keys encryption enable --encrypt-requests off`'],
          ['accept plain responses again', '`fiatrail profiles add main --encryption accept`'],
        ],
      },
      'If the service shows another public key, a profile that encrypts requests sends nothing (exit code 9). Confirm the fingerprint with the service over another channel, then accept the key:',
      { run: ['fiatrail keys platform show', 'fiatrail keys platform accept'] },
      'Another machine needs the same private key: `fiatrail keys encryption enable --private-key-stdin --yes < key.txt`.',
    ],
    more: 'threats.md',
  },
  {
    name: 'webhook-setup',
    title: 'Set up a webhook, and its secret',
    blocks: [
      {
        step: 'Set the URL, with a new signing secret. It is stored with the profile and printed once. The command shows the current settings, and asks before it replaces them.',
        run: ['fiatrail webhooks set https://hooks.example.com/fiatrail --new-secret'],
      },
      {
        step: 'Receive events: with your own handler, or with this one, which verifies and forwards them.',
        run: ['fiatrail webhooks listen --port 4777 --forward http://127.0.0.1:3000/webhooks'],
      },
      {
        step: 'Test your handler with a made-up event. A live profile rejects this.',
        run: ['fiatrail webhooks trigger user.onboarded --target http://127.0.0.1:3000/webhooks'],
      },
      {
        step: 'If events are missing, list them, and forward again those that your handler did not acknowledge.',
        run: ['fiatrail webhooks inbox gaps', 'fiatrail webhooks inbox redrive'],
      },
      'A lost secret: the service never shows it, and `fiatrail webhooks show` only says whether one is set. Make a new one as in step 1. `fiatrail webhooks listen` accepts the previous one for another 24 hours.',
      'A signature that does not match: verify the exact bytes that arrived.',
      { run: ['fiatrail webhooks verify --message delivery.http --any-age'] },
    ],
    more: 'webhooks.md',
  },
  {
    name: 'approval',
    title: 'Approvals: a second person approves',
    blocks: [
      {
        step: 'Each person makes a key, once.',
        run: ['fiatrail profiles approvers add ada --generate', 'fiatrail profiles approvers list'],
      },
      {
        step: 'Set the amount above which a second person must approve.',
        run: ['fiatrail profiles approval-threshold set "NGN 1000000"'],
      },
      {
        step: 'If the journal is not shared, apply plans on one machine only, and declare that there.',
        run: ['fiatrail profiles journal set --sole-host'],
      },
      {
        step: 'One person writes a plan into the journal. Nothing is sent, and the plan’s id is printed.',
        run: ['fiatrail payout create --amount 5000000 --to default --plan'],
      },
      {
        step: 'Another person checks and approves it. Then either of them applies it: it is sent once, exactly as written.',
        run: ['fiatrail plans list --status waiting', 'fiatrail plans approve PLAN_ID', 'fiatrail plans apply PLAN_ID'],
      },
      { step: 'See later who ran and who approved what was sent.', run: ['fiatrail ops show OPERATION_ID'] },
      'The service has approvals of its own, which these commands only show:',
      {
        rows: [
          ['`fiatrail wallets auto-signing show`', 'the amount above which cNGN needs a manual signature'],
          ['`fiatrail fx auto-signing show`', 'the amount up to which trades are signed automatically'],
        ],
      },
    ],
    more: 'controls.md',
  },
  {
    name: 'limits',
    title: 'Limits',
    blocks: [
      'Rules of a profile stop a command before it sends anything (exit code 9):',
      {
        run: [
          'fiatrail profiles rules show main',
          'fiatrail profiles rules set main --max-per-call "NGN 500000" --max-per-day "NGN 2000000"',
          'fiatrail profiles rules set reports --read-only',
          'fiatrail profiles rules test -- payout create --amount 5000 --to default',
        ],
      },
      'To remove a limit, set it to off: `--max-per-call "NGN off"`. `--yes` does not bypass a rule.',
      'Above an amount, a second person must approve: `fiatrail help approval`.',
      'Limits of the service:',
      {
        rows: [
          ['requests per minute', 'fiatrail waits and tries again; exit code 7 if that takes too long'],
          ['what an endpoint accepts', '`fiatrail endpoints fees.withdraw`'],
          ['manual signatures', '`fiatrail wallets auto-signing show`'],
          ['trades signed automatically', '`fiatrail fx auto-signing show`'],
          ['who may call', '`fiatrail ip list`'],
        ],
      },
    ],
    more: 'controls.md',
  },
  {
    name: 'change',
    title: 'Rename, change and remove',
    blocks: [
      {
        rows: [
          ['rename a profile', 'add it under its new name, then remove the old one'],
          ['rename a bank account', '`fiatrail bank-accounts update ID --label fees`'],
          ['rename an allowlist entry', '`fiatrail ip add 203.0.113.7 --label office`'],
          ['rename an external wallet', 'remove it, and add it with another label'],
          ['rename a user', 'not possible: the name comes from the BVN record'],
          ['remove a user', '`fiatrail users deactivate USER_ID --reason "case 118"`'],
          ['change the fees', '`fiatrail fees set --onramp-percent 0.5%`'],
          ['change an order', '`fiatrail fx orders update ORDER_ID --price 1395`'],
          ['change the webhook', '`fiatrail webhooks set https://hooks.example.com/`'],
          ['change a rule', '`fiatrail profiles rules set main --hours any`'],
          ['turn something off for a while', 'commands that end with `disable`, such as `fiatrail webhooks disable`'],
        ],
      },
      'To rename a profile, give the new one the same key. Idempotency keys belong to the account, so they stay. Rules do not: set them again.',
      {
        run: [
          'fiatrail profiles show old',
          'fiatrail profiles add new --base-url https://host/v1 --key-stdin < key.txt',
          'fiatrail profiles use new',
          'fiatrail profiles remove old',
        ],
      },
    ],
    more: 'controls.md',
  },
];
