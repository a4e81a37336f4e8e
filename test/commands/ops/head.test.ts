import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { TRIGGERS } from '../../../src/journal/sqlite/schema.ts';
import { main } from '../../../src/main.ts';
import { temporaryFolder } from '../../support/built.ts';
import { type FakeWorld, fakeWorld } from '../../support/world.ts';

let world: FakeWorld;
let file: string;

async function run(line: string) {
  const [out, err] = [world.stdout.text().length, world.stderr.text().length];
  const code = await main([...line.split(' '), '-q', '-o', 'json'], world);
  const stdout = world.stdout.text().slice(out);
  return {
    code,
    data: (stdout === '' ? {} : JSON.parse(stdout)) as Record<string, unknown>,
    stderr: world.stderr.text().slice(err),
  };
}

/** Keeps the checkpoint in a file, with something of it changed. */
async function keep(change: object = {}): Promise<Record<string, unknown>> {
  const { data, code } = await run('ops journal head');
  expect(code).toBe(0);
  writeFileSync(file, JSON.stringify({ ...data, ...change }));
  return data;
}

const withdraw = (key: string) =>
  run(
    `fees withdraw --amount 500 --bank-code 000013 --account-number 0123456789 --account-name ADA --yes --once ${key}`,
  );

beforeEach(async () => {
  world = fakeWorld();
  file = join(temporaryFolder(onTestFinished), 'head.json');
  expect((await withdraw('a')).code).toBe(0);
});

describe('a checkpoint that is kept elsewhere', () => {
  test('covers everything before it, as a hash and as a file', async () => {
    const head = await keep();
    expect(head).toMatchObject({ approver: null, publicKey: null, signature: null });
    await withdraw('b');
    for (const given of [file, head['hash']])
      expect(await run(`ops journal verify --checkpoint ${given}`)).toMatchObject({
        code: 0,
        data: { problem: null, signedBy: null },
      });
  });

  test('finds a journal whose whole chain was computed again', async () => {
    await keep();
    const database = new DatabaseSync(join(world.stateDir, 'journal.db'));
    const drops = TRIGGERS.map((each) => `DROP TRIGGER ${each.split(' ')[2]}`);
    const last = '(SELECT max(sequence) FROM entry)';
    database.exec([...drops, `UPDATE entry SET hash = hash || 'x' WHERE sequence = ${last}`, ...TRIGGERS].join('; '));
    database.close();
    const { code, data } = await run(`ops journal verify --checkpoint ${file}`);
    expect([code, JSON.stringify(data['problem'])]).toEqual([3, expect.stringMatching(/changed|head/)]);
  });

  test('says who approved it', async () => {
    expect((await run('profiles approvers add ada --generate --yes')).code).toBe(0);
    const head = await keep();
    expect(head).toMatchObject({ approver: 'ada', signature: expect.stringMatching(/^[0-9a-f]{128}$/) });
    expect(await run(`ops journal verify --checkpoint ${file}`)).toMatchObject({ code: 0, data: { signedBy: 'ada' } });
  });

  test.each([
    ['another hash', { hash: 'A'.repeat(43) }, 'BAD_SIGNATURE'],
    ['another entry', { entry: 1 }, 'BAD_SIGNATURE'],
    ['another time', { at: '2026-01-01T00:00:00.000Z' }, 'BAD_SIGNATURE'],
    ['another name', { approver: 'bayo' }, 'BAD_SIGNATURE'],
    ['an unknown key', { publicKey: 'ab'.repeat(32) }, 'APPROVER_UNKNOWN'],
  ])('is declined if it was changed after it was signed: %s', async (_what, change, code) => {
    await run('profiles approvers add ada --generate --yes');
    await keep(change);
    const found = await run(`ops journal verify --checkpoint ${file}`);
    expect(found.code).toBe(9);
    expect(found.stderr).toContain(code);
  });

  test.each([
    ['not JSON', 'x'],
    ['of another form', '{"hash":"y"}'],
  ])('is rejected with one sentence if it is %s', async (_what, text) => {
    writeFileSync(file, text);
    const { code, stderr } = await run(`ops journal verify --checkpoint ${file}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not a checkpoint')]);
  });

  test('is rejected if it is that of another journal, or no file', async () => {
    await keep({ journal: '00000000', signature: null, publicKey: null, approver: null });
    expect(await run(`ops journal verify --checkpoint ${file}`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('00000000'),
    });
    expect(await run('ops journal verify --checkpoint nothing')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is neither the hash of an entry nor a readable file'),
    });
  });
});

test('the file of a checkpoint says nothing but the checkpoint', async () => {
  await keep();
  const names = Object.keys(JSON.parse(readFileSync(file, 'utf8')) as object);
  expect(names).toEqual(['journal', 'entry', 'hash', 'at', 'approver', 'publicKey', 'signature']);
});
