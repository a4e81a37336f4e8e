/** Takes the place of the journal in a copy of the program: it records nothing and allows everything. */
let count = 0;

exports.openJournalAt = async () => ({
  async requireLastLink() {},
  async look() {},
  async shared() {},
  async learnFintech() {},
  isOwner: async () => false,
  aheadMs: () => 0,
  async claim() {
    count += 1;
    return { kind: 'ours', operationId: `00000000-0000-7000-8000-${String(count).padStart(12, '0')}` };
  },
  sent() {},
  async append() {},
  record: async () => 'journal',
  merge: async () => ({ count: 0, warnings: [] }),
  async ended() {},
  isBusy: () => false,
  async close() {},
});
