import { stateDir } from '../../account/paths.ts';
import { listenProblem } from '../../base/listening.ts';
import { hostInUrl } from '../../contract/cidr.ts';
import type { Account } from '../../engine/account.ts';
import { freeBytes } from '../../files/inspect.ts';
import type { Inbox } from '../inbox/inbox.ts';
import type { ForwardTarget } from '../listen/forwarder.ts';
import type { InboxWriter } from '../listen/inbox-writer.ts';
import type { Metrics } from '../listen/metrics.ts';
import { loggedTarget } from './log.ts';
import type { ListenerOptions } from './served.ts';

/** What watches over a listener: its numbers, and where they are served. */
interface Operated {
  /** Undefined if nobody asked for numbers. */
  readonly metrics: Metrics | undefined;
  readonly address: string | undefined;
  close(): Promise<void>;
}

/** Serves the health and the numbers of a listener on a port of its own, if one was given. Rejects with CliError. */
export async function serveHealth(
  { world }: Account,
  { inbox, writer }: { readonly inbox: Inbox; readonly writer: InboxWriter },
  { metricsPort: port, metricsHost: host = '127.0.0.1', allowHost: allowHosts = [] }: ListenerOptions,
  targets: readonly ForwardTarget[],
  stopping: AbortSignal,
): Promise<Operated> {
  if (port === undefined) return { metrics: undefined, address: undefined, close: async () => {} };
  const { createMetrics } = await import('../listen/metrics.ts');
  const { serveOperations } = await import('../listen/operations.ts');
  const { clock, ids } = world;
  const names = new Map(targets.map(({ name }) => [name, loggedTarget(name)]));
  const metrics = createMetrics({ inbox, targets: names, clock });
  const { NOT_STORED } = await import('../listen/server.ts');
  const left = () => (inbox.server === undefined ? freeBytes(stateDir(world)) : undefined);
  const operated = { host, port, allowHosts, inbox, writer, freeBytes: left, bytes: ids.bytes, clock, stopping };
  const served = await serveOperations(operated, metrics).catch((error: unknown) => {
    throw listenProblem(error, host, port);
  });
  const rejected = (kind: string) => {
    metrics.rejected(kind);
    if (kind === NOT_STORED) served.notStored();
  };
  return {
    metrics: { ...metrics, rejected },
    address: `http://${hostInUrl(host)}:${served.port}`,
    close: served.close,
  };
}
