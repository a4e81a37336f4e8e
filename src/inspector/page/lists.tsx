import type { Column } from './list.tsx';

const column = (field: string, title: string, kind?: Column['kind']): Column => ({
  field,
  title,
  ...(kind && { kind }),
});

/** What is shown of a thing in every list that has things. */
const THING = [
  column('at', 'Time', 'time'),
  column('kind', 'Kind'),
  column('amount', 'Amount', 'number'),
  column('who', 'Who'),
  column('for', 'For'),
  column('state', 'Status', 'state'),
  column('lasted', 'Duration', 'span'),
  column('id', 'ID', 'id'),
];

interface ListShown {
  readonly title: string;
  readonly columns: readonly Column[];
  /** What it can be reduced to. */
  readonly states: readonly string[];
  /** What they are, besides statuses. */
  readonly statesTitle?: string;
  /** What to do so that it has a row, in a sandbox and in an account. */
  readonly empty?: { readonly sandbox?: string; readonly account?: string };
}

/** The columns of each list, and what it can be reduced to. */
export const LISTS: Readonly<Record<string, ListShown>> = {
  work: {
    title: 'Work',
    columns: THING,
    states: [],
    empty: {
      sandbox:
        'To create some, run `fiatrail onramp create USER_ID --amount 5000`. To simulate days of it, go to Controls.',
    },
  },
  copied: {
    title: 'Copied rows',
    columns: THING,
    states: [],
    empty: { account: 'To copy the account’s lists, run `fiatrail sync`.' },
  },
  users: {
    title: 'Users',
    empty: {
      sandbox: 'To add a user, run `fiatrail users onboard --bvn-stdin`.',
      account: 'To list the account’s users, run `fiatrail sync`.',
    },
    columns: [
      column('at', 'Since', 'time'),
      column('who', 'Name'),
      column('accountNumber', 'Account to pay', 'number'),
      column('paidIn', 'Paid in', 'number'),
      column('paidOut', 'Paid out', 'number'),
      column('open', 'Open', 'number'),
      column('state', 'Status', 'state'),
      column('of', 'Account'),
      column('id', 'ID', 'id'),
    ],
    states: [],
  },
  requests: {
    title: 'Requests',
    empty: { sandbox: 'To send one, run `fiatrail balances account`.' },
    statesTitle: 'Status or effect',
    columns: [
      column('at', 'Machine time', 'time'),
      column('sandboxAt', 'Sandbox time', 'time'),
      column('method', 'Method'),
      { ...column('operation', 'Operation'), otherwise: 'path' },
      column('who', 'Who'),
      column('ms', 'Took', 'number'),
      column('status', 'Status', 'state'),
      column('subject', 'About', 'id'),
    ],
    states: ['ok', 'rejected', 'failed', 'read', 'write', 'money'],
  },
  events: {
    title: 'Events',
    empty: {
      sandbox: 'Events are listed here as soon as work creates them.',
      account: 'To receive events, run `fiatrail webhooks listen`.',
    },
    columns: [
      column('at', 'Time', 'time'),
      column('event', 'Event'),
      column('state', 'Status', 'state'),
      column('attempts', 'Sent', 'number'),
      column('who', 'Who'),
      column('subject', 'About', 'id'),
    ],
    states: ['not sent', 'waiting', 'delivered', 'given-up', 'received', 'forwarded', 'dead', 'quarantined'],
  },
  operations: {
    title: 'Operations',
    empty: {
      account:
        'Commands that change something are listed here, such as `fiatrail payout create --amount 5000 --to default`.',
    },
    columns: [
      column('at', 'Time', 'time'),
      column('summary', 'Summary'),
      column('amount', 'Amount', 'number'),
      column('state', 'Status', 'state'),
      column('who', 'Who'),
      column('id', 'ID', 'id'),
    ],
    states: ['prepared', 'sent', 'unknown', 'accepted', 'settled', 'failed', 'rejected', 'resolved'],
  },
  plans: {
    title: 'Plans',
    empty: { account: 'To write a plan, add `--plan` to a command that moves money.' },
    columns: [
      column('at', 'Time', 'time'),
      column('summary', 'Summary'),
      column('state', 'Status', 'state'),
      column('who', 'Author'),
      column('expires', 'Expires', 'time'),
      column('id', 'ID', 'id'),
    ],
    states: ['waits for you', 'waiting', 'approved', 'rejected', 'withdrawn', 'expired', 'applied', 'applied-in-part'],
  },
  points: {
    title: 'Points in time',
    empty: { sandbox: 'To save the sandbox as it is now, name a point above.' },
    columns: [
      column('at', 'Sandbox time', 'time'),
      column('name', 'Name'),
      column('machineAt', 'Machine time', 'time'),
      column('size', 'Size', 'number'),
    ],
    states: [],
  },
  ledger: {
    title: 'Ledger',
    empty: { sandbox: 'To move money, run `fiatrail sandbox pay ACCOUNT_NUMBER --amount 5000 --sender NAME`.' },
    columns: [
      column('id', 'Set', 'number'),
      column('at', 'Time', 'time'),
      column('event', 'Event'),
      column('amount', 'Largest sum', 'number'),
      column('who', 'Whose'),
      column('for', 'From and to'),
      column('subject', 'About', 'id'),
    ],
    states: [],
  },
};
