import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The variable that names the code cache of this run of the suite. */
export const CODE_CACHE = 'FIATRAIL_TEST_CODE_CACHE';

/**
 * One code cache for the homes of a whole run of the suite: without it, the first command in each home compiles the bundle
 * anew, which takes longer than the command. vitest calls this once, before its workers start.
 */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'fiatrail-code-'));
  process.env[CODE_CACHE] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
