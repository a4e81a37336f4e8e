import { onServer } from './journals.ts';

onServer();
await import('../journal/spending.test.ts');
