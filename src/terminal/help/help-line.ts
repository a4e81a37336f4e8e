import type { World } from '../../base/world.ts';
import type { Format, PresentOptions, Result } from '../../present/result.ts';
import type { Group } from '../command.ts';

/** What `fiatrail help` prints: a text, or a document as the options say. */
export type HelpLine =
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'help'; readonly result: Result; readonly present: PresentOptions };

/** What help is asked about, and how. */
export interface Asked {
  readonly words: readonly string[];
  /** The format that a flag names: what the environment or a profile sets is for the output of commands. */
  readonly format: Format | undefined;
  readonly present: PresentOptions;
  readonly catalogue: readonly Group[];
  readonly world: Pick<World, 'ownFile' | 'stdout'>;
}
