import * as z from 'zod/mini';
import type { Approver, OwnApprover } from '../../account/approvers.ts';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { isSignedBy, signText } from '../../crypto/signing.ts';
import type { Head } from '../../journal/entries.ts';

/** Keeps a signature on a checkpoint from being a signature on anything else. */
const PREFIX = 'fiatrail checkpoint signature 1';

/** The last entry of a journal as a file that is stored elsewhere. Whoever has it notices later whether anything before it was changed. */
interface CheckpointFile {
  /** The journal’s id. */
  readonly journal: string;
  readonly entry: number;
  readonly hash: string;
  readonly at: string;
  /** Who stored it, if they have an approver key. */
  readonly approver: string | null;
  readonly publicKey: string | null;
  readonly signature: string | null;
}

type Unsigned = Omit<CheckpointFile, 'signature'>;

const signedText = ({ journal, entry, hash, at, approver, publicKey }: Unsigned) =>
  JSON.stringify([PREFIX, journal, entry, hash, at, approver, publicKey]);

/** Returns a checkpoint to be stored elsewhere, signed if there is a key. */
export async function checkpointFile(
  journal: string,
  { sequence, hash }: Head,
  own: OwnApprover | undefined,
  nowMs: number,
): Promise<CheckpointFile> {
  const at = new Date(nowMs).toISOString();
  const { name: approver = null, publicKey = null } = own ?? {};
  const head = { journal, entry: Number(sequence), hash, at, approver, publicKey };
  return { ...head, signature: own ? await signText(signedText(head), own) : null };
}

const shape = () =>
  z.strictObject({
    journal: z.string().check(z.regex(/^[0-9a-f]{8}$/)),
    entry: z.int().check(z.positive()),
    hash: z.string().check(z.regex(/^[\w-]{43}$/)),
    at: z.string().check(z.maxLength(40)),
    approver: z.nullable(z.string().check(z.maxLength(100))),
    publicKey: z.nullable(z.string().check(z.regex(/^[0-9a-f]{64}$/))),
    signature: z.nullable(z.string().check(z.regex(/^[0-9a-f]{128}$/))),
  });

/** Reads a checkpoint from a file. Throws CliError usage if it is none. */
export function parseCheckpoint(text: string, from: string): CheckpointFile {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  const { data, error } = shape().safeParse(json);
  if (data) return data;
  throw new CliError('usage', `${from} is not a checkpoint (${error?.issues[0]?.path.join('.') || 'JSON'})`, {
    hint: advice`give a file with the output of: [fiatrail ops journal head -o json]`,
  });
}

/**
 * Returns who signed a checkpoint, by the name that the account knows the key under; null if nobody did. Throws CliError declined if the signature
 * does not hold or is of an unknown key: whoever changed the journal could have written the file too.
 */
export async function signerOf(head: CheckpointFile, approvers: readonly Approver[]): Promise<string | null> {
  const { signature, publicKey } = head;
  if (signature === null || publicKey === null) return null;
  const known = approvers.find((each) => each.publicKey === publicKey);
  if (known && (await isSignedBy(signedText(head), signature, publicKey))) return known.name;
  throw new CliError(
    'declined',
    known
      ? `the signature of approver ${known.name} on the checkpoint does not hold`
      : `the checkpoint was signed with an unknown key, ${publicKey}`,
    {
      code: known ? 'BAD_SIGNATURE' : 'APPROVER_UNKNOWN',
      hint: advice`get the checkpoint from where it was stored; see the approvers with: [fiatrail profiles approvers list]`,
    },
  );
}
