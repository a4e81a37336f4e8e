import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Home, requireBuilt } from '../support/built.ts';
import { accountOf, fiatrail, must, serveSandbox } from '../support/in-process.ts';
import { leftBehind, rotationProcessesGone, secretsFolder, startInGroup } from '../support/rotations.ts';

beforeAll(requireBuilt);

/** Ends the command, but not the process that sends the request, at one of its changes to the files of keys and rotations: before it or after it. */
const KILLER = `
const fs = require('node:fs');
const [at, when] = process.env.KILL_AT.split(' ');
const isCommand = !process.argv.includes('__rotation');
let changes = 0;
for (const name of ['renameSync', 'linkSync', 'rmSync', 'unlinkSync']) {
  const original = fs[name];
  fs[name] = (...given) => {
    const isCounted = isCommand && given.some((each) => /[/](secrets|rotations)[/]/.test(String(each)));
    if (isCounted) changes += 1;
    const die = (now) => isCounted && changes === Number(at) && when === now && process.kill(process.pid, 'SIGKILL');
    die('before');
    const result = original(...given);
    die('after');
    return result;
  };
}
require('node:module').syncBuiltinESMExports();
`;

const IS_LONG = process.env['FIATRAIL_SOAK_KILLS'] !== undefined;
const PROFILES = ['main', 'reports'] as const;
const keysOf = (home: Home) => PROFILES.map((name) => keyIn(join(secretsFolder(home), `${name}.api-key`)));
const keyIn = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').trim() : '');

/** 0: finished. 2: nothing to finish. 5: nothing was sent. */
const AFTER_RESUME = [0, 2, 5];

/** What the next command is: one that finishes a rotation on its way, or the one that is there for it. */
const NEXT = [
  ['status', '--profile', 'reports'],
  ['keys', 'rotate', '--resume'],
] as const;

test('two profiles with one key both have one that works, wherever its rotation is killed', {
  timeout: 600_000,
}, async () => {
  const served = await serveSandbox(onTestFinished);
  const home = await accountOf(served, onTestFinished);
  await must(home, ['profiles', 'add', 'reports', '--base-url', served.url, '--key-stdin', '-q'], keysOf(home)[0]);
  const killer = join(home.path, 'killer.cjs');
  writeFileSync(killer, KILLER);
  const left = new Set<string>();
  let isSent = false;
  for (let at = 1, isOver = false; !isOver; at += 1)
    // Before a change, the files are as they were after the one before it; but the request, or an entry of the journal, may lie between.
    for (const [turn, when] of (IS_LONG || !isSent || at % 2 === 0 ? ['before', 'after'] : ['after']).entries()) {
      const [[old], issued] = [keysOf(home), served.keys().length];
      const env = { ...home.env, NODE_OPTIONS: `--require=${killer}`, KILL_AT: `${at} ${when}` };
      const exit = await startInGroup({ ...home, env }, ['keys', 'rotate', '--yes', '--no-input', '-q']).end;
      await rotationProcessesGone(home);
      // Every change was tried once a rotation has fewer.
      isOver = exit === 0;
      isSent ||= served.keys().length > issued;
      left.add(
        keysOf(home)
          .map((key) => (key === old ? 'old' : 'new'))
          .join(', '),
      );
      const next = NEXT[(at + turn) % NEXT.length] ?? NEXT[0];
      const { code, stderr } = await fiatrail(home, [...next, '-q']);
      expect(next[0] === 'keys' ? AFTER_RESUME : [0], stderr).toContain(code);
      // Both keys work. That of the profile whose rotation it is also finishes one that stored every key, and did not say so.
      for (const name of PROFILES) await must(home, ['status', '--profile', name, '-q']);
      const [one = '', other] = keysOf(home);
      const isLive = served.keys().some(({ key, isLive: live }) => live && key === one);
      expect({ isLive, isShared: one === other, files: leftBehind(home) }, `${at} ${when}, exit ${exit}`).toEqual({
        isLive: true,
        isShared: true,
        files: [],
      });
    }
  expect([...left].toSorted()).toEqual(['new, new', 'new, old', 'old, old']);
});
