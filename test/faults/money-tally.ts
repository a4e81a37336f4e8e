import { writeFileSync } from 'node:fs';
import type { CampaignTally, Finding } from './money-campaign.ts';

/** Seeds that are named of each kind of finding. */
const NAMED = 4;

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1);

const counts = (title: string, map: ReadonlyMap<string, number>) => [
  '',
  `## ${title}`,
  '',
  '| count | what |',
  '|---:|---|',
  ...[...map].sort(byName).map(([what, times]) => `| ${times} | ${what} |`),
];

/** What a campaign found, as Markdown: what was claimed and is not true, by the choices of the runs and with seeds that repeat it. */
function tallied(name: string, tally: CampaignTally): string {
  const { runs, commands, movements, findings, unknownOutcomes, ends, choices } = tally;
  const kinds = [...new Set(findings.map(({ kind }) => kind))].sort();
  const columns = kinds.map((_, index) => String.fromCharCode(65 + index));
  return [
    `# ${name}: ${runs} runs, ${commands} commands, ${movements} movements, ${findings.length} false claims`,
    '',
    '| | count | false claim | seeds: their world |',
    '|---|---:|---|---|',
    ...kinds.map((kind, index) => {
      const of = findings.filter((each) => each.kind === kind);
      return `| ${columns[index]} | ${of.length} | ${kind} | ${simplest(of)} |`;
    }),
    '',
    `| choice | runs | ${columns.join(' | ')} |`,
    `|---|---:|${columns.map(() => '---:|').join('')}`,
    ...[...choices].sort(byName).map(([choice, { runs: of, kinds: by }]) => {
      return `| ${choice} | ${of} | ${kinds.map((kind) => by.get(kind) ?? '').join(' | ')} |`;
    }),
    ...counts('How unknownOutcomes ended', unknownOutcomes),
    ...counts('How commands under a key ended at last', ends),
    '',
  ].join('\n');
}

/** The findings whose worlds are the least unusual. */
function simplest(findings: readonly Finding[]): string {
  const named = findings.toSorted((a, b) => a.world.split(';').length - b.world.split(';').length).slice(0, NAMED);
  return named.map(({ seed, group, world }) => `${seed}: ${group}; ${world}`).join('<br>');
}

/** Prints a tally, and writes the commands of each finding to the file of FIATRAIL_SOAK_LOG. */
export function report(name: string, tally: CampaignTally): void {
  console.log(tallied(name, tally));
  const path = process.env['FIATRAIL_SOAK_LOG'];
  if (path === undefined) return;
  const logs = tally.findings.map(
    ({ kind, group, seed, world, log }) => `## ${seed}: ${kind}\n${group}; ${world}\n${log}\n`,
  );
  writeFileSync(path, logs.join('\n'));
}
