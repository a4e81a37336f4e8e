import { CliError } from '../../base/errors.ts';
import type { Choice } from '../../base/world.ts';
import type { Session } from '../../cli/session.ts';

type Swap = 'USDC' | 'USDT' | 'off' | undefined;

/** What becomes of the cNGN, as the options of a command say it. */
export interface Route {
  readonly autoSwap?: Swap;
  readonly sweep?: boolean | undefined;
  readonly destination?: string | undefined;
}

export function isSwapped({ autoSwap }: Route): boolean {
  return autoSwap !== undefined && autoSwap !== 'off';
}

/** Throws CliError usage where the options do not go together. */
export function requireRoute(route: Route): void {
  if (!route.destination || (isSwapped(route) && !route.sweep)) return;
  throw new CliError('usage', '--destination needs --auto-swap and goes without --sweep', {
    hint: 'leave --destination out, or change the other two',
  });
}

/** Where the money ends, and as what. */
export function routeForPeople({ autoSwap, sweep, destination }: Route): string {
  const where = sweep ? "the user's default wallet" : (destination ?? 'a new wallet of the user');
  if (autoSwap === undefined) return `${where}, as cNGN or the user's onramp asset`;
  return autoSwap === 'off' ? `${where}, as cNGN` : `${where}, swapped into ${autoSwap}`;
}

/** The four combinations of autoSwap and sweepToOfframp. Source: interface (auto-swap and sweep on /cngnonramp). */
const ROUTES: readonly Choice<{ readonly isSwapped: boolean; readonly sweep: true | undefined }>[] = [
  { name: 'Keep the cNGN in a new wallet of the user', value: { isSwapped: false, sweep: undefined } },
  { name: "Send the cNGN on to the user's default wallet", value: { isSwapped: false, sweep: true } },
  {
    name: 'Swap the cNGN into USDC or USDT, and keep that in the new wallet',
    value: { isSwapped: true, sweep: undefined },
  },
  {
    name: 'Swap the cNGN into USDC or USDT, and send that to the default wallet',
    value: { isSwapped: true, sweep: true },
  },
];

const ASSETS: readonly Choice<'USDC' | 'USDT'>[] = [
  { name: 'USDC', value: 'USDC' },
  { name: 'USDT', value: 'USDT' },
];

/** An address for the swapped asset, and no word of which asset that is. */
const lacksAsset = ({ destination, autoSwap }: Route) => destination !== undefined && autoSwap === undefined;

/** Throws CliError usage where the options can not go together, whatever is answered yet. */
export function requirePossible(given: Route): void {
  requireRoute(lacksAsset(given) ? { ...given, autoSwap: 'USDC' } : given);
}

/** Asks what becomes of the cNGN; options that say so are left as they are. */
export async function askRoute(session: Session, given: Route): Promise<Route> {
  const prompter = await session.world.prompter();
  const askAsset = () => prompter.select('Which asset?', ASSETS);
  if (lacksAsset(given)) return { autoSwap: await askAsset() };
  if (given.sweep !== undefined || given.autoSwap !== undefined) return {};
  const { isSwapped, sweep } = await prompter.select('What becomes of the cNGN?', ROUTES);
  return { sweep, autoSwap: isSwapped ? await askAsset() : 'off' };
}
