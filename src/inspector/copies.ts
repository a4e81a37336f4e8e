import { shellWord } from '../base/shell-word.ts';
import { isJsonObject } from '../money/decimal.ts';

/** Adds commands to what is shown of a row. They are made of what is shown, so nothing is in them that was masked before. */
export function withCopies(list: string, detail: unknown): unknown {
  if (!isJsonObject(detail)) return detail;
  if (list === 'requests') return { ...detail, copies: copiesOf(detail as unknown as Copied) };
  if (list === 'operations') return { ...detail, copies: { fiatrail: `fiatrail ops show ${detail['id']}` } };
  if (list === 'plans') return { ...detail, copies: { fiatrail: `fiatrail plans show ${detail['id']}` } };
  return detail;
}

/** A recorded request, as much of it as its copies need. */
interface Copied {
  readonly method: string;
  readonly path: string;
  readonly effect: string;
  readonly sent: string | null;
}

/**
 * Commands that make a request again. What is hidden in it stays hidden. One that may move money is copied as a dry run only, and never as
 * curl, which would pass by the journal.
 */
function copiesOf({ method, path, effect, sent }: Copied): {
  readonly fiatrail?: string;
  readonly curl?: string;
} {
  const isControl = path.startsWith('/_sandbox');
  const relative = path.replace(/^\/v1/, '');
  if (isControl || sent?.includes('… (cut;') || sent?.startsWith('(')) return {};
  const data = sent ? ` -d ${shellWord(sent)}` : '';
  const isRead = effect === 'read';
  const fiatrail = `fiatrail api ${method} ${shellWord(relative)}${data}${isRead ? '' : ' --dry-run'}`;
  const body = sent ? ` -H 'content-type: application/json' -d ${shellWord(sent)}` : '';
  const url = `"$FIATRAIL_BASE_URL"${shellWord(relative)}`;
  return isRead
    ? { fiatrail, curl: `curl -X ${method} -H "x-api-key: $FIATRAIL_API_KEY"${body} ${url}` }
    : { fiatrail };
}
