/** A line of a crontab: when it runs, and the command as cron gives it to the shell. */
export interface CronLine {
  readonly fields: readonly string[];
  readonly command: string;
  /** What follows an unescaped `%`, which cron gives the command on standard input. */
  readonly stdin: string | undefined;
}

/** Reads a crontab as cron does: five fields, then a command, in which `%` ends the line unless it is escaped. */
export function readCrontab(text: string): CronLine[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#') && !/^\w+\s*=/.test(line))
    .map((line) => {
      const [, fields = '', rest = ''] = /^((?:\S+\s+){5})(.*)$/.exec(line) ?? [];
      const [command = '', ...stdin] = rest.split(/(?<!\\)%/);
      return {
        fields: fields.trim().split(/\s+/),
        command: command.replaceAll('\\%', '%'),
        stdin: stdin.length === 0 ? undefined : stdin.join('\n'),
      };
    });
}

/** The lowest and highest value of each field of a crontab line. */
const RANGES = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;

/** Whether cron understands the time of a line. */
export function isTime(fields: readonly string[]): boolean {
  return (
    fields.length === RANGES.length &&
    RANGES.every(([low, high], at) =>
      (fields[at] ?? '').split(',').every((part) => {
        const [, from, to, step] = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(part) ?? [undefined, '-1'];
        return (
          [from, to].every((each) => each === undefined || (Number(each) >= low && Number(each) <= high)) &&
          step !== '0'
        );
      }),
    )
  );
}
