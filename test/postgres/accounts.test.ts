import { onServer } from './journals.ts';

onServer();
await import('../journal/accounts.test.ts');
