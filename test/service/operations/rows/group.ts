import type { Endpoint, RequestOf, ResponseOf } from '../../../../src/contract/endpoint.ts';
import type { FaultName } from '../../../../src/contract/faults.ts';
import type { Reply, TestSandbox } from '../../../support/sandbox.ts';

/** Something done to a new sandbox; its last reply is looked at. */
export type Act = (box: TestSandbox) => Promise<Reply>;

/** One refusal that the contract declares, by its endpoint and condition, and an input that produces it. */
export type Declared = readonly [endpoint: string, when: string, fault: FaultName, act: Act];

/** A request with more than one thing wrong, and what is said first. */
export type Precedence = readonly [what: string, act: Act, fault: FaultName, said: RegExp];

/** A call through the client whose answer is kept, to be compared with the contract. With the seeded key, or another one. */
export type Ask = <E extends Endpoint>(endpoint: E, input: RequestOf<E>, apiKey?: string) => Promise<ResponseOf<E>>;

/** What one group of endpoints adds to the tests that go over all of them. */
export interface GroupRows {
  readonly declared: readonly Declared[];
  readonly precedence: readonly Precedence[];
  /** Calls every endpoint of the group, in a sandbox of its own, until every row and state of its answers was seen. */
  readonly walk: (box: TestSandbox, ask: Ask) => Promise<void>;
  /** Rows of answers that no input makes the sandbox fill, and why. A row that is filled after all fails the test. */
  readonly unproduced: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** By endpoint and row, the states that the sandbox never reaches. */
  readonly unreached: Readonly<Record<string, readonly string[]>>;
}
