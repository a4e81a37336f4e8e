import type { Clock, HttpResponse } from '../base/world.ts';
import type { Sandbox } from './app.ts';
import type { UnverifiedCaller } from './guard.ts';
import type { ReceivedRequest } from './request-handler.ts';

/** A request that was answered, and how. */
export interface ObservedExchange {
  readonly request: ReceivedRequest;
  readonly caller: UnverifiedCaller;
  /** Undefined if the connection was dropped instead. */
  readonly response: HttpResponse | undefined;
  readonly startMs: number;
  readonly durationMs: number;
}

/** Answers requests as the sandbox does, and tells of each. */
export function observed(
  sandbox: Pick<Sandbox, 'fetch'>,
  observe: (exchange: ObservedExchange) => void,
  clock: Clock,
): Sandbox['fetch'] {
  const steadyMs = () => clock.steadyMs?.() ?? clock.now();
  return async (request, caller) => {
    const [startMs, beganMs] = [clock.now(), steadyMs()];
    const tell = (response: HttpResponse | undefined) =>
      observe({ request, caller, response, startMs, durationMs: steadyMs() - beganMs });
    try {
      const response = await sandbox.fetch(request, caller);
      tell(response);
      return response;
    } catch (error) {
      tell(undefined);
      throw error;
    }
  };
}
