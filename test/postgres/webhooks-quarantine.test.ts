import { onServer } from './inboxes.ts';

onServer();
await import('../webhooks/quarantine.test.ts');
