import type { World } from '../../base/world.ts';

/** Whether a person types and reads: nothing is piped, and it is no build. A cron job has no terminal at all. */
export function isAtTerminal({
  env,
  stdin,
  stdout,
  stderr,
}: Pick<World, 'env' | 'stdin' | 'stdout' | 'stderr'>): boolean {
  return stdin.isTerminal && stdout.isTerminal && stderr.isTerminal && !env['CI'];
}
