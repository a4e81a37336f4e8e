import { main } from './main.ts';
import { createSystemWorld } from './system/world.ts';

/** What bin/fiatrail.js calls: one command line to its exit code. */
export function run(argv: readonly string[]): Promise<number> {
  return main(argv, createSystemWorld());
}
