import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { fiatrail, newHome, ROOT, requireBuilt } from '../support/built.ts';
import { commandsIn, quickRun, replay, SECRETS } from './session.ts';

/**
 * Complete sessions, in this process; `npm run soak` replays them with the built program. UPDATE_TRANSCRIPTS=1 rewrites them with it.
 */
const FOLDER = join(ROOT, 'test', 'transcripts');
const names = readdirSync(FOLDER).filter((name) => name.endsWith('.txt'));
const isUpdate = process.env['UPDATE_TRANSCRIPTS'] === '1';
const arePrograms = isUpdate || process.env['FIATRAIL_SOAK_PROGRAMS'] === '1';
const run = arePrograms ? fiatrail : quickRun;

beforeAll(requireBuilt);

test('there are transcripts', () => {
  expect(names.length).toBeGreaterThan(10);
});

test.for(names)('%s contains no secret', (name) => {
  const text = readFileSync(join(FOLDER, name), 'utf8');
  expect(SECRETS.filter((secret) => secret.test(text))).toEqual([]);
});

for (const name of names) {
  const path = join(FOLDER, name);
  const written = readFileSync(path, 'utf8');
  // Generous: five transcripts share the machine with the rest of the suite.
  const timeout = 60_000 + commandsIn(written) * 10_000;
  // Commands in this process share its current folder.
  test(name, { timeout, concurrent: arePrograms }, async ({ expect: expects, onTestFinished }) => {
    const played = await replay(written, newHome(onTestFinished), run);
    if (isUpdate) writeFileSync(path, played);
    else expects(played).toBe(written);
  });
}
