import { CliError } from '../../base/errors.ts';
import { AmountError, type Asset, isAsset, parseAmount, toWireNumber, toWireText } from '../../money/amount.ts';
import type { Service } from '../../service/service.ts';
import type { InspectorSource } from '../source.ts';
import type { AskSandbox } from './ask.ts';
import type { Histories } from './history.ts';
import type { Points } from './points.ts';

type Input = Readonly<Record<string, unknown>>;
type Action = (input: Input) => Promise<Record<string, unknown>>;

interface Controlled {
  readonly service: Service;
  readonly ask: AskSandbox;
  readonly points: Points;
  readonly histories: Histories;
}

/** What the page may do to a sandbox: each is one of its own controls, which checks what it is given. */
export function controlsOf(controlled: Controlled): InspectorSource['actions'] {
  const { points, histories } = controlled;
  // A simulated history is made day by day: whatever else changed the sandbox meanwhile would be in it.
  const alone = (act: Action) => async (input: Input) => {
    if (histories.running())
      throw new CliError('usage', 'a history is being simulated; wait for it to end, or stop it');
    return act(input);
  };
  return {
    ...Object.fromEntries(Object.entries(changesOf(controlled)).map(([name, act]) => [name, alone(act)])),
    forget: async (input) => points.remove(input),
    simulate: (input) => histories.simulate(input),
    'simulate-stop': async () => histories.stop(),
  };
}

/** What changes the sandbox. */
function changesOf({ service, ask, points }: Controlled): Readonly<Record<string, Action>> {
  return {
    advance: (input) => ask('POST', '/_sandbox/advance', input),
    'advance-next': async () => ask('POST', '/_sandbox/advance', { durationMs: await untilNext(service) }),
    settle: () => ask('POST', '/_sandbox/settle', {}),
    pay: async ({ amount, ...input }) =>
      ask('POST', '/_sandbox/pay', { ...input, amount: toWireNumber(typed(amount, 'NGN'), 'naira') }),
    deposit: async ({ amount, asset, ...input }) => {
      const token = typeof asset === 'string' && isAsset(asset) ? asset : 'CNGN';
      return ask('POST', '/_sandbox/deposit', {
        ...{ ...input, asset },
        amount: toWireText(typed(amount, token), 'decimal-string'),
      });
    },
    'fault-add': ({ name, ...input }) =>
      ask('POST', '/_sandbox/faults', { ...input, ...(name === '' || name === undefined ? {} : { name }) }),
    'fault-clear': () => ask('DELETE', '/_sandbox/faults', {}),
    resend: ({ eventId }: Input) =>
      ask('POST', `/_sandbox/events/${encodeURIComponent(typeof eventId === 'string' ? eventId : '')}/resend`, {}),
    snapshot: (input) => points.add(input),
    restore: (input) => points.restore(input),
  };
}

/** An amount as someone typed it. Throws CliError usage. */
function typed(text: unknown, asset: Asset) {
  try {
    return parseAmount(typeof text === 'string' || typeof text === 'number' ? String(text) : '', asset);
  } catch (error) {
    if (error instanceof AmountError) throw new CliError('usage', `amount: ${error.message}`);
    throw error;
  }
}

/** How long it is until something falls due. Rejects with CliError usage if nothing does. */
async function untilNext(service: Service): Promise<number> {
  const due = await service.submit('read', ({ store, nowMs }) => {
    const next = store.get<{ at: bigint | null }>('SELECT min(due_at) AS at FROM due');
    return next?.at === null || next === undefined ? undefined : Number(next.at) - nowMs;
  });
  if (due === undefined) throw new CliError('usage', 'nothing is due, so there is no next event');
  return Math.max(1, due);
}
