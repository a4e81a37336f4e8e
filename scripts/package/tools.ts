import { type StdioOptions, spawnSync } from 'node:child_process';

/** A problem that is told in one sentence. */
export class PackageError extends Error {}

interface ToolOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string | undefined;
  /** As spawnSync takes it; what is not piped is not returned. */
  readonly stdio?: StdioOptions;
}

/** Runs another program and returns what it prints. Throws PackageError if it is missing or fails; `from` is the Debian package that has it. */
export function runTool(file: string, argv: readonly string[], from: string, options: ToolOptions = {}): string {
  const { stdout, stderr, status, error } = spawnSync(file, argv, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    ...options,
  });
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT')
    throw new PackageError(`${file} is missing; install it with: apt-get install ${from}`);
  if (status !== 0)
    throw new PackageError(
      `${file} ${argv[0] ?? ''} failed: ${(stderr || stdout || String(error ?? 'see above')).trim()}`,
    );
  return stdout ?? '';
}
