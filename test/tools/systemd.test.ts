import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { newHome, requireBuilt, SHIM, startProgram } from '../support/built.ts';
import { closedPort } from '../support/loopback.ts';
import { accountEnv, productionFile, sendEvent } from './listener.ts';
import { programOf } from './programs.ts';

const UNIT = 'fiatrail-webhooks.service';
const MCP_UNIT = 'fiatrail-mcp.service';

beforeAll(() => {
  requireBuilt();
  programOf('systemd-analyze', 'systemd');
  programOf('systemd-notify', 'systemd');
  programOf('python3', 'python3');
});

/** The settings of a unit that is shipped; of several with one name, the last. */
const settings = (unit = UNIT) =>
  new Map(
    productionFile(unit)
      .split('\n')
      .flatMap((line) => {
        const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
        return name === undefined || value === undefined ? [] : [[name, value] as const];
      }),
  );

const secondsOf = (name: string) => Number(settings().get(name));

/** Runs systemd-analyze on a unit, with a program that is here, and no user, who is where it is installed. */
function analyzed(name: string, ...argv: readonly string[]) {
  const { path } = newHome(onTestFinished);
  const unit = join(path, name);
  const text = productionFile(name).replace('/usr/bin/fiatrail', process.execPath);
  writeFileSync(unit, argv[0] === 'verify' ? text.replace('User=fiatrail', '') : text);
  return spawnSync(programOf('systemd-analyze', 'systemd'), [...argv, unit], { encoding: 'utf8' });
}

test.each([UNIT, MCP_UNIT])('systemd finds nothing wrong with %s', (name) => {
  const { status, stdout, stderr } = analyzed(name, 'verify', '--man=no', '--recursive-errors=no');
  const about = `${stdout}${stderr}`.split('\n').filter((line) => line.includes(name));
  expect([status, about]).toEqual([0, []]);
});

test('systemd finds little that the server of agents could do to the machine', () => {
  // Of 100; what is left is the network, and other users' processes.
  const { status, stdout } = analyzed(MCP_UNIT, 'security', '--offline=yes', '--threshold=25');
  expect(status, stdout).toBe(0);
});

test('the server of agents has the user and the group that systemd-sysusers creates', () => {
  const all = settings(MCP_UNIT);
  expect(all.get('User')).toBe(settings().get('User'));
  expect(productionFile('fiatrail.sysusers.conf')).toContain(`\ng ${all.get('SupplementaryGroups')} -\n`);
  expect(all.get('ExecStart')).toContain(` --token-group ${all.get('SupplementaryGroups')} `);
  // Whoever has the token can look into its folder; only the user of the server can look into the other one.
  expect(all.get('ExecStart')).toContain(` --token-file /run/${all.get('RuntimeDirectory')}/token `);
  expect([all.get('RuntimeDirectoryMode'), all.get('StateDirectoryMode')]).toEqual(['0755', '0700']);
});

test('started as its unit starts it, the server of agents listens, and ends when it is stopped', async () => {
  const home = newHome(onTestFinished);
  const tokenFile = join(home.path, 'token');
  const [, ...words] = (settings(MCP_UNIT).get('ExecStart') ?? '')
    .replace('127.0.0.1:8765', '127.0.0.1:0')
    .replace('/run/fiatrail-mcp/token', tokenFile)
    .replace('fiatrail-agents', String(process.getgid?.()))
    .replace(' $FIATRAIL_MCP', ' --allow read')
    .split(' ');
  const server = startProgram(home, process.execPath, [SHIM, ...words]);
  const url = await server.firstLine();
  expect((await fetch(url, { method: 'POST' })).status).toBe(401);
  server.kill('SIGTERM');
  expect((await server.end).code).toBe(0);
});

test('the user of the unit is the one that systemd-sysusers creates', () => {
  const [, name, home] = /^u (\S+) - ".+" (\S+)$/m.exec(productionFile('fiatrail.sysusers.conf')) ?? [];
  expect(settings().get('User')).toBe(name);
  expect(`/var/lib/${settings().get('StateDirectory')}`).toBe(home);
});

test('the unit waits longer for its end than the listener lets commands run', () => {
  const [, drain] = /--drain (\d+)s/.exec(settings().get('ExecStart') ?? '') ?? [];
  expect(Number(drain)).toBeGreaterThan(0);
  // After the drain, commands get SIGTERM, and 5 seconds later SIGKILL.
  expect(secondsOf('TimeoutStopSec')).toBeGreaterThan(Number(drain) + 5 + 10);
  expect(secondsOf('TimeoutStartSec')).toBeGreaterThan(60);
});

/** Prints each message that arrives at a socket, as systemd gets them. */
const RECEIVER = `
import os, socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1])
print("bound", flush=True)
while True:
    print(receiver.recv(4096).decode(errors="replace").replace("\\n", " "), flush=True)
`;

test('started as the unit starts it, the listener says that it is ready and alive, and ends what it began when it stops', async () => {
  const home = newHome(onTestFinished);
  const socket = join(home.path, 'notify');
  const systemd = startProgram(home, programOf('python3', 'python3'), ['-c', RECEIVER, socket]);
  expect(await systemd.firstLine()).toBe('bound');
  const [port, log] = [await closedPort(), join(home.path, 'log')];
  writeFileSync(log, '');
  const line = (settings().get('ExecStart') ?? '')
    .replace('--port 4777', `--port ${port}`)
    .replace('--metrics-port 9477', `--metrics-port ${await closedPort()}`)
    .replace(' $FIATRAIL_LISTEN', '');
  const [, ...words] = line.split(' ');
  const handler = `echo begun >> ${log}; sleep 2; echo done >> ${log}`;
  const command = [SHIM, ...words, '--exec', handler];
  const env = { ...accountEnv, NOTIFY_SOCKET: socket, WATCHDOG_USEC: '1000000' };
  const listener = startProgram(home, process.execPath, command, { env });
  const logged = () => spawnSync('cat', [log], { encoding: 'utf8' }).stdout;
  let hasEnded = false;
  void listener.end.then(() => {
    hasEnded = true;
  });
  while (!hasEnded && (await sendEvent(`http://127.0.0.1:${port}/`, 1).catch(() => 0)) !== 200) await sleep(50);
  while (!hasEnded && !logged().includes('begun')) await sleep(20);
  listener.kill('SIGTERM');
  const { code, stderr } = await listener.end;
  systemd.kill('SIGTERM');
  const messages = (await systemd.end).stdout.trim().split('\n');
  expect([code, logged()], stderr).toEqual([0, 'begun\ndone\n']);
  expect(messages).toEqual(expect.arrayContaining(['READY=1', 'WATCHDOG=1', 'STOPPING=1']));
  expect(messages.indexOf('READY=1')).toBeLessThan(messages.indexOf('STOPPING=1'));
  // It answers the watchdog while commands run to their end.
  expect(messages.slice(messages.indexOf('STOPPING=1'))).toContain('WATCHDOG=1');
});
