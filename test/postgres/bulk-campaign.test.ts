import { afterAll, beforeAll, test } from 'vitest';
import { bulkCampaign, CAMPAIGN_MS, KILLS, ROWS } from '../bulk/campaign.ts';
import { requireBuilt } from '../support/built.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';

let server: TestServer;
beforeAll(async () => {
  requireBuilt();
  server = await startPostgres();
});
afterAll(() => server?.stop());

test(`${ROWS} rows of files move once, whatever is killed: ${KILLS} kills`, { timeout: CAMPAIGN_MS }, () =>
  bulkCampaign(server),
);
