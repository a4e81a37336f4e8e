/** What was done to end a doubt, as the operation's `result` has it until there is one. */
export interface Looks {
  /** When a complete read of the service's list first did not have it, in milliseconds since the epoch by the service's time. */
  readonly unseenSinceMs?: number;
  /** When it was sent again under its idempotency key, by the journal's time. */
  readonly repeatedAtMs?: number;
}
