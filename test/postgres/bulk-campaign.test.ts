import { afterAll, beforeAll, test } from 'vitest';
import { bulkCampaign, CAMPAIGN_MS, ROWS, RUNS } from '../bulk/campaign.ts';
import { requireBuilt } from '../support/built.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';

let server: TestServer;
beforeAll(async () => {
  requireBuilt();
  server = await startPostgres();
});
afterAll(() => server?.stop());

test(`${ROWS} rows of files move once, whatever is killed in ${RUNS} runs`, { timeout: CAMPAIGN_MS }, () =>
  bulkCampaign(server),
);
