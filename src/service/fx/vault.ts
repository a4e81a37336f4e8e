import { Fault } from '../../contract/faults.ts';
import { sameAddress } from '../../contract/networks.ts';
import { type Call, isoTime, type Operations } from '../context.ts';
import { schedule } from '../machine.ts';
import { insert, upsert } from '../rows.ts';
import { IS_OPEN_TRADE } from '../schema/conditions.ts';
import { isTestText } from '../values.ts';
import { smartWallet, vaultWallet, walletAt } from '../wallets/wallets.ts';
import { dollars, requiredVault, vaultOf } from './signing.ts';

/** Masks a secret; only its first four characters are stored. */
function firstOf(secret: string): string {
  return `${secret.slice(0, 4)}********`;
}

/**
 * Returns the wallet for a vault address: the fintech's own, or a new one. Throws VALIDATION_ERROR for another owner's
 * address.
 */
function walletFor(call: Call, field: string, address: string): bigint {
  const known = walletAt(call.store, address);
  if (known && (known.fintech !== call.fintech.id || known.kind !== 'vault'))
    throw new Fault('VALIDATION_ERROR', `${field}: expected an address that does not belong to another wallet`);
  return (
    known?.id ??
    insert(call.store, 'wallet', {
      address: sameAddress(address),
      fintech: call.fintech.id,
      kind: 'vault',
      blockchain: 'base',
      token_buy: 'CNGN',
      created_at: call.nowMs,
    })
  );
}

function tokenWallets({ store, fintech }: Call) {
  return {
    USDT: vaultWallet(store, fintech.id, 'USDT')?.address ?? null,
    USDC: vaultWallet(store, fintech.id, 'USDC')?.address ?? null,
    cNGN: smartWallet(store, fintech.id).address,
  };
}

/**
 * Registering again replaces the vault, which waits for approval again; tokens stay where they are. Source: inferred.
 */
const registerMpc: Operations['fx.register-mpc'] = (call, input) => {
  const { store, nowMs, fintech } = call;
  const open = store.get(
    `SELECT 1 FROM fx_trade WHERE ${IS_OPEN_TRADE}
     AND (fintech = ?1 OR EXISTS (SELECT 1 FROM fx_slice WHERE trade = fx_trade.id AND maker = ?1)) LIMIT 1`,
    fintech.id,
  );
  if (open) throw new Fault('VALIDATION_ERROR', 'the fintech has open trades; try again after they finish');
  const usdc = walletFor(call, 'tokenWallets.USDC', input.tokenWallets.USDC);
  const usdt = walletFor(call, 'tokenWallets.USDT', input.tokenWallets.USDT);
  upsert(
    store,
    'fx_vault',
    { fintech: fintech.id, usd_threshold_cents: FIRST_THRESHOLD_CENTS },
    {
      vault_id: input.vaultId,
      usdc_wallet: usdc,
      usdt_wallet: usdt,
      api_key_shown: firstOf(input.mpcVaultApiKey),
      private_key_shown: firstOf(input.mpcClientSignerPrivateKey),
      signer_public_key: input.callbackClientSignerPublicKey,
      notification_emails: JSON.stringify(input.notificationEmails),
      state: 'pending',
      auto_signing: false,
      created_at: nowMs,
    },
  );
  const vault = requiredVault(call);
  // Drops the pending approval of the replaced vault.
  store.run(`DELETE FROM due WHERE machine = 'vault' AND subject = ?`, vault.id);
  const decision = isTestText('vaultRejected', vault.vault_id) ? 'rejected' : 'approved';
  schedule(call, 'vault', vault.id, decision, call.pace.approveVault);
  return {
    vaultId: vault.vault_id,
    status: vault.state === 'active' ? 'active' : 'pending',
    tokenWallets: tokenWallets(call),
    createdAt: isoTime(vault.created_at),
    note: 'the vault can be used once it is approved',
  };
};

/** $10,000. Source: public (an example). */
const FIRST_THRESHOLD_CENTS = 1_000_000n;

const settings: Operations['fx.settings'] = (call) => {
  const vault = vaultOf(call.store, call.fintech.id);
  const isOn = vault?.auto_signing === 1n;
  return {
    fintechId: call.fintech.fintechId,
    vaultId: vault?.vault_id ?? null,
    mpcVaultApiKey: vault?.api_key_shown ?? null,
    mpcClientSignerPrivateKey: vault?.private_key_shown ?? null,
    callbackClientSignerPublicKey: vault?.signer_public_key ?? null,
    mpcConfigStatus: vault?.state ?? 'inactive',
    autoSigning: {
      available: vault?.state === 'active',
      enabled: isOn,
      threshold: vault ? dollars(vault.usd_threshold_cents) : null,
      vmStatus: isOn ? 'running' : 'stopped',
      vmInstanceName: vault ? `signer-${vault.id}` : null,
      natExternalIp: vault ? SIGNER_ADDRESS : null,
      note: 'trades up to the threshold are signed automatically',
    },
    tokenWallets: vault?.state === 'active' ? tokenWallets(call) : null,
    notificationEmails: vault ? (JSON.parse(vault.notification_emails) as string[]) : [],
  };
};

/** An address reserved for documentation. */
const SIGNER_ADDRESS = '192.0.2.10';

export const fxVaultOperations = {
  'fx.register-mpc': registerMpc,
  'fx.settings': settings,
} satisfies Partial<Operations>;
