import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { dirname, join } from 'node:path';
import { inTurn, outputOf, timeMs } from './measure.ts';
import type { Figure, Row, Target } from './report.ts';
import { SCENARIOS, type Send, userOf } from './scenarios.ts';
import { ratios } from './statistics.ts';
import type { Command, Served, Workshop } from './workshop.ts';

const FEW = { users: 100, history: 1_000 };

/** How often a scenario runs in a row, and what a large sandbox has. */
export interface ServerSize {
  readonly rounds: number;
  readonly scenarios: number;
  readonly manyUsers: number;
  readonly deposits: number;
}

/** Returns the CPU milliseconds of a process so far, of all its threads. */
export function cpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const ns = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return ns.reduce((sum, each) => sum + each, 0) / 1e6;
}

/** Sends requests over one connection. */
function senderTo({ url, apiKey }: Served): Send {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { origin } = new URL(url);
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const text = body && JSON.stringify(body);
      const headers = {
        'x-api-key': apiKey,
        ...(text ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) } : {}),
      };
      request(origin + path, { method, agent, headers }, (answer) => {
        let read = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          read += chunk;
        });
        answer.on('end', () => {
          if (answer.statusCode !== 200) reject(new Error(`${method} ${path}: ${answer.statusCode} ${read}`));
          else resolve((JSON.parse(read) as { data: Awaited<ReturnType<Send>> }).data);
        });
      })
        .on('error', reject)
        .end(text);
    });
}

/** A server that can run scenarios, and how it takes their requests. */
interface Subject {
  readonly served: Served;
  readonly user: string;
  /** `name` is that of the scenario. */
  sendIn(name: string): Send;
}

async function sandboxAt(served: Served): Promise<Subject> {
  const send = senderTo(served);
  return { served, user: await userOf(send), sendIn: () => send };
}

function bareAt(served: Served): Subject {
  const send = senderTo(served);
  return {
    served,
    user: '',
    sendIn: (name) => {
      let step = 0;
      return (method, _path, body) => {
        step += 1;
        return send(method, `/${name.replaceAll(' ', '-')}/${step - 1}`, body);
      };
    },
  };
}

/** Seeds a sandbox whose order book can fill the trades, and returns its file and how to serve it. */
function seeded(shop: Workshop, { users, history }: typeof FEW): { readonly file: string; readonly serve: Command } {
  const state = `server-${users}`;
  const seed = ['sandbox', 'seed', '--users', String(users), '--history', String(history), '--pace', 'instant'];
  timeMs(shop.fiatrail(state, [...seed, '--rate-limits', 'off']));
  const serve = shop.fiatrail(state, ['sandbox', 'serve', '--port', '0', '-o', 'json']);
  const file = join(serve.env['FIATRAIL_STATE_DIR'] ?? '', 'sandbox.db');
  timeMs(shop.node([join(import.meta.dirname, 'fill-book.ts'), file, '10']));
  return { file, serve };
}

/** Records what the sandbox writes, and returns the command of a bare server that writes the same. */
function bareServer(shop: Workshop, file: string): Command {
  const beside = (name: string) => join(dirname(file), name);
  copyFileSync(file, beside('recording.db'));
  const record = [join(import.meta.dirname, 'record-writes.ts'), beside('recording.db'), beside('bare.db')];
  writeFileSync(beside('recorded.json'), outputOf(shop.node(record)));
  return shop.node([join(import.meta.dirname, 'bare-writes.ts'), beside('bare.db'), beside('recorded.json')]);
}

/**
 * Measures the CPU time of the server for what an account does, against a bare server that writes the same rows in as many commits, and against
 * itself with many users and deposits.
 */
export async function measureServerTime(shop: Workshop, size: ServerSize): Promise<Row[]> {
  if (!existsSync('/proc/self/schedstat'))
    return [{ name: 'CPU time of sandbox serve', why: 'no /proc/PID/schedstat' }];
  const small = seeded(shop, FEW);
  const large = seeded(shop, { users: size.manyUsers, history: size.deposits });
  const subjects = {
    bare: bareAt(await shop.serve(bareServer(shop, small.file))),
    sandbox: await sandboxAt(await shop.serve(small.serve)),
    large: await sandboxAt(await shop.serve(large.serve)),
  };
  const rows: Row[] = [];
  let number = 0;
  for (const [name, run] of Object.entries(SCENARIOS)) {
    const times = await inTurn(subjects, size.rounds, async ({ served, user, sendIn }) => {
      const before = cpuMs(served.pid);
      for (let left = size.scenarios; left > 0; left--) {
        number += 1;
        await run(sendIn(name), user, number);
      }
      return (cpuMs(served.pid) - before) / size.scenarios;
    });
    const row = (what: string, values: readonly number[], against: string, beside: readonly number[], target: Target) =>
      rows.push({
        name: `CPU time of sandbox serve for ${name}${what}`,
        unit: 'ms',
        values,
        against,
        beside,
        target,
        ratios: ratios(values, beside),
        note: `${size.rounds} rounds of ${size.scenarios}, one request after the other.`,
      } satisfies Figure);
    const count = (many: number) => many.toLocaleString('en');
    row('', times.sandbox, 'bare Hono server, same rows and commits', times.bare, { is: 'at most', ratio: 1.3 });
    const many = `, ${count(size.deposits)} transactions and ${count(size.manyUsers)} users`;
    row(many, times.large, `${FEW.users} users`, times.sandbox, { is: 'at most', ratio: 1.2 });
  }
  await Promise.all(Object.values(subjects).map(({ served }) => shop.stop(served)));
  return rows;
}
