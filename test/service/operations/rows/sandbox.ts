import {
  FAULT_KINDS,
  sandboxFaultAdd,
  sandboxFaultClear,
  sandboxFaultList,
  sandboxRestore,
  sandboxSettle,
  sandboxSnapshot,
} from '../../../../src/contract/control.ts';
import { startOnramp } from '../../../../src/contract/endpoints/onramp.ts';
import type { TestSandbox } from '../../../support/sandbox.ts';
import { onboardUser } from '../../steps.ts';
import type { Ask, GroupRows } from './group.ts';

/** Calls the controls that the other groups do not use. */
async function walk(box: TestSandbox, ask: Ask) {
  const { userId } = await onboardUser(box);
  await box.ask(startOnramp, { userId, amount: 1 });
  await ask(sandboxSettle, {});
  for (const kind of FAULT_KINDS) await ask(sandboxFaultAdd, { endpoint: 'transactions.offramp', kind, times: 2 });
  await ask(sandboxFaultList, {});
  await ask(sandboxFaultClear, {});
  const { content } = await ask(sandboxSnapshot, {});
  await ask(sandboxRestore, { content });
}

export const rows: GroupRows = { declared: [], precedence: [], walk, unproduced: {}, unreached: {} };
