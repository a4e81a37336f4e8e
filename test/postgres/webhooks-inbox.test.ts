import { onServer } from './inboxes.ts';

onServer();
await import('../webhooks/inbox.test.ts');
