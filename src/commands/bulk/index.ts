import type { Command, Group } from '../../terminal/command.ts';
import { checkCommand } from './check.ts';
import { createCommand } from './create.ts';
import { manageCommands } from './manage.ts';
import { templateCommand } from './template.ts';

export const commandsOf = (catalogue: readonly Group[]): readonly Command[] => [
  templateCommand(catalogue),
  checkCommand(catalogue),
  createCommand(catalogue),
  ...manageCommands(catalogue),
];
