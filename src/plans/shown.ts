import { authorForPeople, type Plan, type PlanContent, type PlannedLine } from './plan.ts';
import type { Signed } from './signatures.ts';

/** The lines that say which plan it is, and who agreed to it. */
export function proofLines({ content, hash }: Plan, signed: readonly Signed[]): PlannedLine[] {
  const signers = signed.map(
    ({ operator, signedAt, role }) => `${operator}${role === 'author' ? ' (author)' : ''}, ${signedAt}`,
  );
  return [
    ['plan', hash],
    ['author', authorForPeople(content)],
    ['signed by', signers.join('; ') || 'nobody'],
  ];
}

/** Everything a plan says, for somebody who is asked to sign it: also the request itself. */
export function planLines(plan: Plan, signed: readonly Signed[]): PlannedLine[] {
  const { content } = plan;
  const { account, amounts, balance, rules, lines, previews } = content;
  return [
    ['account', `${account.baseUrl}, key ${account.keyFingerprint}`],
    ['command', content.commandLine],
    ...lines,
    ...previews,
    ...(balance ? [['balance', balance.text] as const] : []),
    ['request', `${content.method} ${content.path} ${JSON.stringify(content.request)}`],
    ...amounts.map(
      ({ field, asset, value, minor }): PlannedLine => [
        `exact ${field}`,
        `${value} ${asset}, ${minor} in its smallest unit`,
      ],
    ),
    ...rules.map((rule): PlannedLine => ['rule met', rule]),
    ['made', content.createdAt],
    ['expires', content.expiresAt],
    ...proofLines(plan, signed),
  ];
}

/** What a table shows of a printed plan. */
export const PLAN_COLUMNS = [
  { field: 'plan', title: 'Plan' },
  { field: 'hash', title: 'Hash' },
  { field: 'summary', title: 'Summary' },
  { field: 'author', title: 'Author' },
  { field: 'expiresAt', title: 'Expires' },
  {
    field: 'signatures',
    title: 'Signatures',
    columns: [
      { field: 'operator', title: 'Operator' },
      { field: 'role', title: 'Role' },
      { field: 'signedAt', title: 'Signed' },
    ],
  },
] as const;

/** What is printed of a plan. */
export function shownPlan(path: string, { content, hash }: Plan, signed: readonly Signed[]) {
  const { summary, amounts, createdAt, expiresAt, rules }: PlanContent = content;
  const author = authorForPeople(content);
  const signatures = signed.map(({ operator, role, signedAt }) => ({ operator, role, signedAt }));
  return { plan: path, hash, summary, amounts, author, createdAt, expiresAt, rules, signatures };
}
