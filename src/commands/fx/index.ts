import type { Command } from '../../terminal/command.ts';
import { commands as book } from './book.ts';
import { commands as orders } from './orders.ts';
import { commands as trades } from './trades.ts';
import { commands as vault } from './vault.ts';

export const commands: readonly Command[] = [...trades, ...book, ...orders, ...vault];
