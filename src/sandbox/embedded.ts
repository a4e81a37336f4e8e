import type { Exchange, World } from '../base/world.ts';
import { isDeliveryDue } from '../service/events/deliveries.ts';
import { openService } from '../service/service.ts';
import { createSandbox, type Sandbox } from './app.ts';
import type { DeliveryOptions } from './deliver.ts';

/** How long a command may go on delivering events when it is done. The next command delivers the rest. */
const DELIVER_MS = 1_000;

/** Opens the sandbox in this process, on its state file. Each request has its own commit. Throws DatabaseError. */
export async function openEmbeddedSandbox(
  path: string,
  { clock, ids, interrupted }: Pick<World, 'clock' | 'ids' | 'interrupted'>,
  /** Delivers webhooks through this. */
  exchange: Exchange,
): Promise<Sandbox> {
  const options: DeliveryOptions = { exchange, allowsLoopback: true };
  const service = await openService({ path, clock, ids, gather: queueMicrotask, allowsLoopback: true });
  // Loaded when there is something to deliver, because few commands have anything.
  const deliverer = async () => (await import('./deliver.ts')).createDeliverer(service, options);
  const sandbox = createSandbox(
    service,
    {},
    {
      deliverDue: async (signal) => (await deliverer()).deliverDue(signal),
      reaches: async (url) => (await deliverer()).reaches(url),
    },
  );
  return {
    ...sandbox,
    close: async () => {
      const isDue = await service.submit('read', isDeliveryDue).catch(() => false);
      // What the command did is done, whatever becomes of its events.
      if (isDue && !interrupted.aborted)
        await (await deliverer())
          .deliverDue(AbortSignal.any([interrupted, AbortSignal.timeout(DELIVER_MS)]))
          .catch(() => {});
      await sandbox.close();
    },
  };
}
