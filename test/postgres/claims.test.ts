import { onServer } from './journals.ts';

onServer();
await import('../journal/claims.test.ts');
