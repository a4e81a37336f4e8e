import type { GroupRows } from './group.ts';

export const rows: GroupRows = {
  declared: [],
  precedence: [],
  walk: async () => {},
  unproduced: {},
  unreached: {},
};
