import { ACCOUNT_TOPICS } from './account.ts';
import { MONEY_TOPICS } from './money.ts';
import { SCRIPT_TOPICS } from './scripts.ts';
import type { Topic } from './topic.ts';

/** The topics, in the order in which they are listed. */
export const TOPICS: readonly Topic[] = [...MONEY_TOPICS, ...ACCOUNT_TOPICS, ...SCRIPT_TOPICS];
