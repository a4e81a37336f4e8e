import type { Topic } from './topic.ts';

/** Help topics on interactive and scripted use. */
export const SCRIPT_TOPICS: readonly Topic[] = [
  {
    name: 'search',
    title: 'Find something',
    blocks: [
      {
        rows: [
          ['anything by an id, a hash, a sum or a name', '`fiatrail find ANYTHING`'],
          ['a payment that came in', '`fiatrail history deposits --user USER_ID --since 7d`'],
          ['a payment that went out', '`fiatrail history payouts --status pending`'],
          ['tokens that were sent', '`fiatrail history withdrawals --token USDC`'],
          ['what this machine sent', '`fiatrail ops list --since today`'],
          ['what a key of --once did', '`fiatrail ops list --once rent-2026-11`'],
          ['a user', '`fiatrail users list`, `fiatrail users show USER_ID`'],
          ['a bank', '`fiatrail banks --search access`'],
          ['a bank account of yours', '`fiatrail bank-accounts list`'],
          ['a wallet', '`fiatrail wallets show`, `fiatrail wallets list USER_ID`'],
          ['an event', '`fiatrail webhooks inbox list --request-id REQUEST_ID`'],
          ['a command', '`fiatrail help commands`'],
        ],
      },
      '`fiatrail report` sums up a month, and `fiatrail sql` answers a question of your own.',
      'A list prints its first page. `--all` fetches every page, and `--query` filters, such as by name:',
      {
        run: [
          'fiatrail users list --all -o json --query "users[?lastName==\'OBI\']"',
          'fiatrail history payouts --all -o csv --output-file payouts.csv',
        ],
      },
      'On a terminal, a command that needs an id lets you pick from a list.',
    ],
    more: 'scripting.md',
  },
  {
    name: 'units',
    title: 'Amounts and units',
    blocks: [
      'A bare number means whole Naira or whole tokens, in every command but `fiatrail api`. It is never kobo and never base units.',
      {
        rows: [
          ['`5000`, `5,000.50`', '₦5,000 and ₦5,000.50, or 5,000 tokens'],
          ['`₦5000`, `"5000 NGN"`', '₦5,000'],
          ['`"500000 kobo"`', '₦5,000'],
          ['`1.5`, `"1.5 cNGN"`', '1.5 cNGN'],
          ['`"1500000 base"`', '1.5 tokens; a token has 6 decimals'],
          ['`max`, `all`', 'fee withdrawals only: one withdrawal, or as many as are needed'],
        ],
      },
      'Anything ambiguous is rejected, such as `1.234,56`, a sign, an exponent or too many decimals. Before it asks, a command shows what it will send.',
      'With `-o json`, an amount is `{"value": "5000.00", "asset": "NGN"}`, whatever unit the service uses.',
      '`fiatrail api` takes the units of the service, such as kobo. See which:',
      { run: ['fiatrail endpoints transactions.onramp'] },
      'cNGN is redeemed for Naira at 1:1, so rules count both as one sum.',
    ],
    more: 'scripting.md',
  },
  {
    name: 'dates',
    title: 'Dates and time zones',
    blocks: [
      {
        rows: [
          ['`today`, `yesterday`', 'a day in your time zone'],
          ['`24h`, `7d`', 'that long ago'],
          ['`2026-08-01`', 'a day; with `--until`, its end'],
          ['`2026-08-01T09:00:00+01:00`', 'a moment'],
        ],
      },
      {
        run: ['fiatrail history payouts --since 2026-08-01 --until 2026-08-31', 'fiatrail ops list --since yesterday'],
      },
      'Tables and typed dates use one zone: `--tz`, or that of the profile, or Africa/Lagos. JSON and CSV have UTC.',
      {
        run: ['fiatrail history deposits --since today --tz Europe/London', 'fiatrail profiles add main --tz UTC'],
      },
      'Rules and idempotency keys always use the time in Lagos.',
      'Durations, as in `--wait` and `--timeout`: `500ms`, `30s`, `6m` (minutes), `2h`, `5d`.',
      'The sandbox has a clock of its own: `fiatrail sandbox clock`, `fiatrail sandbox advance 30m`.',
    ],
    more: 'scripting.md',
  },
  {
    name: 'exit-codes',
    title: 'Exit codes',
    blocks: [
      {
        rows: [
          ['0', 'done, or done before under the same idempotency key'],
          ['1', 'a bug in fiatrail; never after a money request was sent'],
          ['2', 'wrong or missing input, or an unusable profile; nothing was sent'],
          ['3', 'the service rejected it, or the work that it started failed'],
          ['4', 'not authenticated, or this address is not on the allowlist'],
          ['5', 'network: nothing was sent, or a read got no usable response'],
          ['6', 'the outcome is unknown: `fiatrail help unknown-outcome`'],
          ['7', 'rate limited; nothing was done'],
          ['8', 'not finished yet: `fiatrail help stuck`'],
          ['9', 'declined, or stopped by a rule or a safety check'],
          ['130', 'interrupted'],
        ],
      },
      'Run it again after 5 and 7: nothing was done. Never run it again after 6. After 8, wait:',
      { run: ['fiatrail ops reconcile', 'fiatrail ops resume OPERATION_ID'] },
      'With `-o json`, an error is one JSON object on stderr, and its `code` says more, such as `NOTHING_TO_WITHDRAW`.',
    ],
    more: 'errors.md',
  },
  {
    name: 'scripts',
    title: 'Scripts and cron jobs',
    blocks: [
      'Without a terminal nothing is asked: a missing value or confirmation is exit code 2.',
      {
        rows: [
          ['`--yes`', 'confirms'],
          ['`--once KEY`', 'pays once, however often the job runs'],
          ['`-q -o json`', 'prints only data, as JSON'],
          ['`--query EXPRESSION`', 'prints only what the script needs'],
          ['`--wait 10m`', 'waits until the work has finished'],
          ['`--timeout 2m`', 'limits a request with its retries'],
          ['`FIATRAIL_PROFILE`', 'chooses the profile; cron may have another HOME'],
        ],
      },
      {
        run: [
          'fiatrail fees withdraw --amount all --to default --once "fees-{year}-{month}-{day}" --yes -q',
          'fiatrail ops reconcile --all -q',
        ],
      },
      'Decide by the exit code: `fiatrail help exit-codes`. Give a job a profile with rules:',
      { run: ['fiatrail profiles rules set cron --max-per-day "NGN 2000000" --require-once'] },
      'What a command prints: `fiatrail schema users list`. Any other request: `fiatrail api`.',
    ],
    more: 'cookbook.md',
  },
  {
    name: 'update',
    title: 'Install and update fiatrail',
    blocks: [
      'fiatrail never looks for updates by itself. See which version you have:',
      { run: ['fiatrail version'] },
      'Compare its files with the digests that the build recorded:',
      { run: ['fiatrail version --verify'] },
      'Before you update, resolve unknown outcomes and copy the journal:',
      { run: ['fiatrail ops reconcile', 'fiatrail ops journal backup journal-backup.db'] },
      'Then install the new version the way you installed the old one. In a source folder, get the new sources, then install and build. The journal and the profiles are upgraded when they are next used.',
      { run: ['npm ci'] },
      'Install completion for your shell, and check the machine:',
      { run: ['fiatrail completion install', 'fiatrail doctor'] },
      'To uninstall, remove the completion, the profiles with their keys, and then the folder of the project. Keep the state folder: without its journal, the idempotency keys that you used no longer prevent a second payment.',
      { run: ['fiatrail completion uninstall', 'fiatrail profiles remove main'] },
    ],
    more: 'install.md',
  },
];
