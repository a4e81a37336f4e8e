import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/built.ts';
import { campaignRun, newCampaignTally } from './money-campaign.ts';
import { watchProcesses } from './money-death.ts';
import { FILE_JOURNAL } from './money-journals.ts';
import { furnishedSandbox } from './money-rig.ts';
import { report } from './money-tally.ts';
import { UNAVOIDABLE } from './money-verdicts.ts';

const RUNS = Number(process.env['FIATRAIL_SOAK_CAMPAIGN'] ?? 3);
const IS_LONG = process.env['FIATRAIL_SOAK_CAMPAIGN'] !== undefined;
/** Seeds whose worlds earlier versions made false claims in. */
const FOUND = [66, 244, 464, 988, 1817];
const SEED = Number(process.env['FIATRAIL_SOAK_SEED'] ?? 1);

test(`${RUNS} runs with wrong clocks, other programs, late rows and old journals move money at most once`, {
  timeout: 120_000 + RUNS * 5_000,
}, async () => {
  watchProcesses(onTestFinished);
  const furnished = await furnishedSandbox(join(temporaryFolder(onTestFinished), 'sandbox.db'));
  const tally = newCampaignTally();
  const seeds = [...Array.from({ length: RUNS }, (_, index) => SEED + index), ...(IS_LONG ? [] : FOUND)];
  for (const seed of seeds) await campaignRun(seed, { furnished, journal: FILE_JOURNAL, tally });
  if (IS_LONG) report('Journal in SQLite', tally);
  expect(
    tally.findings.filter(({ kind }) => !UNAVOIDABLE.includes(kind)).map(({ kind, seed }) => `${seed}: ${kind}`),
  ).toEqual([]);
});
