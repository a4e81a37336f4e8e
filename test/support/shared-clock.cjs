// Loaded before a program: its clock is ahead of this machine's by the milliseconds in the file of FIATRAIL_TEST_CLOCK, also when they change.
const { readFileSync } = require('node:fs');
const System = Date;
const path = process.env.FIATRAIL_TEST_CLOCK;
const now = () => System.now() + Number(readFileSync(path, 'utf8'));
globalThis.Date = class extends System {
  constructor(...given) {
    super(...(given.length === 0 ? [now()] : given));
  }
  static now() {
    return now();
  }
};
