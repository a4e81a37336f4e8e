import { type OwnOperator, operatorsOf } from '../account/operators.ts';
import type { Profile } from '../account/profile.ts';
import { CliError } from '../base/errors.ts';
import { isSignedBy, signText } from '../crypto/signing.ts';
import { printable } from '../money/amount.ts';
import type { Plan, Signature } from './plan.ts';

/** Keeps a signature on a plan from being a signature on anything else. */
const SIGNATURE_PREFIX = 'fiatrail plan signature 1';

/** What a signature signs: the plan, and everything the signature says about itself. */
function signedText(hash: string, { role, operator, publicKey, signedAt }: Omit<Signature, 'signature'>): string {
  return JSON.stringify([SIGNATURE_PREFIX, hash, role, operator, publicKey, signedAt]);
}

/** Returns a plan with one more signature. */
export async function withSignature(
  plan: Plan,
  { name, publicKey, privateKey }: OwnOperator,
  role: Signature['role'],
  nowMs: number,
): Promise<Plan> {
  const said = { role, operator: name, publicKey, signedAt: new Date(nowMs).toISOString() };
  const signature = await signText(signedText(plan.hash, said), { privateKey });
  return { ...plan, signatures: [...plan.signatures, { ...said, signature }] };
}

/** A signature that holds, under the name by which this profile knows its key. */
export interface Signed {
  readonly role: Signature['role'];
  readonly operator: string;
  readonly publicKey: string;
  readonly signedAt: string;
}

/** Returns the signatures of a plan. Throws CliError declined for one that does not hold, or whose key the profile does not know. */
export async function signaturesOf({ hash, signatures, content }: Plan, profile: Profile): Promise<readonly Signed[]> {
  const signed: Signed[] = [];
  for (const each of signatures) {
    const { role, publicKey, signedAt, operator: claimed, signature } = each;
    const known = operatorsOf(profile).find((operator) => operator.publicKey === publicKey);
    if (!known)
      throw new CliError(
        'declined',
        `the key ${publicKey} of operator ${printable(claimed)}, who signed the plan, is unknown; nothing was sent`,
        {
          code: 'SIGNER_UNKNOWN',
          hint: `compare the key with theirs, then add it with: fiatrail profiles operators add NAME --public-key KEY`,
        },
      );
    if (!(await isSignedBy(signedText(hash, each), signature, publicKey))) throw badSignature(known.name);
    const isAuthor = publicKey === content.author.operator?.publicKey;
    if ((role === 'author') !== isAuthor) throw badSignature(known.name);
    if (signed.some((other) => other.publicKey === publicKey)) throw badSignature(known.name);
    signed.push({ role, operator: known.name, publicKey, signedAt });
  }
  return signed;
}

function badSignature(name: string): CliError {
  return new CliError('declined', `the signature of operator ${name} on the plan does not hold; nothing was sent`, {
    code: 'BAD_SIGNATURE',
    hint: 'get the plan again from whoever signed it, and have it signed again',
  });
}
