import { beforeAll, test } from 'vitest';
import { requireBuilt } from '../support/built.ts';
import { CAMPAIGN_MS, FILE_JOURNAL, KILLS, killCampaign } from './kill-campaign.ts';

beforeAll(requireBuilt);

test(`${KILLS} killed commands of each group that moves money move it once`, { timeout: CAMPAIGN_MS }, () =>
  killCampaign(FILE_JOURNAL),
);
