/** One place where the contract differs from the witness on purpose. `row` is as a difference names it. */
export interface Deviation {
  readonly endpoint: string;
  readonly row: string;
  readonly reason: string;
}

export const deviations: readonly Deviation[] = [
  {
    endpoint: 'users.onboard-status',
    row: 'errors.BVN_VALIDATION_FAILED',
    reason:
      'Seen by one client, with neither an HTTP status nor a code, so there is no refusal to declare. ' +
      'A failed onboarding is read as status failed, with the details that client saw.',
  },
];
