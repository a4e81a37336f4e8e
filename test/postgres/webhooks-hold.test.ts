import { onServer } from './inboxes.ts';

onServer();
await import('../webhooks/hold.test.ts');
