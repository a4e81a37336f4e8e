import { beforeAll, expect, test } from 'vitest';
import { EVENT_PAYLOADS } from '../../src/contract/event-payloads.ts';
import { EVENTS, eventOf } from '../../src/contract/events.ts';
import { block } from '../docs/handlers.ts';
import { type Home, sharedEnd } from '../support/built.ts';
import { fiatrailJson } from '../support/in-process.ts';
import { CLEAN, DECLARATIONS, NO_DECLARATIONS, newProject, typeCheck } from './projects.ts';

/** The types of `fiatrail/webhooks` in projects of other people, which have its files and nothing else of this one. */

const atEnd = sharedEnd();
let home: Home;

beforeAll(() => {
  home = newProject(atEnd);
});

const HANDLER = `
import type { IncomingMessage } from 'node:http';
import { type EventData, type EventOf, receive, WebhookError } from 'fiatrail/webhooks';

declare function credit(userId: string | undefined, naira: number): void;
const credited = ({ data, userId }: EventOf<'fintech.virtual_account.deposit.received'>): [number, string | undefined] => [data.deposit.amount, userId];

export async function handle(request: IncomingMessage | Request): Promise<unknown> {
  try {
    const { event } = await receive(request, { secret: ['a', 'b'], maxBytes: 1_000, timeoutMs: 1_000 });
    const name: string = event.event;
    // @ts-expect-error: it may be any event
    event.data.depositId;
    if (event.event === 'fintech.virtual_account.deposit.received') return credited(event);
    ${block('ts', 'if (event.event')}
    switch (event.event) {
      case 'swap.failed': {
        // @ts-expect-error: the event has no such field
        event.data.completedAt;
        const code: string = event.data.error.code;
        return code;
      }
      case 'fintech.user.deposit.refunded':
        return event.data satisfies EventData['fintech.user.deposit.funding.refunded'];
      default:
        return [name, event.data];
    }
  } catch (error) {
    const status: number = error instanceof WebhookError ? error.status : 500;
    return status;
  }
}
`;

test.each([
  ['CommonJS and ES modules', ['handler.cts', 'handler.mts'], 'node16', 'node16', NO_DECLARATIONS],
  ['CommonJS and ES modules', ['handler.cts', 'handler.mts'], 'nodenext', 'nodenext', DECLARATIONS],
  ['CommonJS', ['handler.cts'], 'preserve', 'bundler', DECLARATIONS],
  ['CommonJS', ['handler.cts'], 'commonjs', 'bundler', NO_DECLARATIONS],
  ['ES modules', ['handler.mts'], 'esnext', 'bundler', NO_DECLARATIONS],
])('%s get the type of each event (%j, module %s, resolution %s)', async (_what, files, module, resolution, extent) => {
  const handlers = Object.fromEntries(files.map((file) => [file, HANDLER]));
  expect(await typeCheck(home, handlers, '--module', module, '--moduleResolution', resolution, extent)).toEqual(CLEAN);
});

test('the types have every event and every field of the contract, and no other', async () => {
  const names = Object.keys(EVENT_PAYLOADS);
  const others = EVENTS.flatMap(({ otherName }) => otherName ?? []);
  expect(others).not.toEqual([]);
  const samples = await Promise.all(
    EVENTS.map(async ({ name }) => {
      const argv = ['webhooks', 'trigger', name, '--target', 'http://127.0.0.1:1/', '--dry-run'];
      const { body } = (await fiatrailJson(home, argv)) as { body: string };
      return [name, JSON.stringify(JSON.parse(body).data)] as const;
    }),
  );
  const rows = samples.map(([name, data]) => `(${data}) satisfies EventData['${name}'];`);
  const text = (known: readonly string[], more: readonly string[]) => `
    import type { EventData } from 'fiatrail/webhooks';
    type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
    const isSame: Same<keyof EventData, ${known.map((name) => `'${name}'`).join(' | ')}> = true;
    ${more.join('\n')}
    export { isSame };`;
  // A field too many, one too few, and a name too few.
  const broken = rows.map((row) => row.replace(/^\(\{"\w+"/, '({"another"'));
  const files = { 'samples.mts': text([...names, ...others], rows), 'broken.mts': text(names, broken) };
  const { stdout } = await typeCheck(home, files, '--module', 'nodenext', NO_DECLARATIONS);
  expect(stdout.match(/^broken\.mts\(\d+/gm)).toHaveLength(rows.length + 1);
  expect(stdout.match(/\berror TS\d+/g)).toHaveLength(rows.length + 1);
  expect(eventOf(others[0] ?? '')?.name).toBe('fintech.user.deposit.funding.refunded');
});
