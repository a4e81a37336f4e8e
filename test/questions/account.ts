import { join } from 'node:path';
import { openInbox } from '../../src/webhooks/inbox/inbox.ts';
import { type AtEnd, type Home, newHome } from '../support/built.ts';
import { clockThatSkips, fiatrail, fiatrailJson, must } from '../support/in-process.ts';
import { fakeHost } from '../support/world.ts';
import { deliveryOf, received } from '../webhooks/support.ts';

/** A payment of ₦5,100 to an onramp, by someone else than the user. */
export const SENDER = 'TUNDE BAKARE';

/**
 * An account of the embedded sandbox with a past, and a copy of it: a payment by someone else, a payout that has ended and one that has not,
 * and an event that waits for its handler.
 */
export async function copiedAccount(atEnd: AtEnd): Promise<Home> {
  const home = newHome(atEnd);
  const run = (...argv: string[]) => must(home, [...argv, '-q']);
  const json = <T>(...argv: string[]) => fiatrailJson<T>(home, [...argv, '-q']);
  await run('sandbox', 'seed', '--users', '12', '--history', '120', '--pace', 'real', '--rate-limits', 'off');
  const { users } = await json<{ users: { userId: string }[] }>('users', 'list', '--limit', '1');
  const userId = users[0]?.userId ?? '';
  const { requestId } = await json<{ requestId: string }>('onramp', 'create', userId, '--amount', '5000', '--yes');
  const { accountNumber } = await json<{ accountNumber: string }>('onramp', 'account', requestId);
  await run('sandbox', 'pay', accountNumber, '--amount', '5100', '--sender', SENDER);
  await run('payout', 'create', '--amount', '1000', '--to', 'default', '--yes');
  await run('sandbox', 'settle');
  await run('payout', 'create', '--amount', '2000', '--to', 'default', '--yes');
  await addEvents(home, userId);
  await run('sync');
  return home;
}

async function addEvents({ stateDir }: Home, userId: string): Promise<void> {
  const inbox = await openInbox(join(stateDir, 'inbox-embedded.db'), { clock: clockThatSkips(), host: fakeHost() });
  await inbox.forwardTo({ targets: ['http://127.0.0.1:9/'] });
  await inbox.add([await received(deliveryOf({ event: 'user.onboarded', data: { userId, bvn: '22345678901' } }))]);
  await inbox.close();
}

/** Runs a query in a home. */
export const ask = (home: Home, sql: string, ...more: readonly string[]) => fiatrail(home, ['sql', sql, ...more]);

/** Returns the rows of a query. */
export async function rowsOf<T = Record<string, unknown>>(home: Home, sql: string): Promise<readonly T[]> {
  return (await fiatrailJson<{ rows: T[] }>(home, ['sql', sql])).rows;
}
