import type { Agreed } from './change.ts';

/** What was read here for a plan that holds, with the rules that it meets here. */
interface Facts extends Agreed {
  readonly rules: readonly string[];
}

/** Thrown to end the check of a plan where its request would be sent. */
export class Checked extends Error {
  override name = 'Checked';
  readonly facts: Facts;

  constructor(facts: Facts) {
    super('checked');
    this.facts = facts;
  }
}
