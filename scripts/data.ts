import { EVENT_COLUMNS, OPERATION_COLUMNS, type ViewColumn, views } from '../src/copy/questions/sql/views.ts';
import { MEMORY_BYTES } from '../src/copy/questions/sql/wire.ts';
import { GRANTS, SCHEMA } from '../src/copy/schema.ts';
import { TABLES } from '../src/copy/tables.ts';
import { SCHEMA as JOURNAL } from '../src/journal/postgres/schema.ts';
import { DECIMALS } from '../src/money/amount.ts';
import { MAX_VALUE_BYTES } from '../src/sqlite/query.ts';
import { SCHEMA as INBOX } from '../src/webhooks/inbox/postgres/schema.ts';

/** A question with the query that answers it. Both SQLite and PostgreSQL take them, but for views that only fiatrail has. */
interface Question {
  readonly asks: string;
  readonly sql: string;
}

const utcText = (column: string) =>
  `to_char(timestamp 'epoch' + ${column} * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const forwardsIn = (state: string) =>
  `(SELECT count(*) FROM ${INBOX}.forward f WHERE f.event = source.id AND f.state = '${state}')`;

interface ServerView {
  readonly columns: readonly ViewColumn[];
  readonly from: string;
  /** What is not simply the column of the same name. */
  readonly values: Readonly<Record<string, string>>;
}

/** The views of a database that also has the journal or the inbox. */
const SERVER_VIEWS: Readonly<Record<string, ServerView>> = {
  operations: {
    columns: OPERATION_COLUMNS,
    from: `${JOURNAL}.operation`,
    values: {
      idempotency_key: 'once_key',
      amount_minor: 'minor',
      amount_asset: 'asset',
      planned_by: `authority::jsonb #>> '{author,user}'`,
      approved_by: `(SELECT string_agg(signer ->> 'name', ', ' ORDER BY place)
    FROM jsonb_array_elements(authority::jsonb -> 'signers') WITH ORDINALITY AS signers (signer, place))`,
      created_at: utcText('created_at'),
      updated_at: utcText('updated_at'),
    },
  },
  events: {
    columns: EVENT_COLUMNS,
    from: `${INBOX}.event`,
    values: {
      number: 'id',
      forwards_acknowledged: forwardsIn('acknowledged'),
      forwards_waiting: forwardsIn('waiting'),
      forwards_dead: forwardsIn('dead'),
      sent_at: utcText('sent_at'),
      received_at: utcText('received_at'),
    },
  },
};

const serverViews = (): string =>
  Object.entries(SERVER_VIEWS)
    .map(([view, { columns, from, values }]) => {
      const chosen = columns.map(({ name }) => `  ${values[name] === undefined ? '' : `${values[name]} AS `}${name}`);
      return `CREATE OR REPLACE VIEW ${SCHEMA}.${view} AS SELECT\n${chosen.join(',\n')}\nFROM ${from} source;\nGRANT SELECT ON ${SCHEMA}.${view} TO fiatrail_reader;\n`;
    })
    .join('');

/** The day of a time in Lagos, as a SQL expression of SQLite, and of PostgreSQL. The reports have the same days. */
const lagosDay = (time: string) => `date(${time}, '+1 hour')`;
const SERVER_DAY = "to_char(TIME::timestamp + interval '1 hour', 'YYYY-MM-DD')";

/** What is open, as `report pending` has it. */
const OPEN = TABLES.filter(({ hasStates }) => hasStates)
  .map(({ name }, index) => {
    const named = index === 0 ? ' as list' : '';
    return `select '${name}'${named}, id, status, created_at from ${name} where is_open = 1 and deleted_at is null`;
  })
  .join('\nunion all\n');

const QUESTIONS: readonly Question[] = [
  {
    asks: 'What came in during the latest month, by day?',
    sql: `select ${lagosDay('completed_at')} as day, count(*) as payments, sum(amount_minor) / 100.0 as naira
from deposits
where status = 'completed' and substr(${lagosDay('completed_at')}, 1, 7) = (
  select max(substr(${lagosDay('completed_at')}, 1, 7)) from deposits where status = 'completed')
group by 1
order by 1`,
  },
  {
    asks: 'Which users paid in most?',
    sql: `select u.id, u.first_name, u.last_name, count(*) as payments, sum(d.amount_minor) / 100.0 as naira
from deposits d
join users u on u.id = d.user_id
where d.status = 'completed'
group by u.id, u.first_name, u.last_name
order by naira desc
limit 20`,
  },
  {
    asks: 'What were the fees on deposits, by month?',
    sql: `select substr(${lagosDay('completed_at')}, 1, 7) as month, count(*) as payments, sum(fee_minor) / 100.0 as naira
from deposits
where status = 'completed' and fee_minor is not null
group by 1
order by 1`,
  },
  {
    asks: 'What is open, and since when?',
    sql: `${OPEN}
order by created_at`,
  },
  {
    asks: 'How many deposits, payouts and withdrawals have each status?',
    sql: `select 'deposits' as kind, status, count(*) as rows from deposits group by status
union all
select 'payouts', status, count(*) from payouts group by status
union all
select 'withdrawals', status, count(*) from withdrawals group by status
order by 1, 2`,
  },
  {
    asks: 'Which payments of ₦5,100 came in, and from whom?',
    sql: `select id, status, created_at, sender_name, sender_bank, reference
from deposits
where amount_minor = 510000 and amount_asset = 'NGN'
order by created_at desc`,
  },
  {
    asks: 'Which payments came from someone other than the account’s owner?',
    sql: `select id, created_at, amount_minor / 100.0 as naira, sender_name, account_name
from deposits
where user_id is not null and upper(account_name) not like '%' || upper(sender_name) || '%'
order by created_at desc`,
  },
  {
    asks: 'What did the account wallet hold at the end of each day?',
    sql: `select ${lagosDay('b.at')} as day, b.balance_asset, b.place, b.balance_minor / 1000000.0 as tokens
from balances b
where b.source = 'wallet' and b.balance_minor > 0 and b.at = (
  select max(l.at) from balances l
  where l.source = b.source and l.place = b.place and l.balance_asset = b.balance_asset
    and ${lagosDay('l.at')} = ${lagosDay('b.at')})
order by 1, 2, 3`,
  },
  {
    asks: 'Which bank accounts received most?',
    sql: `select account_number, bank_name, count(*) as payouts, sum(amount_minor) / 100.0 as naira
from payouts
where status = 'completed'
group by account_number, bank_name
order by naira desc
limit 20`,
  },
  {
    asks: 'Which users have never paid in?',
    sql: `select u.id, u.created_at
from users u
where not exists (select 1 from deposits d where d.user_id = u.id)
order by u.created_at
limit 20`,
  },
  {
    asks: 'Who ran each payout, and who approved it?',
    sql: `select p.created_at, p.amount_minor / 100.0 as naira, p.status, o.run_by, o.host, o.planned_by, o.approved_by
from payouts p
join operations o on o.request_id = p.id
order by p.created_at desc`,
  },
  {
    asks: 'Which events has my handler not acknowledged yet?',
    sql: `select e.number, e.event, e.request_id, e.received_at, e.forwards_waiting, e.forwards_dead
from events e
where e.forwards_waiting > 0 or e.forwards_dead > 0
order by e.number`,
  },
];

/** How the views join: each line has two columns with equal values. */
const JOINS: readonly (readonly [one: string, other: string])[] = [
  ['users.id', 'deposits.user_id'],
  ['users.id', 'withdrawals.user_id'],
  ['users.id', 'events.user_id'],
  ['users.id', 'owed.user_id'],
  ['users.evm_wallet', 'payouts.wallet_address'],
  ['deposits.wallet_address', 'payouts.wallet_address'],
  ['users.evm_wallet', 'swaps.wallet_address'],
  ['bank_accounts.account_number', 'payouts.account_number'],
  ['bank_accounts.account_number', 'fee_withdrawals.account_number'],
  ['external_wallets.address', 'withdrawals.to_address'],
  ['payouts.id', 'operations.request_id'],
  ['withdrawals.id', 'operations.request_id'],
  ['bridge_transfers.id', 'operations.request_id'],
  ['swaps.id', 'operations.request_id'],
  ['payouts.id', 'events.request_id'],
  ['withdrawals.id', 'events.request_id'],
  ['payouts.id', 'status_changes.id'],
  ['deposits.id', 'status_changes.id'],
];

const MIB = 1024 * 1024;

const code = (text: string) => `\`${text}\``;
const row = (cells: readonly string[]) => `| ${cells.join(' | ').replaceAll('\n', ' ')} |\n`;
const table = (titles: readonly string[], rows: readonly (readonly string[])[]) =>
  `${row(titles)}|${titles.map(() => '---').join('|')}|\n${rows.map(row).join('')}`;

/** The endpoint that a view copies, or where else its rows are from. */
function sourceOf(name: string): string {
  const found = TABLES.find((each) => each.name === name);
  if (found) return `the list of \`${found.listing.endpoint.id}\``;
  if (name === 'owed') return 'the balances that `fiatrail report owed` read';
  if (name === 'operations') return 'the journal, copied for each query that names the view';
  if (name === 'events') return 'the inbox, copied for each query that names the view';
  return 'what each sync saw';
}

function joinLines(): string {
  return JOINS.map(([one, other]) => {
    const [[left, key], [right, foreign]] = [one.split('.'), other.split('.')];
    return `  ${left} ||--o{ ${right} : "${key} = ${foreign}"\n`;
  }).join('');
}

/** Makes docs/reference/views.md, which has every view with its columns. */
export async function viewsPage(): Promise<string> {
  const sections = await Promise.all(
    views().map(async ({ name, about, columns }) =>
      [
        `## ${name}\n`,
        `${about.charAt(0).toUpperCase()}${about.slice(1)}. From ${await sourceOf(name)}.\n`,
        table(
          ['column', 'type', 'what it is', 'field'],
          columns.map((column) => [
            code(column.name),
            column.type,
            column.about,
            column.field ? code(column.field) : '',
          ]),
        ),
      ].join('\n'),
    ),
  );
  return [
    '# Views\n',
    'Generated by `npm run reference` from the tables of the local copy. [Data](../data.md) says how to query them. `fiatrail sql --views` prints this list in the terminal.\n',
    ...sections,
  ].join('\n');
}

/** Makes docs/data.md. */
export function dataPage(): string {
  const decimals = Object.entries(DECIMALS).map(([asset, digits]) => `1 ${asset} is ${10 ** digits}`);
  return [
    '# Data\n',
    '`fiatrail sync` copies the account’s lists to this machine. `find`, `report` and `sql` read this local copy, so they are fast, work offline, and are as old as the last sync.\n',
    '```sh\nfiatrail sync                     # from cron, or as a service with --every 5m\nfiatrail find \'₦5,100\'            # anything by id, hash, bank reference, amount or name\nfiatrail report last month        # what came in and went out, checked against the balances\nfiatrail sql "select status, count(*) from payouts group by status"\nfiatrail sql -f month.sql -o csv > month.csv\n```\n',
    '[End of month](month-end.md) closes a month with these commands, and writes its books for accountants.\n',
    'In CSV, text that a spreadsheet may run as a formula, such as `=1+1`, is prefixed with an apostrophe; `--csv-raw` prints it unchanged.\n',
    '## What the views contain\n<!-- subjects: schema, tables, columns, data model -->\n',
    '[Views](reference/views.md) lists every view and column. Names are stable: a later version may add some, but does not rename any.\n',
    `- An amount is an integer in the smallest unit, in a column whose name ends with \`_minor\`; the next column has the asset. In the smallest unit, ${decimals.join(', ')}.`,
    '- A time is text in UTC, such as `2026-11-21T13:14:05.000Z`, so times sort and compare as text. Tables show times in the profile’s zone.',
    '- Personal names and numbers become null after 90 days; `fiatrail profiles copy set --keep 30d` changes that. There are no BVNs.',
    '- If `deleted_at` is set, the service no longer lists the row.\n',
    '## Questions\n',
    `A day is one of Lagos, as in the reports, and what is finished counts when it completed. PostgreSQL has no \`${lagosDay('TIME')}\`: write \`${SERVER_DAY}\`.\n`,
    ...QUESTIONS.map(({ asks, sql }) => `${asks}\n\n\`\`\`sql\n${sql}\n\`\`\`\n`),
    '## How the views join\n',
    `\`\`\`mermaid\nerDiagram\n${joinLines()}\`\`\`\n`,
    '`status_changes.kind` names the view that has the row with this `id`. A user’s other wallets are in `users.solana_wallet` and `users.bantu_wallet`.\n',
    '## What a query may do\n',
    'A query is one SQLite statement that only reads: SELECT, WITH … SELECT, VALUES, or EXPLAIN of one of these. It can use the views, `json_each` and `json_tree`. Other tables, PRAGMA, ATTACH, VACUUM INTO and extensions are rejected.\n',
    `It runs in a separate process, which is stopped after \`--timeout\` (60 seconds by default) or if it needs more than ${MEMORY_BYTES / MIB} MiB of memory. A value may have at most ${MAX_VALUE_BYTES / MIB} MiB. The process never opens the journal or the inbox: the rows of \`operations\` and \`events\` are copied to it if the query names them.\n`,
    '## A copy in PostgreSQL\n<!-- subjects: postgres, data warehouse, bi, metabase, replication, analytics -->\n',
    'With `FIATRAIL_COPY_URL`, the local copy is in a PostgreSQL database that several hosts and your own tools share. `fiatrail sql` cannot query it: use a client such as psql, with a role that can only read the views:\n',
    `\`\`\`postgresql\nCREATE ROLE fiatrail_reader LOGIN;\n${GRANTS.reader.map((grant) => `${grant};\n`).join('')}ALTER ROLE fiatrail_reader SET search_path = ${SCHEMA};\nALTER ROLE fiatrail_reader SET statement_timeout = '60s';\n\`\`\`\n`,
    'The role that runs `fiatrail sync` owns the schema, because it creates indexes and overwrites deleted names. A host that only reads, with `find`, `report` or `status`, needs less:\n',
    `\`\`\`postgresql\n${GRANTS.host.map((grant) => `${grant};\n`).join('')}\`\`\`\n`,
    'fiatrail rejects a copy if another role owns part of it or has more rights than such a host, or if a part differs from what this version creates. The two views below are allowed. If the same database also has the shared journal and the inbox, the owner of their schemas can add `operations` and `events` with these statements. They show the rows of every account, and no other columns:\n',
    `\`\`\`postgresql\n${serverViews()}\`\`\`\n`,
  ].join('\n');
}
