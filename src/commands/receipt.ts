import * as z from 'zod/mini';
import { absolutePath } from '../account/paths.ts';
import { advice } from '../base/advice.ts';
import { CliError } from '../base/errors.ts';
import type { Zone } from '../base/zone.ts';
import { getFintechWallet } from '../contract/endpoints/wallets.ts';
import type { Receipt } from '../copy/questions/receipt/receipt.ts';
import type { Account } from '../engine/account.ts';
import { pageFileAt, writePage } from '../files/written-page.ts';
import { amountSchema, knownSchema } from '../present/prints.ts';
import type { Column } from '../present/result.ts';
import { command } from '../terminal/command.ts';
import { argument, changing, newFile, option, switchOn, word } from '../terminal/parse/parameters.ts';

const time = () => z.nullable(z.iso.datetime());
const text = () => z.nullable(z.string());
/** The asset of a figure may not be known. */
const sum = () => amountSchema(text());
const amounts = () => z.union([sum(), z.array(sum())]);
const line = () => z.object({ title: z.string(), value: z.union([z.string(), z.boolean(), amounts()]) });

const receiptSchema = () =>
  z.object({
    notice: text(),
    document: z.enum(['receipt', 'status report']),
    kind: z.string(),
    id: z.string(),
    outcome: z.enum(['completed', 'open', 'failed', 'returned', 'unconfirmed']),
    isFinal: z.boolean(),
    says: z.string(),
    meaning: z.string(),
    status: text(),
    finalSince: time(),
    completedAt: time(),
    amount: z.nullable(amounts()),
    party: text(),
    fee: z.union([
      amountSchema(),
      z.object({
        value: z.null(),
        asset: text(),
        known: knownSchema(),
      }),
    ]),
    feeUnknown: text(),
    details: z.array(line()),
    references: z.array(
      z.object({
        title: z.string(),
        value: z.string(),
        checkedAt: z.enum(['bank', 'network', 'service', 'account']),
      }),
    ),
    times: z.array(z.object({ title: z.string(), at: z.string() })),
    check: z.array(z.object({ at: z.string(), says: z.string() })),
    warnings: z.array(z.string()),
    issuer: z.object({
      name: text(),
      profile: z.string(),
      mode: z.enum(['embedded', 'sandbox', 'live']),
      service: text(),
    }),
    source: z.enum(['service', 'journal', 'copy']),
    asOf: time(),
    issuedAt: z.iso.datetime(),
    zone: z.string(),
  });

/** The company that the account is of, as the service names it; null if it cannot be read. */
async function issuerName(account: Account): Promise<string | null> {
  try {
    return (await account.call(getFintechWallet, {})).data.fintechName ?? null;
  } catch (error) {
    if (!(error instanceof CliError) || error.category === 'interrupted') throw error;
    return null;
  }
}

/** Finds a thing and makes its receipt. */
async function made(account: Account, zone: Zone, id: string) {
  const [{ provableNamed }, { readingsOf }, { receiptOf }, { sightsOf, receiptStatusOf }, { chooser }, { recordedOf }] =
    await Promise.all([
      import('../copy/questions/receipt/find.ts'),
      import('../copy/questions/receipt/readings.ts'),
      import('../copy/questions/receipt/receipt.ts'),
      import('../copy/questions/receipt/outcome.ts'),
      import('../copy/questions/choose.ts'),
      import('../copy/questions/known.ts'),
    ]);
  const match = await provableNamed(account, id, chooser(account, zone));
  const recorded = await recordedOf(account, match.operations);
  const readings = await readingsOf(account, match, recorded);
  const { sights, copiedAt } = await sightsOf(account, match, recorded);
  const { name: profile, mode, baseUrl } = account.profile;
  const name = await issuerName(account);
  const { mask } = account.globals.present;
  // Its lines have no field names that tell a name from another text.
  for (const { row, schema } of readings.all) mask?.learn(row, { schema });
  mask?.learn({ fintechName: name });
  const receipt = receiptOf({
    match,
    readings,
    ending: receiptStatusOf(match.kind, readings, sights),
    issuer: { name, profile, mode, service: mode === 'embedded' ? null : baseUrl },
    // The clock of a sandbox may be ahead of that of this machine.
    issuedAt: new Date(account.time.service.nowMs() ?? account.world.clock.now()).toISOString(),
    copiedAt,
    zone: zone.name,
  });
  return { receipt, problem: readings.problem };
}

/** What a document that proves nothing ends with, so that no script sends it as a proof. */
function errorOf({ outcome, says, id }: Receipt, problem: CliError | undefined): CliError | undefined {
  const details = { hint: advice`see what is known of it: [fiatrail find ${id}]` };
  switch (outcome) {
    case 'completed':
      return undefined;
    case 'open':
      return new CliError('pending', says, {
        code: 'NOT_FINAL',
        hint: advice`run it again later: [fiatrail receipt ${id}]`,
      });
    case 'unconfirmed':
      return new CliError(problem?.category ?? 'rejected', problem ? `${says}: ${problem.message}` : says, {
        code: problem?.code ?? 'NOT_FOUND',
        hint: problem?.hint ?? details.hint,
      });
    case 'failed':
    case 'returned':
      return new CliError('failed', says, { code: outcome === 'failed' ? 'FAILED' : 'RETURNED', ...details });
  }
}

const what = { field: 'title', title: 'What' } as const;
/** Amounts stand among texts. */
const value = { field: 'value', title: 'Value', align: 'left' } as const;

/** A receipt for people: what counts first, then what it is checked by. */
function columnsOf({ notice, feeUnknown, finalSince, completedAt, outcome, asOf, party }: Receipt): readonly Column[] {
  return [
    ...(notice === null ? [] : [{ field: 'notice', title: 'Notice' }]),
    { field: 'kind', title: 'Kind' },
    { field: 'document', title: 'Document' },
    { field: 'says', title: 'State' },
    ...(outcome === 'returned' && completedAt !== null ? [{ field: 'completedAt', title: 'Had completed' }] : []),
    ...(finalSince === null ? [] : [{ field: 'finalSince', title: 'Final since' }]),
    { field: 'amount', title: 'Amount' },
    ...(party === null ? [] : [{ field: 'party', title: 'Who' }]),
    { field: feeUnknown === null ? 'fee' : 'feeUnknown', title: 'Fee' },
    { field: 'details', title: 'Details', columns: [what, value] },
    { field: 'times', title: 'Times', columns: [what, { field: 'at', title: 'Time' }] },
    { field: 'references', title: 'References', columns: [what, value] },
    { field: 'check', title: 'How to check it', columns: [{ field: 'says', title: 'Step' }] },
    { field: 'issuer.name', title: 'Issued by' },
    { field: 'issuer.profile', title: 'Profile' },
    { field: 'source', title: 'Read from' },
    ...(asOf === null ? [] : [{ field: 'asOf', title: 'As of' }]),
    { field: 'zone', title: 'Times in' },
  ];
}

const receiptCommand = command({
  words: ['receipt'],
  summary: 'Prove a payout, an onramp or any other movement to a customer',
  details:
    'Reads it from the service now, and prints who, what, when, the references, the transaction hash, the fee, how it stands and how to check it. Takes any of its ids, its bank reference or its transaction hash. Account numbers are masked; names are not, unless you add --mask. Only what the service says has completed is a receipt. Anything else is a status report that says so, and ends with exit code 8 (not final), 3 (failed, or came back), or that of the error that kept it from being read. --html also writes it as one page that prints on A4 and loads nothing.',
  examples: [
    'fiatrail receipt REQUEST_ID',
    'fiatrail receipt REQUEST_ID --html receipt.html',
    'fiatrail receipt REQUEST_ID -o json --query isFinal',
  ],
  endpoints: [],
  prints: receiptSchema,
  parameters: {
    id: argument('id', 'id, bank reference or transaction hash', word, 'Which payment? Its id, reference or hash:'),
    html: option('--html <file>', 'also write it as an HTML page to this file', newFile),
    replace: changing(switchOn('--replace', 'replace the file of --html if it exists')),
  },
  run: async (account, terminal, { id, html, replace }) => {
    const file = pageFileAt(html && absolutePath(html), replace === true, 'receipt.html');
    const { zone } = terminal.globals;
    const { receipt, problem } = await made(account, zone, id);
    if (file && !account.globals.dryRun) {
      const { receiptPage } = await import('../copy/questions/receipt/page.ts');
      const { mask } = account.globals.present;
      const shown = mask ? (mask.value(receipt) as Receipt) : receipt;
      writePage(file, receiptPage(shown, zone), account.world.ids.uuid());
      await account.notices.note(`wrote ${file.path}`);
    }
    const error = errorOf(receipt, problem);
    for (const warning of receipt.warnings) await account.notices.say(`warning: ${warning}`);
    return { result: { data: receipt, columns: columnsOf(receipt) }, ...(error ? { error } : {}) };
  },
});

export const commands = [receiptCommand];
