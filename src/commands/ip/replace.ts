import { type Category, CliError, withDetails } from '../../base/errors.ts';
import {
  type AllowlistState,
  type Entry,
  PROPAGATION_MS,
  readAllowlist,
  readEntries,
  verifyAccess,
} from '../../cli/allowlist.ts';
import { command } from '../../cli/command.ts';
import { option, required, switchOn, word } from '../../cli/parameters.ts';
import { outcomeOf, type Session } from '../../cli/session.ts';
import type { Reply } from '../../client/client.ts';
import { fitsShown, holding, type IpRange, rangeText, readShown, shownWhole } from '../../contract/cidr.ts';
import type { ResponseOf } from '../../contract/endpoint.ts';
import { ipAllowlist } from '../../contract/endpoints/allowlist.ts';
import { ipRange } from './address.ts';
import { guardRemoval, type Target } from './guard.ts';
import {
  consequences,
  ENTRY,
  entryLines,
  isSame,
  LIST_CHANGED,
  readTarget,
  requireEntry,
  showAfter,
} from './remove.ts';

type Answered = Reply<ResponseOf<typeof ipAllowlist>>;

/** One entry in the place of another. */
interface Replacement {
  readonly target: Target;
  readonly next: IpRange;
  readonly label: string | undefined;
}

/** How far it has come: what a failure has to tell. */
interface Progress {
  isAsked: boolean;
  added: Answered | undefined;
}

/** Adds the new entry, proves that this machine may still call, and sees that the old one is where it was. */
async function addFirst(
  session: Session,
  { access, entries }: AllowlistState,
  { target, next, label }: Replacement,
  progress: Progress,
): Promise<void> {
  progress.isAsked = true;
  const ipAddress = rangeText(next);
  progress.added = await session.call(ipAllowlist, { action: 'add', ipAddress, description: label });
  const holds = holding(shownWhole(next), access.own);
  if (holds === 'surely' || (holds === 'maybe' && access.isAllowed))
    await verifyAccess(session, PROPAGATION_MS, 'see the address that this machine calls from with: fiatrail ip check');
  const during = await readEntries(session);
  const old = during.filter(({ index }) => target.candidates.some((entry) => entry.index === index));
  const isNew = during.length > entries.length;
  if (!isNew && !target.range && target.candidates.some((entry) => mayBe(entry, next)))
    throw stopped(`${ipAddress} was on the list before and may be that very entry`);
  if (during.length - entries.length > 1 || !isSame(target.candidates, old)) throw stopped(LIST_CHANGED);
}

const stopped = (why: string) => new CliError('failed', why, { code: 'LIST_CHANGED' });

function mayBe({ ip }: Entry, range: IpRange): boolean {
  const shown = readShown(ip);
  return !shown || fitsShown(range, shown);
}

/** Those that say how a change ended; any other would say that nothing was sent. */
const TELLING: readonly Category[] = ['unknown', 'interrupted', 'pending', 'internal'];

/** An error after the first half, with what stands now and how to finish. */
function halfDone(error: unknown, { target, next }: Replacement, { isAsked, added }: Progress): unknown {
  if (!isAsked || !(error instanceof CliError)) return error;
  const isLeftOpen = added !== undefined && error.category === 'unknown';
  const stands = added ? `${rangeText(next)} was added` : `${rangeText(next)} was to be added first`;
  const old = `${target.name} ${isLeftOpen ? 'may have been removed or not' : 'was not removed'}`;
  const finish = target.range
    ? `fiatrail ip remove ${target.name}`
    : 'fiatrail ip remove --index <n>, with the index it has in fiatrail ip list';
  return withDetails(error, {
    category: added && !TELLING.includes(error.category) ? 'failed' : error.category,
    message: `${stands}, and ${old}: ${error.message}`,
    hint: added ? `look with: fiatrail ip list; finish with: ${finish}` : error.hint,
  });
}

const REPLACED = [
  { field: 'ipAddress', title: 'Added' },
  { field: 'removed', title: 'Removed' },
  { field: 'totalIps', title: 'Entries' },
  { field: 'propagationTime', title: 'In force in' },
] as const;

const EXAMPLE = 'fiatrail ip replace 203.0.113.7 --with 198.51.100.0/24 --label office';

export const replaceCommand = command({
  words: ['ip', 'replace'],
  summary: 'Let one address call in the place of another',
  details:
    'The new one is added first; where it may be that of this machine, the old one goes only after a check and a read have passed. What may shut this machine out is refused before anything is added.',
  examples: [EXAMPLE, 'fiatrail ip replace --index 0 --with 198.51.100.7 --yes -o json'],
  endpoints: [ipAllowlist.id],
  parameters: {
    ...ENTRY,
    with: required('--with <address>', 'the new address or range', ipRange, 'New address or range:'),
    label: option('--label <text>', 'a name of your own for the new one', word),
    lockMeOut: switchOn('--lock-me-out', 'replace it even where that shuts this machine out'),
  },
  run: async (session, { with: next, label, lockMeOut, ...input }) => {
    requireEntry(session, input, EXAMPLE);
    if (input.address && rangeText(input.address) === rangeText(next)) {
      throw new CliError('usage', '--with: it is the address that is to be replaced', {
        hint: 'a new label is given with: fiatrail ip add <address> --label <text>',
      });
    }
    const standing = await readAllowlist(session, input.myAddress);
    const replacement = { target: await readTarget(session, standing, input), next, label };
    if (!lockMeOut) guardRemoval(standing, replacement.target, next);
    const { added, reply } = await replace(session, standing, replacement);
    await showAfter(session, standing, Boolean(lockMeOut));
    const data = { ...reply.data, ipAddress: added?.data.ipAddress };
    return outcomeOf(session, ipAllowlist, { ...reply, data }, { columns: REPLACED });
  },
});

/** Both halves, after one confirmation. */
async function replace(session: Session, standing: AllowlistState, replacement: Replacement) {
  const { target, next, label } = replacement;
  const progress: Progress = { isAsked: false, added: undefined };
  const named = `${rangeText(next)}${label === undefined ? '' : ` (${label})`}`;
  if (session.globals.dryRun) await session.note(`before it, ${named} would be added`);
  try {
    const reply = await session.change(
      ipAllowlist,
      { action: 'remove', ...target.request },
      {
        summary: `replacement of ${target.name} by ${rangeText(next)} on the allowlist`,
        lines: [...entryLines(target), ['in its place', named], ...consequences(standing, target, next)],
        before: () => addFirst(session, standing, replacement, progress),
      },
    );
    return { added: progress.added, reply };
  } catch (error) {
    throw halfDone(error, replacement, progress);
  }
}
