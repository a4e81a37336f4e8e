import { onServer } from './journals.ts';

onServer();
await import('../journal/files.test.ts');
