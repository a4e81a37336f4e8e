import { onServer } from './journals.ts';

onServer();
await import('../journal/journal.test.ts');
