import { Fault } from '../../contract/faults.ts';
import { type Asset, TOKENS } from '../../money/amount.ts';
import { percentFromText } from '../../money/rates.ts';
import { type Call, isoTime, type Operations, type OperationsOf } from '../context.ts';
import type { PreferenceRow } from '../onramp/operation.ts';
import { insert, update, upsert } from '../rows.ts';
import { type UserRow, userOf } from './operation.ts';

/** When the user's current status was set; verified users start active. */
function changedAt({ store }: Call, user: UserRow): bigint {
  const last = store.get<{ changed_at: bigint }>(
    'SELECT changed_at FROM user_status_change WHERE user = ? ORDER BY id DESC LIMIT 1',
    user.id,
  );
  return last?.changed_at ?? user.verified_at;
}

/** Setting the current status again changes nothing, not even the time of the change. */
const setStatus: Operations['users.set-status'] = (call, { userId, active, reason }) => {
  const { store, nowMs } = call;
  const given = reason?.trim();
  if (!active && !given) throw new Fault('VALIDATION_ERROR', 'reason: expected a value when active is false');
  const user = userOf(call, userId, 'NOT_FOUND');
  if ((user.active === 1n) !== active) {
    update(store, 'user', user.id, { active });
    insert(store, 'user_status_change', { user: user.id, active, reason: given || null, changed_at: nowMs });
  }
  return { userId: user.user_id, active, changedAt: isoTime(changedAt(call, user)) };
};

/** Parses an asset symbol in any case: cNGN is CNGN. Throws VALIDATION_ERROR. */
function assetOf(symbol: string | undefined, field: string): Asset | undefined {
  const asset = TOKENS.find((each) => each === symbol?.toUpperCase());
  if (symbol !== undefined && !asset)
    throw new Fault('VALIDATION_ERROR', `${field}: expected one of ${TOKENS.join(', ')}`);
  return asset;
}

/** Omitted fields stay unchanged, but a new asset resets whether to swap: cNGN is never swapped for itself. */
const updateOnrampAsset: Operations['management.update-onramp-asset'] = (call, request) => {
  const { store, ids, nowMs } = call;
  const { defaultAsset, autoSwap, slippageTolerance } = request.preferences ?? {};
  const preferred = assetOf(request.preferredAsset, 'preferredAsset');
  const wanted = assetOf(defaultAsset, 'preferences.defaultAsset') ?? preferred;
  const user = userOf(call, request.userId, 'NOT_FOUND');
  const before = store.get<PreferenceRow>('SELECT * FROM onramp_preference WHERE user = ?', user.id);
  const asset = wanted ?? before?.asset ?? 'CNGN';
  const isSwapped = wanted ? true : before?.auto_swap === 1n;
  const swaps = asset !== 'CNGN' && (autoSwap ?? isSwapped);
  const slippage = slippageTolerance === undefined ? undefined : percentFromText(slippageTolerance);
  upsert(
    store,
    'onramp_preference',
    { user: user.id },
    { asset, auto_swap: swaps, slippage_millionths: slippage ?? before?.slippage_millionths, updated_at: nowMs },
  );
  return { requestId: ids.uuid(), updatedAt: isoTime(nowMs), autoSwap: swaps };
};

export const userSettingsOperations = {
  'users.set-status': setStatus,
  'management.update-onramp-asset': updateOnrampAsset,
} satisfies OperationsOf<'user-settings'>;
