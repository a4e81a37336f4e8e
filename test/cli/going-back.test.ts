import { expect, test } from 'vitest';
import type { Account } from '../../src/engine/account.ts';
import { goingBack, type Terminal } from '../../src/terminal/terminal.ts';

/** A terminal whose consent was never opened: only whether one can go back is looked at. */
const TERMINAL = { dialog: { isInteractive: true, globals: {} }, consent: {} } as unknown as Terminal;

test('a consent goes back to the questions until something was sent, and never after', () => {
  const activity: Account['activity'] = {};
  const { dialog } = goingBack(TERMINAL, { activity, profile: {} as Account['profile'] });
  expect(dialog.hasBack?.()).toBe(true);
  activity.changed = 'may-have-changed' as unknown as NonNullable<Account['activity']['changed']>;
  expect(dialog.hasBack?.()).toBe(false);
});
