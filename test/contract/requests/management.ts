import type { Case } from './case.ts';

export const good: readonly Case[] = [];

export const bad: readonly Case[] = [];
