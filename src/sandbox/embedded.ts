import type { World } from '../base/world.ts';
import { openService } from '../service/service.ts';
import { createSandbox, type Sandbox } from './app.ts';

/** Opens the sandbox in this process, on its state file. Each request has its own commit. Throws DatabaseError. */
export async function openEmbeddedSandbox(
  path: string,
  { clock, ids }: Pick<World, 'clock' | 'ids'>,
): Promise<Sandbox> {
  return createSandbox(await openService({ path, clock, ids, gather: queueMicrotask }));
}
