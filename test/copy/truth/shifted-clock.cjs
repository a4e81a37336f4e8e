// Loaded before a program: its clock is some milliseconds ahead of this machine's, as FIATRAIL_TEST_AHEAD_MS says.
const aheadMs = Number(process.env.FIATRAIL_TEST_AHEAD_MS ?? 0);
const System = Date;
const now = () => System.now() + aheadMs;
globalThis.Date = class extends System {
  constructor(...given) {
    super(...(given.length === 0 ? [now()] : given));
  }
  static now() {
    return now();
  }
};
