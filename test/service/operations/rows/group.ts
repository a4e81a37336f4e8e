import type { Endpoint, RequestOf, ResponseOf } from '../../../../src/contract/endpoint.ts';
import type { FaultName } from '../../../../src/contract/faults.ts';
import type { Reply, TestSandbox } from '../../../support/sandbox.ts';

/** An action in a new sandbox; the test checks its last reply. */
export type Act = (box: TestSandbox) => Promise<Reply>;

/** A refusal declared in the contract, by endpoint and condition, with an input that produces it. */
export type Declared = readonly [endpoint: string, when: string, fault: FaultName, act: Act];

/** A request with more than one problem, and the one reported first. */
export type Precedence = readonly [what: string, act: Act, fault: FaultName, detail: RegExp];

/** A call whose response is recorded for comparison with the contract, with the seeded API key or another. */
export type Ask = <E extends Endpoint>(endpoint: E, input: RequestOf<E>, apiKey?: string) => Promise<ResponseOf<E>>;

/** The cases of one endpoint group for the tests that cover all endpoints. */
export interface GroupRows {
  readonly declared: readonly Declared[];
  readonly precedence: readonly Precedence[];
  /** Calls every endpoint of the group in a new sandbox until every row and state of its responses was seen. */
  readonly walk: (box: TestSandbox, ask: Ask) => Promise<void>;
  /** Response rows that no input fills, and why. The test fails if one is filled after all. */
  readonly unproduced: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** By endpoint and row, the states that the sandbox never reaches. */
  readonly unreached: Readonly<Record<string, readonly string[]>>;
}
