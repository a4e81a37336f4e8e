import type { Clock, Exchange, World } from '../base/world.ts';
import type { AnswerFormName, EndpointForm } from '../contract/answer-forms.ts';
import { openService, type Service, type ServiceOptions } from '../service/service.ts';
import { changeSettings, type PaceName } from '../service/settings.ts';
import { DatabaseError } from '../sqlite/errors.ts';
import type { AnswerOptions } from './answer.ts';
import { createSandbox, type Sandbox } from './app.ts';
import { createDeliverer, type Deliverer } from './deliver.ts';

/** How a sandbox is opened. */
export interface RunningOptions {
  /** The documented form of the responses; by default as the specification writes them. */
  readonly responses?: AnswerFormName | undefined;
  /** Endpoints that answer in another documented form. */
  readonly endpointForms?: readonly EndpointForm[] | undefined;
  readonly serviceName?: string | undefined;
  readonly path: string;
  readonly pace?: PaceName | undefined;
  readonly rateLimits?: boolean | undefined;
  /** Delivers webhooks through this; without it, none leave. */
  readonly exchange?: Exchange;
  /** Permits webhooks to this machine itself. */
  readonly webhooksToLoopback?: boolean | undefined;
  /** Gets each step of a state machine; what is undone later may be among them. */
  readonly onStep?: ServiceOptions['onStep'];
}

/** Opens a sandbox that stays open: it delivers its events until it is closed. Rejects with DatabaseError. */
export async function openRunning(
  { clock, ids }: Pick<World, 'clock' | 'ids'>,
  options: RunningOptions,
): Promise<Sandbox & { readonly service: Service }> {
  const allowsLoopback = options.webhooksToLoopback ?? false;
  const { path, onStep } = options;
  const service = await openService({ path, clock, ids, gather: setImmediate, allowsLoopback, onStep });
  await applySettings(service, options);
  const deliverer = delivererFor(service, options);
  const sandbox = createSandbox(service, await answerOptions(options), deliverer);
  const stopping = new AbortController();
  const delivering = deliverer && deliverUntil(deliverer, clock, stopping.signal);
  return {
    ...sandbox,
    service,
    close: async () => {
      // Without a reason, Node makes a DOMException, which takes a millisecond of each command.
      stopping.abort(new Error('the sandbox was closed'));
      await delivering;
      await sandbox.close();
    },
  };
}

function delivererFor(service: Service, options: RunningOptions): Deliverer | undefined {
  const { exchange, webhooksToLoopback: allowsLoopback = false, responses, serviceName } = options;
  const isPublicForm = responses !== undefined && responses !== 'interface';
  return exchange && createDeliverer(service, { exchange, allowsLoopback, isPublicForm, serviceName });
}

/** How often the server looks for events to deliver. Looking also runs what has fallen due. */
const LOOK_MS = 100;

/** Delivers events until the server stops. A state file that is busy for a moment is looked at again. */
async function deliverUntil(deliverer: Deliverer, clock: Clock, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    await deliverer.deliverDue(stopping).catch((error: unknown) => {
      if (!(error instanceof DatabaseError)) throw error;
    });
    await clock.sleep(LOOK_MS, stopping).catch(() => {});
  }
}

async function answerOptions(options: RunningOptions): Promise<AnswerOptions> {
  const { responses = 'interface', endpointForms = [], serviceName } = options;
  if (responses === 'interface' && endpointForms.length === 0) return { serviceName };
  const { answerFormsOf } = await import('../contract/answer-forms.ts');
  return { serviceName, forms: answerFormsOf(responses, endpointForms) };
}

async function applySettings(service: Service, { pace, rateLimits }: RunningOptions): Promise<void> {
  await service.submit('write', ({ store }) => {
    changeSettings(store, { ...(pace ? { pace } : {}), ...(rateLimits === undefined ? {} : { rateLimits }) });
  });
}
