import type { Pair, Side } from '../../contract/fx.ts';
import type { Database } from '../../sqlite/database.ts';
import type { Context } from '../context.ts';
import { legsOf } from './order-book.ts';

/** The MPC vault of a fintech, as stored. */
export interface VaultRow {
  readonly id: bigint;
  readonly fintech: bigint;
  readonly vault_id: string;
  readonly api_key_shown: string;
  readonly private_key_shown: string;
  readonly signer_public_key: string;
  readonly notification_emails: string;
  readonly state: 'pending' | 'active' | 'inactive';
  readonly auto_signing: bigint;
  readonly usd_threshold_cents: bigint;
  readonly created_at: bigint;
}

export function vaultOf(store: Database, fintech: bigint): VaultRow | undefined {
  return store.get<VaultRow>('SELECT * FROM fx_vault WHERE fintech = ?', fintech);
}

/** A signer and the stablecoin it signs for. */
interface Signer {
  readonly fintech: bigint;
  readonly tokenBase: bigint;
}

/** The sender of stablecoin signs: the taker, or each maker for its `parts`. Source: public (custody). */
export function signersOf(
  trade: { readonly fintech: bigint; readonly side: Side; readonly pair: Pair; readonly token_base: bigint },
  parts: readonly { readonly maker: bigint; readonly token_base: bigint }[],
): Signer[] {
  if (legsOf(trade.side, trade.pair).gives !== 'CNGN') return [{ fintech: trade.fintech, tokenBase: trade.token_base }];
  const signed = new Map<bigint, bigint>();
  for (const { maker, token_base } of parts) signed.set(maker, (signed.get(maker) ?? 0n) + token_base);
  return [...signed].map(([fintech, tokenBase]) => ({ fintech, tokenBase }));
}

const BASE_PER_CENT = 10_000n;

/** Converts stablecoin base units to US cents at one dollar a token, rounded up. */
function usdCents(tokenBase: bigint): bigint {
  return (tokenBase + BASE_PER_CENT - 1n) / BASE_PER_CENT;
}

/**
 * Returns true if the automatic signer signs: it is enabled and the value does not exceed the threshold. Source:
 * public.
 */
export function signsByItself(store: Database, { fintech, tokenBase }: Signer): boolean {
  const vault = store.get<Pick<VaultRow, 'auto_signing' | 'usd_threshold_cents'>>(
    'SELECT auto_signing, usd_threshold_cents FROM fx_vault WHERE fintech = ?',
    fintech,
  );
  return vault?.auto_signing === 1n && usdCents(tokenBase) <= vault.usd_threshold_cents;
}

/** Counts a signature on its UTC day, as automatic or as a fallback to manual approval. */
export function recordSigning(
  { store, nowMs }: Context,
  { fintech, tokenBase, isAutomatic, tookMs }: Signer & { readonly isAutomatic: boolean; readonly tookMs: number },
): void {
  store.run(
    `INSERT INTO fx_signing_day (fintech, day, signed, usd_cents, fallbacks, total_ms) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET signed = signed + excluded.signed, usd_cents = usd_cents + excluded.usd_cents,
     fallbacks = fallbacks + excluded.fallbacks, total_ms = total_ms + excluded.total_ms`,
    fintech,
    new Date(nowMs).toISOString().slice(0, 10),
    isAutomatic ? 1 : 0,
    isAutomatic ? usdCents(tokenBase) : 0n,
    isAutomatic ? 0 : 1,
    isAutomatic ? tookMs : 0,
  );
}
