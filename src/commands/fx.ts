import type { Command } from './command.ts';
import { commands as book } from './fx-book.ts';
import { commands as orders } from './fx-orders.ts';
import { commands as trades } from './fx-trades.ts';
import { commands as vault } from './fx-vault.ts';

export const commands: readonly Command[] = [...trades, ...book, ...orders, ...vault];
