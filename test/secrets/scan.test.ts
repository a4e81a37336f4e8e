import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { documentedPlaces, hereOf, placeOf } from '../docs/places.ts';
import {
  fiatrail,
  type Home,
  newHomeWithCache,
  requireBuilt,
  startFiatrail,
  startProgram,
  temporaryFolder,
} from '../support/built.ts';
import * as here from '../support/in-process.ts';
import { fiatrailOnTerminal } from '../support/terminal.ts';
import { PLANTED } from './planted.ts';
import { writePrograms } from './programs.ts';
import { sandboxSecrets } from './sandbox-secrets.ts';
import { filesBelow, leaks, type Place, type Planted } from './search.ts';
import { type EchoService, echoService } from './service.ts';
import { type Stage, type Step, stepsOf } from './steps.ts';

beforeAll(requireBuilt);

/** A home folder, a service that echoes everything, programs that record how they were started, and the user's files. */
async function setStage(): Promise<{ home: Home; service: EchoService; stage: Stage }> {
  const home = newHomeWithCache(onTestFinished);
  mkdirSync(hereOf(home));
  const service = await echoService();
  const own = temporaryFolder(onTestFinished);
  const file = (name: string, content: string) => {
    writeFileSync(join(own, name), content);
    return join(own, name);
  };
  const webhook = { webhookUrl: 'https://example.com/hook', enabled: true, secret: PLANTED.webhookSecret.text };
  const files = {
    signer: file('signer', PLANTED.vaultPrivateKey.text),
    signerPublic: file('signer.pub', 'ssh-ed25519 AAAA ops\n'),
    webhook: file('webhook.json', JSON.stringify(webhook)),
  };
  return {
    home,
    service,
    stage: { baseUrl: service.baseUrl, programs: writePrograms(own, PLANTED.commandKey.text), files },
  };
}

/** One step in this many starts the program, also for what Node prints and for the code that is kept; the others run in this process. */
const PROGRAM_EVERY = 64;

/** Runs a step and returns its output under the name of the step. */
async function play(
  step: Step,
  home: Home,
  service: EchoService,
  isProgram: boolean,
): Promise<{ places: Place[]; wrong: string[] }> {
  if (step.manner) service.manner = step.manner;
  if (step.newKey) service.newKey = PLANTED[step.newKey].text;
  const { stdout, stderr, code } = await (isProgram ? fiatrail : here.fiatrail)(home, step.words, {
    cwd: hereOf(home),
    ...(step.env ? { env: step.env } : {}),
    ...(step.stdin === undefined ? {} : { stdin: step.stdin }),
  });
  const name = `${step.words.slice(0, 4).join(' ')} … ${step.words.slice(-3).join(' ')} (${service.manner})`;
  const shown = (step.shows ?? []).reduce((text, each) => text.replaceAll(PLANTED[each].text, ''), stdout);
  const isWrong = step.exit !== -1 && code !== step.exit;
  return {
    places: [
      { name: `stdout of ${name}`, bytes: Buffer.from(shown) },
      { name: `stderr of ${name}`, bytes: Buffer.from(stderr) },
    ],
    wrong: isWrong ? [`${name}: ${code} in the place of ${step.exit}: ${stderr}`] : [],
  };
}

/** Types keys and BVNs into hidden prompts. */
async function playOnTerminal(home: Home, service: EchoService): Promise<Place[]> {
  service.manner = 'succeeds';
  const typed = await fiatrailOnTerminal(
    home,
    ['profiles', 'add', 'typed', '--base-url', service.baseUrl, '--mode', 'live', '--check', '-v'],
    [{ expect: 'API key:', send: `${PLANTED.fileKey.text}\r` }],
  );
  service.manner = 'refuses';
  const onboarded = await fiatrailOnTerminal(
    home,
    ['users', 'onboard', '--profile', 'typed', '-v', '-y'],
    [{ expect: 'BVN (11 digits):', send: `${PLANTED.bvn.text}\r` }],
  );
  expect({
    typedMissed: typed.missed,
    typedCode: typed.code,
    onboardedMissed: onboarded.missed,
    onboardedCode: onboarded.code,
  }).toEqual({ typedMissed: null, typedCode: 0, onboardedMissed: null, onboardedCode: 3 });
  return [typed, onboarded].map(({ screen }) => ({ name: 'a terminal', bytes: Buffer.from(screen) }));
}

/** Captures the process list, the rotation process's environment and the disk during a key rotation. */
async function playHeld(home: Home, service: EchoService): Promise<Place[]> {
  service.manner = 'holds the new key';
  service.newKey = PLANTED.newKey.text;
  const rotation = startFiatrail(home, ['keys', 'rotate', '-y', '--profile', 'typed', '-v'], {
    cwd: hereOf(home),
    env: { FIATRAIL_API_KEY: PLANTED.environmentKey.text, FIATRAIL_WEBHOOK_SECRET: PLANTED.variableSecret.text },
  });
  await service.held();
  const { stdout } = await startProgram(home, 'ps', ['-A', '-ww', '-o', 'pid=,ppid=,args=']).end;
  const [, rotationProcess] = new RegExp(`^ *(\\d+) +${rotation.pid} .*__rotation$`, 'm').exec(stdout) ?? [];
  const environ = `/proc/${rotationProcess}/environ`;
  const seen = [
    ...filesBelow(home.path),
    { name: 'the list of processes', bytes: Buffer.from(stdout) },
    // The environment can be read only on Linux.
    ...(existsSync('/proc/self')
      ? [{ name: 'the environment of the rotation process', bytes: readFileSync(environ) }]
      : []),
  ];
  service.release();
  const { code, stdout: said, stderr } = await rotation.end;
  expect({ rotationProcess, code }).toEqual({ rotationProcess: expect.any(String), code: 0 });
  return [...seen, { name: 'what a held rotation said', bytes: Buffer.from(said + stderr) }];
}

/** The keys that the program generated; no other file may contain them. */
const privateKeysIn = (files: readonly Place[]): Planted[] =>
  files
    .filter(({ name }) => /\.(encryption-keys|approver-key|recognition-key)$/.test(name))
    .flatMap(({ bytes }) => bytes.toString().trim().split('\n'))
    .map((text) => ({ what: 'a private key that was made', text, kinds: ['private key', 'recognition key'] }));

const SECRETS_OF_SANDBOX: readonly string[] = [PLANTED.webhookSecret.what];

const documented = new Map(documentedPlaces().map(({ place, secrets }) => [place, secrets]));

/** Whether docs/stored-where.md documents that this file contains this secret. */
function mayStand({ what, kinds = [] }: Planted, { name }: Place): boolean {
  const there = documented.get(placeOf(name)) ?? [];
  const isKept = SECRETS_OF_SANDBOX.includes(what) ? ['sandbox secret'] : kinds;
  return isKept.some((kind) => there.includes(kind));
}

test('leaves each secret only where it is documented, after a session of every kind of command', {
  timeout: 900_000,
}, async () => {
  const { home, service, stage } = await setStage();
  const said: Place[] = [];
  const wrong: string[] = [];
  for (const [index, step] of stepsOf(stage).entries()) {
    const played = await play(step, home, service, index % PROGRAM_EVERY === 0);
    said.push(...played.places);
    wrong.push(...played.wrong);
  }
  said.push(...(await playOnTerminal(home, service)), ...(await playHeld(home, service)));
  const files = filesBelow(home.path);
  const planted = [
    ...Object.values(PLANTED),
    ...sandboxSecrets(join(home.stateDir, 'sandbox.db')),
    ...privateKeysIn(files),
  ];
  const places = [...said, ...files, ...stage.programs.notes()];
  expect.soft(wrong).toEqual([]);
  expect(leaks(places, planted, mayStand)).toEqual([]);
  expect(stage.programs.notes().length).toBeGreaterThan(5);
});
