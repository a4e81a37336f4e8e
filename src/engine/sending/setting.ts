import type { Authority, Intent } from '../../journal/intent.ts';
import type { Account } from '../account.ts';
import { planClosed, requireFree } from '../guard.ts';

/** A change of a setting that the journal records. */
interface SettingChange
  extends Pick<Intent, 'account' | 'endpoint' | 'summary' | 'request' | 'input' | 'idempotencyKey'> {
  readonly profile: Intent['profile'];
  readonly mode: Intent['mode'];
  readonly baseUrl: Intent['baseUrl'];
  readonly authority?: Authority | undefined;
  readonly plan?: Intent['plan'];
}

/** Records a change of a setting in the journal, before and after it is made. Throws AlreadyDone if it was made under its idempotency key. */
export async function recordSetting(account: Account, change: SettingChange, make: () => Promise<void>): Promise<void> {
  if (account.globals.agent !== undefined) (await import('./agent.ts')).requireControl(account.globals.agent);
  const journal = await account.journal();
  const operationId = await claimed(account, change);
  try {
    await make();
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    await journal.append(operationId, 'rejected', { detail });
    throw error;
  }
  await journal.append(operationId, 'settled');
}

async function claimed(account: Account, change: SettingChange): Promise<string> {
  const {
    globals,
    command: { line: commandLine },
  } = account;
  const journal = await account.journal();
  const intent = {
    ...change,
    kind: 'destructive',
    effect: 'destructive',
    command: commandLine,
    isSetting: true,
  } as const;
  for (;;) {
    const claim = await journal.claim(intent, globals.timeoutMs);
    if (claim.kind === 'ours') return claim.operationId;
    if (claim.kind === 'plan-closed') throw planClosed('changed', change.plan?.id);
    if (claim.kind === 'over-limit') throw new Error('a change of settings was compared with a limit of amounts');
    await requireFree(account, claim);
  }
}
