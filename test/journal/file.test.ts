import { readFileSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { prepared, testJournal } from '../support/journal-intent.ts';
import { temporaryFolder } from '../support/sandbox.ts';

describe('the journal file', () => {
  test('is readable by its owner only', async () => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    const journal = await testJournal({ path });
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
    journal.close();
  });

  test('stores the request as given, because redaction is the caller’s job', async () => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    const journal = await testJournal({ path });
    await prepared(journal, { request: '{"bvn":"[redacted]"}' });
    await prepared(journal, { request: '{"bvn":"98765432109"}' });
    journal.close();
    const bytes = readFileSync(path).toString('latin1');
    expect(bytes).toContain('[redacted]');
    expect(bytes).toContain('98765432109');
  });
});
