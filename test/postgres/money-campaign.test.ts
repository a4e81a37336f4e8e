import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { campaignRun, newCampaignTally } from '../faults/money-campaign.ts';
import { watchProcesses, watchServer } from '../faults/money-death.ts';
import { furnishedSandbox } from '../faults/money-rig.ts';
import { report } from '../faults/money-tally.ts';
import { UNAVOIDABLE } from '../faults/money-verdicts.ts';
import { temporaryFolder } from '../support/built.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';
import { serverJournal } from './rig-journal.ts';

const RUNS = Number(process.env['FIATRAIL_SOAK_CAMPAIGN'] ?? 6);
const IS_LONG = process.env['FIATRAIL_SOAK_CAMPAIGN'] !== undefined;
const SEED = Number(process.env['FIATRAIL_SOAK_SEED'] ?? 1);

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

test(`${RUNS} runs with a wrong clock of the server too move money at most once`, {
  timeout: 120_000 + RUNS * 10_000,
}, async () => {
  watchProcesses(onTestFinished);
  watchServer(onTestFinished);
  const journal = await serverJournal(server.newDatabase(), onTestFinished);
  const furnished = await furnishedSandbox(join(temporaryFolder(onTestFinished), 'sandbox.db'));
  const tally = newCampaignTally();
  for (let seed = SEED; seed < SEED + RUNS; seed++) {
    await journal.clear();
    await campaignRun(seed, { furnished, journal, tally });
  }
  if (IS_LONG) report('Journal in PostgreSQL', tally);
  expect(
    tally.findings.filter(({ kind }) => !UNAVOIDABLE.includes(kind)).map(({ kind, seed }) => `${seed}: ${kind}`),
  ).toEqual([]);
});
