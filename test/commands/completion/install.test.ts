import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { main } from '../../../src/main.ts';
import { type FakeWorld, fakeWorld } from '../../support/world.ts';

async function run(world: FakeWorld, ...argv: readonly string[]) {
  const [out, err] = [world.stdout.text().length, world.stderr.text().length];
  const code = await main(['completion', ...argv], world);
  return { code, stdout: world.stdout.text().slice(out), stderr: world.stderr.text().slice(err) };
}

const SHELLS: readonly (readonly [shell: string, path: string])[] = [
  ['bash', '.local/share/bash-completion/completions/fiatrail'],
  ['zsh', '.local/share/zsh/site-functions/_fiatrail'],
  ['fish', '.config/fish/completions/fiatrail.fish'],
];

test.each(SHELLS)('the script for %s is installed where it looks, twice, and removed', async (shell, path) => {
  const world = fakeWorld({ env: { SHELL: `/usr/bin/${shell}` } });
  const file = join(world.homeDir, path);
  for (const more of [[], [shell]]) {
    const { code, stdout } = await run(world, 'install', ...more, '-o', 'json');
    expect({ code, data: JSON.parse(stdout) }).toMatchObject({ code: 0, data: { shell, file, installed: true } });
  }
  expect(readFileSync(file, 'utf8')).toBe((await run(world, shell)).stdout);
  expect((await run(world, 'uninstall')).code).toBe(0);
  expect(existsSync(file)).toBe(false);
  expect((await run(world, 'uninstall')).code).toBe(9);
});

test('for bash, a line in ~/.bashrc loads it once, and nothing else there changes', async () => {
  const world = fakeWorld();
  const own = join(world.homeDir, 'dotfiles-bashrc');
  // Bytes that are no UTF-8, and no line break at the end.
  const before = Buffer.from([...Buffer.from('alias ll="ls -l"\n# caf'), 0xe9]);
  writeFileSync(own, before, { mode: 0o640 });
  symlinkSync(own, join(world.homeDir, '.bashrc'));
  for (const _ of [1, 2]) await run(world, 'install', 'bash');
  const file = join(world.homeDir, '.local/share/bash-completion/completions/fiatrail');
  const line = `[ -r '${file}' ] && . '${file}' # fiatrail completion\n`;
  expect(readFileSync(own)).toEqual(Buffer.concat([before, Buffer.from(`\n${line}`)]));
  expect(statSync(own).mode & 0o777).toBe(0o640);
  await run(world, 'uninstall', 'bash');
  expect(readFileSync(own)).toEqual(Buffer.concat([before, Buffer.from('\n')]));
  expect(lstatSync(join(world.homeDir, '.bashrc')).isSymbolicLink()).toBe(true);
});

test('XDG folders are respected', async () => {
  const world = fakeWorld();
  const folder = join(world.homeDir, 'data');
  const env = { ...world.env, XDG_DATA_HOME: folder };
  expect(await main(['completion', 'install', 'zsh', '-q'], { ...world, env })).toBe(0);
  expect(existsSync(join(folder, 'zsh', 'site-functions', '_fiatrail'))).toBe(true);
});

test('a file of someone else is neither replaced nor removed', async () => {
  const world = fakeWorld();
  const file = join(world.homeDir, '.config/fish/completions/fiatrail.fish');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, 'complete -c fiatrail -a mine');
  for (const word of ['install', 'uninstall']) {
    const { code, stderr } = await run(world, word, 'fish');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('was not written by fiatrail') });
  }
  expect(readFileSync(file, 'utf8')).toBe('complete -c fiatrail -a mine');
});

test.each([
  [{}, 'SHELL does not name bash, zsh or fish'],
  [{ SHELL: '/bin/tcsh' }, 'SHELL does not name bash, zsh or fish'],
])('without a known shell (%j), one has to be named', async (env, message) => {
  const { code, stderr } = await run(fakeWorld({ env }), 'install');
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
});

test('a folder that cannot be written is one sentence', async () => {
  const world = fakeWorld({ env: { XDG_CONFIG_HOME: '/proc/nowhere' } });
  const { code, stderr } = await run(world, 'install', 'fish');
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^error: .*cannot be written/) });
});
