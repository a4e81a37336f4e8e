import { main } from './main.ts';
import { createSystemWorld } from './system/world.ts';

/** Runs a command line in the real World and returns its exit code. Called by bin/fiatrail.js. */
export function run(argv: readonly string[]): Promise<number> {
  return main(argv, createSystemWorld());
}
