import type { Operation } from '../../journal/operations.ts';
import { visible } from '../../present/text.ts';
import type { PlanAct } from './acts.ts';
import { FILES, isOfJournal } from './approver-list.ts';
import type { ShownLine } from './line.ts';
import { type Author, type Plan, type PlanContent, type PlannedLine, quotedText } from './plan.ts';
import type { PlanStatus } from './queue.ts';
import type { Signed } from './signatures.ts';

/** The lines that say which plan it is, and who agreed to it. */
export function proofLines({ content, hash }: Plan, signed: readonly Signed[]): PlannedLine[] {
  return [
    ['plan', hash],
    ['author', quotedText(authorForPeople(content))],
    ['approved by', signersForPeople(signed)],
  ];
}

/** A person for people: `ada, a.obi on host-1`, with the agent that they let work. */
export const personForPeople = ({ user, host, approver, agent }: Author): string =>
  `${approver ? `${approver.name}, ` : ''}${user} on ${host}${agent === undefined ? '' : `, by agent ${agent}`}`;

/** Who made a plan, for people. */
export const authorForPeople = ({ author }: Pick<PlanContent, 'author'>): string => personForPeople(author);

function signersForPeople(signed: readonly Signed[]): string {
  const signers = signed.map(
    ({ approver, signedAt, role, without }) =>
      `${approver}${role === 'author' ? ' (author)' : ''}, ${signedAt}${without ? `, without ${without.join(', ')}` : ''}`,
  );
  return signers.join('; ') || 'no one';
}

/** What was found for a plan on this machine. */
interface FoundFacts {
  readonly lines: readonly ShownLine[];
  readonly previews: readonly ShownLine[];
  readonly notes: readonly ShownLine[];
  readonly rules: readonly string[];
}

/** What a signer decides about, by the labels that say it, and what is shown where a request does not. */
const DECIDED: readonly (readonly [label: string, named: RegExp, otherwise: string])[] = [
  ['amount', /^(?:amount|pays|exact .+)$/, 'not named in the request'],
  ['destination', /^destination$/, 'not named in the request'],
  ['fees', /^fees?$/, 'not known before it is sent'],
];

/**
 * Everything about a plan for someone who is asked to sign it: first what this machine read and made from the plan itself, then what
 * only its author says.
 */
export function planLines(
  plan: Plan,
  { lines, previews, notes, rules }: FoundFacts,
  signed: readonly Signed[],
  appliedTwice: string,
): PlannedLine[] {
  const { content, hash } = plan;
  const { account, amounts } = content;
  const proven = new Set(proofLines(plan, signed).map(([label]) => label));
  const labels = [...lines, ...previews, ...notes, ...amounts.map(exactLine)].map(([label]) => label);
  const shown: PlannedLine[] = [
    ['account', `${account.baseUrl}, key ${account.keyFingerprint}`],
    ['command', content.commandLine],
    ...lines.filter(([label]) => !proven.has(label)).map(([label, value]): PlannedLine => [label, value]),
    ...[...previews, ...notes].map(([label, value]): PlannedLine => [label, value]),
    ['request', `${content.method} ${content.path} ${JSON.stringify(content.request)}`],
    ...amounts.map(exactLine),
    ...missing(content, labels),
    ...(rules.length > 0 ? rules : ['none']).map((rule): PlannedLine => ['rule met here', rule]),
    ['applied twice', appliedTwice],
    ['expires', content.expiresAt],
    ['plan', hash],
    ['approved by', signersForPeople(signed)],
  ];
  return [...shown.map(([label, value]): PlannedLine => [visible(label), visible(value)]), ...claims(content)];
}

const exactLine = ({ field, asset, value, minor }: PlanContent['amounts'][number]): PlannedLine => [
  `exact ${field}`,
  `${value} ${asset}, ${minor} in its smallest unit`,
];

/** Says of what a signer decides about, and no line says, that it is not known. A change of the journal moves nothing. */
function missing({ endpoint }: PlanContent, labels: readonly string[]): PlannedLine[] {
  if (isOfJournal(endpoint)) return [];
  const absent = DECIDED.filter(([, named]) => !labels.some((label) => named.test(label)));
  // Its rows say where they go, and its lines how much goes to which bank.
  const named = endpoint === FILES ? absent.filter(([label]) => label !== 'destination') : absent;
  return named.map(([label, , otherwise]) => [label, otherwise]);
}

/** What a plan says, for someone who only reads it: nothing of it was compared with the account. */
export function claimedLines({ content, hash }: Plan, signed: readonly Signed[]): PlannedLine[] {
  const { lines, previews, method, path, request } = content;
  const claimed = [
    `command: ${content.commandLine}`,
    ...[...lines, ...previews].map(([label, value]) => `${label}: ${value}`),
    `request: ${method} ${path} ${JSON.stringify(request)}`,
  ];
  return [
    ['plan', hash],
    ['approved by', signersForPeople(signed)],
    ['expires', content.expiresAt],
    ...claimed.map((text): PlannedLine => [AUTHOR_SAYS, quotedText(text)]),
    ...claims(content),
  ];
}

const AUTHOR_SAYS = 'the author says';

/** What nobody but the author of a plan vouches for. */
function claims(content: PlanContent): PlannedLine[] {
  const { createdAt, account, balance, rules } = content;
  const texts = [
    `written by ${authorForPeople(content)}`,
    `written on ${createdAt}`,
    `with profile ${account.profile} (${account.mode})`,
    ...(balance ? [`balance then: ${balance.text}`] : []),
    ...rules.map((rule) => `rule met there: ${rule}`),
  ];
  return texts.map((text) => [AUTHOR_SAYS, quotedText(text)]);
}

/** What a table shows of a printed plan. */
export const PLAN_COLUMNS = [
  { field: 'plan', title: 'Plan' },
  { field: 'status', title: 'Status' },
  { field: 'hash', title: 'Hash' },
  { field: 'summary', title: 'Summary' },
  { field: 'author', title: 'Author' },
  { field: 'expiresAt', title: 'Expires' },
  {
    field: 'signatures',
    title: 'Signatures',
    columns: [
      { field: 'approver', title: 'Approver' },
      { field: 'role', title: 'Role' },
      { field: 'signedAt', title: 'Signed' },
    ],
  },
  {
    field: 'history',
    title: 'History',
    columns: [
      { field: 'act', title: 'Act' },
      { field: 'by', title: 'By' },
      { field: 'at', title: 'At' },
      { field: 'reason', title: 'Reason' },
      { field: 'operationId', title: 'Operation' },
      { field: 'without', title: 'Without', isWide: true },
    ],
  },
] as const;

/** What is known of a plan besides what its author wrote. */
interface KnownOfPlan {
  readonly status: PlanStatus;
  readonly signed: readonly Signed[];
  readonly acts?: readonly PlanAct[];
  readonly operations?: readonly Operation[];
}

/** What is printed of a plan. `name`: its id, or the path of its file. */
export function shownPlan(name: string, { content, hash }: Plan, known: KnownOfPlan) {
  const { status, signed, acts = [], operations = [] } = known;
  const { summary, amounts, createdAt, expiresAt, rules }: PlanContent = content;
  const author = authorForPeople(content);
  const signatures = signed.map(({ approver, role, signedAt }) => ({ approver, role, signedAt }));
  const history = acts.map(({ act, by, at, reason, operationId, without = [] }) => ({
    act,
    by: personForPeople(by),
    at,
    reason,
    operationId,
    without,
  }));
  return {
    plan: name,
    status,
    hash,
    summary,
    amounts,
    author,
    createdAt,
    expiresAt,
    rules,
    signatures,
    history,
    operations: operations.map(({ operationId, state }) => ({ operationId, status: state })),
  };
}
