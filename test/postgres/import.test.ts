import { onServer } from './journals.ts';

onServer();
await import('../journal/import.test.ts');
