import { CliError } from '../../base/errors.ts';
import type { Choice } from '../../base/world.ts';
import type { Session } from '../../terminal/session.ts';

type Swap = 'USDC' | 'USDT' | 'off' | undefined;

/** The destination of the cNGN, as given by the options. */
export interface Route {
  readonly autoSwap?: Swap;
  readonly sweep?: boolean | undefined;
  readonly destination?: string | undefined;
}

export function isSwapped({ autoSwap }: Route): boolean {
  return autoSwap !== undefined && autoSwap !== 'off';
}

/** Throws CliError usage if the options conflict. */
export function requireRoute(route: Route): void {
  if (!route.destination || (isSwapped(route) && !route.sweep)) return;
  throw new CliError('usage', '--destination requires --auto-swap and cannot be combined with --sweep', {
    hint: 'omit --destination, or change the other options',
  });
}

/** Describes where the money ends up, and in which asset. */
export function routeForPeople({ autoSwap, sweep, destination }: Route): string {
  const where = sweep ? 'the user’s default wallet' : (destination ?? 'a new wallet of the user');
  if (autoSwap === undefined) return `${where}, as cNGN or the user’s onramp asset`;
  return autoSwap === 'off' ? `${where}, as cNGN` : `${where}, swapped into ${autoSwap}`;
}

/** The four combinations of autoSwap and sweepToOfframp. Source: interface (auto-swap and sweep on /cngnonramp). */
const ROUTES: readonly Choice<{ readonly isSwapped: boolean; readonly sweep: true | undefined }>[] = [
  { name: 'Keep the cNGN in a new wallet of the user', value: { isSwapped: false, sweep: undefined } },
  { name: 'Send the cNGN to the user’s default wallet', value: { isSwapped: false, sweep: true } },
  {
    name: 'Swap the cNGN into USDC or USDT and keep it in the new wallet',
    value: { isSwapped: true, sweep: undefined },
  },
  {
    name: 'Swap the cNGN into USDC or USDT and send it to the default wallet',
    value: { isSwapped: true, sweep: true },
  },
];

const ASSETS: readonly Choice<'USDC' | 'USDT'>[] = [
  { name: 'USDC', value: 'USDC' },
  { name: 'USDT', value: 'USDT' },
];

/** Whether an address for the swapped asset is given, but not the asset. */
const lacksAsset = ({ destination, autoSwap }: Route) => destination !== undefined && autoSwap === undefined;

/** Throws CliError usage if the options conflict, whatever the prompts will add. */
export function requirePossible(given: Route): void {
  requireRoute(lacksAsset(given) ? { ...given, autoSwap: 'USDC' } : given);
}

/** Prompts for the destination of the cNGN, unless the options already set it. */
export async function askRoute(session: Session, given: Route): Promise<Route> {
  const prompter = await session.world.prompter();
  const askAsset = () => prompter.select('Which asset?', ASSETS);
  if (lacksAsset(given)) return { autoSwap: await askAsset() };
  if (given.sweep !== undefined || given.autoSwap !== undefined) return {};
  const { isSwapped, sweep } = await prompter.select('Where should the cNGN go?', ROUTES);
  return { sweep, autoSwap: isSwapped ? await askAsset() : 'off' };
}
