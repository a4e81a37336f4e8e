import { eventsCommand } from './events.ts';
import { gapsCommand } from './gaps.ts';
import { inboxCommands } from './inbox.ts';
import { listenCommand } from './listen.ts';
import { openCommand, verifyCommand } from './offline.ts';
import { disableCommand, enableCommand, setCommand, showCommand } from './settings.ts';
import { triggerCommand } from './trigger.ts';

export const commands = [
  showCommand,
  setCommand,
  enableCommand,
  disableCommand,
  eventsCommand,
  listenCommand,
  ...inboxCommands,
  gapsCommand,
  verifyCommand,
  openCommand,
  triggerCommand,
];
