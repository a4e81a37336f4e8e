import { onServer } from './journals.ts';

onServer();
await import('../journal/shared.test.ts');
