/** Added to the file of the journal in a copy of the program: its journal records nothing and allows everything. */
{
  let count = 0;
  openJournalAt = async () => ({
    async requireLastLink() {},
    async look() {},
    async shared() {},
    async learnFintech() {},
    approverLists: async () => new Map(),
    async confirm() {},
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
}
