import { CliError } from '../../base/errors.ts';
import { command } from '../../cli/command.ts';
import {
  argument,
  id,
  onOrOff,
  option,
  percent,
  required,
  someArguments,
  switchOn,
  ticker,
  word,
} from '../../cli/parameters.ts';
import { outcomeOf } from '../../cli/session.ts';
import { setStatus, updateOnrampAsset } from '../../contract/endpoints/user-settings.ts';
import { migrateUserWallets } from '../../contract/endpoints/wallet-migration.ts';
import { percentText } from '../../money/rates.ts';

const userId = argument('user-id', 'as printed by users list', id, 'User id:');

const activateCommand = command({
  words: ['users', 'activate'],
  summary: 'Let a user transact and receive deposits again',
  examples: ['fiatrail users activate 4f1c…', 'fiatrail users activate 4f1c… -o json --query changedAt'],
  endpoints: [setStatus.id],
  parameters: { userId },
  run: async (session, { userId }) =>
    outcomeOf(session, setStatus, await session.call(setStatus, { userId, active: true })),
});

const deactivateCommand = command({
  words: ['users', 'deactivate'],
  summary: 'Stop a user: no transactions and no deposits until they are activated again',
  examples: [
    'fiatrail users deactivate 4f1c… --reason "asked by compliance, case 118"',
    'fiatrail users deactivate 4f1c… --reason "lost phone" -o json --query active',
  ],
  endpoints: [setStatus.id],
  parameters: { userId, reason: required('--reason <text>', 'kept for the audit', word, 'Reason, for the audit:') },
  run: async (session, { userId, reason }) =>
    outcomeOf(session, setStatus, await session.call(setStatus, { userId, active: false, reason })),
});

const MIGRATED = [
  { field: 'userId', title: 'User' },
  { field: 'status', title: 'Outcome' },
  { field: 'walletAddress', title: 'Wallet' },
  { field: 'reason', title: 'Reason' },
] as const;

const migrateCommand = command({
  words: ['users', 'migrate-wallets'],
  summary: 'Make the wallets of users who lack some',
  details:
    'For users from before wallets were made by themselves. It may issue new addresses, and nothing moves what the old ones hold.',
  examples: [
    'fiatrail users migrate-wallets 4f1c… 90ab…',
    'fiatrail users migrate-wallets 4f1c… --force -o json --query failed',
  ],
  endpoints: [migrateUserWallets.id],
  parameters: {
    userIds: someArguments('user-id', 'one or more, as printed by users list', id, 'User id:'),
    force: switchOn('--force', 'also replace wallets that are there'),
  },
  run: async (session, { userIds, force }) => {
    const reply = await session.call(migrateUserWallets, { userId: [...userIds], force: force || undefined });
    const { created = 0, migrated = 0, skipped = 0, failed = 0 } = reply.data;
    await session.note(`${created} created, ${migrated} migrated, ${skipped} skipped, ${failed} failed`);
    const outcome = await outcomeOf(session, migrateUserWallets, reply, { columns: MIGRATED });
    if (!failed) return outcome;
    const hint = 'the reason of each is in the table; the others are done';
    return { ...outcome, error: new CliError('failed', `${failed} of ${userIds.length} users failed`, { hint }) };
  },
});

const onrampAssetCommand = command({
  words: ['users', 'onramp-asset'],
  summary: "Set which asset a user's onramps end in",
  details: 'It holds for onramps to come; an onramp that says --auto-swap itself goes by what it says.',
  examples: [
    'fiatrail users onramp-asset 4f1c… --asset USDC --auto-swap on --slippage 0.5%',
    'fiatrail users onramp-asset 4f1c… --asset CNGN --auto-swap off -o json',
  ],
  endpoints: [updateOnrampAsset.id],
  parameters: {
    userId,
    asset: required('--asset <ticker>', 'CNGN, USDC or USDT', ticker, 'Asset (CNGN, USDC or USDT):'),
    autoSwap: option('--auto-swap <on|off>', 'swap into it when an onramp does not say', onOrOff),
    slippage: option('--slippage <percent>', 'the most a swap may lose on its rate, such as 0.5%', percent),
  },
  run: async (session, { userId, asset, autoSwap, slippage }) => {
    if (asset === 'CNGN' && autoSwap) {
      throw new CliError('usage', '--auto-swap on needs another --asset than CNGN, which is what an onramp brings', {
        hint: 'write --asset USDC or --asset USDT, or --auto-swap off',
      });
    }
    const slippageTolerance = slippage === undefined ? undefined : percentText(slippage);
    const isPlain = autoSwap === undefined && slippageTolerance === undefined;
    const reply = await session.call(updateOnrampAsset, {
      userId,
      preferredAsset: asset,
      preferences: isPlain ? undefined : { autoSwap, slippageTolerance },
    });
    return outcomeOf(session, updateOnrampAsset, reply);
  },
});

export const manageCommands = [activateCommand, deactivateCommand, migrateCommand, onrampAssetCommand];
