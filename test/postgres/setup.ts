import { postgresPrograms, prepareCluster } from '../support/postgres.ts';

/** Ends the run with one sentence, and not with one for each file, if there is no PostgreSQL. Makes what all servers start with. */
export default function setup(): () => void {
  try {
    postgresPrograms();
    return prepareCluster();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
