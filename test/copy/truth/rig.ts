import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import { resolveProfile } from '../../../src/account/profile.ts';
import { openProfileInbox } from '../../../src/engine/connection/inbox.ts';
import { createClient } from '../../../src/kits/client.ts';
import { startSandbox } from '../../../src/kits/sandbox.ts';
import { main } from '../../../src/main.ts';
import { control as controlOf } from '../../kits/control.ts';
import { type AtEnd, temporaryFolder } from '../../support/built.ts';
import { testNetwork } from '../../support/loopback.ts';
import { type FakeWorld, fakeHost, fakeWorld } from '../../support/world.ts';
import { deliveryOf, received } from '../../webhooks/support.ts';

/** What a command did. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What makes a machine another one than the first. */
export interface MachineOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly name?: string;
  /** Changes the responses on their way to it, by the path of the request. */
  alter?(path: string, body: string): string;
  /** How far its clock is ahead of the service's. */
  aheadMs?(): number;
}

/** A machine with a local copy of its own. */
export interface Machine {
  readonly world: FakeWorld;
  readonly copyPath: string;
  run(...argv: readonly string[]): Promise<Ran>;
  /** Puts the events into its inbox that the service has sent since it last did, as a listener does. */
  listen(): Promise<void>;
}

/** A sandbox behind a port of this machine, whose clock only the test moves. */
export interface Served {
  readonly url: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  /** Its state, to compare with. */
  readonly path: string;
  now(): number;
  /** Moves the clock, and with it everything that falls due. */
  moveTo(atMs: number): Promise<void>;
  /** Has the sandbox live through a day of its own. */
  simulateDay(input: { readonly seed: number; readonly users: number }): Promise<void>;
  /** Calls an operation over HTTP, as a program would that uses the client. */
  call(operation: string, input?: object): Promise<Readonly<Record<string, unknown>>>;
  control(name: string, input?: object): Promise<Readonly<Record<string, unknown>>>;
  machine(options?: MachineOptions): Machine;
}

export async function served(startMs: number, atEnd: AtEnd = onTestFinished): Promise<Served> {
  const path = join(temporaryFolder(atEnd), 'sandbox.db');
  const sandbox = await startSandbox({ port: 0, state: path, clock: startMs, pace: 'real' });
  atEnd(() => sandbox.close());
  const { url, apiKey, webhookSecret } = sandbox;
  const client = createClient({ baseUrl: url, apiKey });
  let nowMs = startMs;
  const control: Served['control'] = async (name, input) =>
    (await controlOf(sandbox, name, input)) as Readonly<Record<string, unknown>>;
  const clock = { now: () => nowMs, sleep: async () => {} };
  return {
    url,
    apiKey,
    webhookSecret,
    path,
    control,
    now: () => nowMs,
    moveTo: async (atMs) => {
      if (atMs <= nowMs) return;
      await control('advance', { durationMs: atMs - nowMs });
      nowMs = atMs;
    },
    simulateDay: async (input) => {
      const day = await control('simulate', { ...input, days: 1 });
      nowMs = Date.parse(String(day['now']));
    },
    call: async (operation, input = {}) =>
      (await client.call(operation as never, input as never)) as Readonly<Record<string, unknown>>,
    machine: ({ env = {}, name = 'one', alter, aheadMs = () => 0 } = {}) => {
      const network = testNetwork();
      const world = fakeWorld({
        clock: { ...clock, now: () => nowMs + aheadMs() },
        network: async (request, ...more) => {
          const answer = await network(request, ...more);
          return alter ? { ...answer, body: alter(new URL(request.url).pathname, answer.body) } : answer;
        },
        host: fakeHost(100, name),
        env: { FIATRAIL_BASE_URL: url, FIATRAIL_API_KEY: apiKey, ...env },
      });
      let last = 0;
      return {
        world,
        listen: async () => {
          const sent = outboxOf(path, last);
          last = sent.at(-1)?.id ?? last;
          const inbox = await openProfileInbox(world, resolveProfile(undefined, world));
          const times = { sentAtMs: world.clock.now() };
          await inbox.add(
            await Promise.all(sent.map(({ body }) => received(deliveryOf(body, times), world.clock.now()))),
          );
          await inbox.close();
        },
        copyPath: join(env['FIATRAIL_STATE_DIR'] ?? world.stateDir, 'copy-environment.db'),
        run: async (...argv) => {
          const [before, errors] = [world.stdout.text().length, world.stderr.text().length];
          const code = await main([...argv, '-q'], world);
          return { code, stdout: world.stdout.text().slice(before), stderr: world.stderr.text().slice(errors) };
        },
      };
    },
  };
}

/** The events that a sandbox has sent the account after one of them, in the form of interface.md. */
function outboxOf(path: string, after: number) {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database
    .prepare(
      'SELECT id, event, event_id, request_id, user_id, data FROM outbox WHERE fintech = 1 AND id > ? ORDER BY id',
    )
    .all(after);
  database.close();
  return rows.map(({ id, event, event_id: eventId, request_id: requestId, user_id: userId, data }) => ({
    id: Number(id),
    body: { event, eventId, requestId, ...(userId === null ? {} : { userId }), data: JSON.parse(String(data)) },
  }));
}
