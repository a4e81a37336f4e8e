import * as z from 'zod/mini';

/** Who decided that a plan is sent: its author, and the operators whose signatures on it hold. */
export interface Authority {
  /** The hash of the plan. */
  readonly plan: string;
  /** As the plan says it; the operator is proven only if it is among the signers. */
  readonly author: { readonly user: string; readonly host: string; readonly operator: string | null };
  readonly signers: readonly {
    readonly name: string;
    readonly role: 'author' | 'signer';
    readonly keyFingerprint: string;
    readonly signedAt: string;
  }[];
}

const schema = () => {
  const text = z.string();
  const role = z.enum(['author', 'signer']);
  return z.strictObject({
    plan: text,
    author: z.strictObject({ user: text, host: text, operator: z.nullable(text) }),
    signers: z.array(z.strictObject({ name: text, role, keyFingerprint: text, signedAt: text })),
  });
};

/** Reads a recorded authority; undefined if it is none. */
export function parseAuthority(json: string): Authority | undefined {
  try {
    return schema().safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}
