import { DatabaseSync } from 'node:sqlite';

/** A statement that reads every row of a table, or of an index of it. */
export interface Scan {
  readonly table: string;
  readonly sql: string;
}

const EXPLAINED = /^\s*(?:SELECT|UPDATE|DELETE|WITH|INSERT)\b/i;

/**
 * Asks SQLite how it runs every statement that is prepared from now on. Returns a function that ends this, and returns those that scan a table.
 * A scan in the order of an index that ends with the first rows (`LIMIT`) is none.
 */
export function watchQueryPlans(): () => readonly Scan[] {
  const prepare = DatabaseSync.prototype.prepare;
  const seen = new Set<string>();
  const scans: Scan[] = [];
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql: string) {
    const statement = prepare.call(this, sql);
    if (EXPLAINED.test(sql) && !seen.has(sql)) {
      seen.add(sql);
      const plan = (prepare.call(this, `EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]).map(
        ({ detail }) => detail,
      );
      // In the order of an index or of the rows, it ends with the first ones.
      const isFirstRows = /\bLIMIT\b/.test(sql) && !plan.some((step) => step.includes('TEMP B-TREE'));
      for (const step of plan) {
        const [, table, using = ''] = /^SCAN (\w+)(.*)$/.exec(step) ?? [];
        const isOrdered = using.includes('INDEX') || /ORDER BY (?:id|sequence)\b/.test(sql);
        if (table !== undefined && table !== 'CONSTANT' && !(isFirstRows && isOrdered))
          scans.push({ table, sql: sql.replace(/\s+/g, ' ') });
      }
    }
    return statement;
  };
  return () => {
    DatabaseSync.prototype.prepare = prepare;
    return scans;
  };
}
