import { afterAll, beforeAll, test } from 'vitest';
import {
  CAMPAIGN_MS,
  type CampaignJournal,
  ENTRY_COLUMNS,
  type Entry,
  KILLS,
  killCampaign,
} from '../faults/kill-campaign.ts';
import { requireBuilt } from '../support/built.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';

let server: TestServer;
beforeAll(async () => {
  requireBuilt();
  server = await startPostgres();
});
afterAll(() => server?.stop());

function serverJournal(): CampaignJournal {
  const url = server.newDatabase();
  const sql = `SELECT coalesce(json_agg(entry), '[]') FROM (SELECT ${ENTRY_COLUMNS} FROM fiatrail.operation) entry`;
  return {
    name: 'PostgreSQL',
    env: { FIATRAIL_JOURNAL_URL: url },
    entries: () => JSON.parse(server.sql(url, sql)) as Entry[],
  };
}

test(`${KILLS} killed commands of each group that moves money move it once`, { timeout: CAMPAIGN_MS }, () =>
  killCampaign(serverJournal()),
);
