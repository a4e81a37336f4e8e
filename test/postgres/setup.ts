import { postgresPrograms } from '../support/postgres.ts';

/** Ends the run with one sentence, and not with one for each file, if there is no PostgreSQL. */
export default function setup(): void {
  try {
    postgresPrograms();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
