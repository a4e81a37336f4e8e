import { PackageError } from './tools.ts';

/** What package.json says about the project. The repository in it is the only place that names its owner. */
export interface Project {
  readonly version: string;
  readonly description: string;
  /** The page of the repository, without `.git`. */
  readonly repository: string;
  readonly homepage: string;
  readonly bugs: string;
  /** The web site of the repository, which has the apt repository. */
  readonly site: string;
}

const REPOSITORY = /^git\+(https:\/\/[\w.-]+\/([\w.-]+)\/([\w.-]+))\.git$/;

/** The owner in the address of a repository that nobody has yet. */
export const NO_OWNER = 'OWNER';

/** Reads package.json. Throws PackageError if it does not say where the project is. */
export function projectOf(packageJson: string): Project {
  const { version, description, repository, homepage, bugs } = JSON.parse(packageJson) as {
    version: string;
    description: string;
    repository?: { url?: string };
    homepage?: string;
    bugs?: { url?: string };
  };
  const [, page = '', owner = '', name = ''] = REPOSITORY.exec(repository?.url ?? '') ?? [];
  if (page === '')
    throw new PackageError('package.json: repository.url must look like git+https://HOST/OWNER/NAME.git');
  const site = `https://${owner}.github.io/${name}`;
  return { version, description, repository: page, homepage: homepage ?? '', bugs: bugs?.url ?? '', site };
}

/** What homepage and bugs have to be, since they follow from the repository. */
export const followsFrom = (repository: string) => ({
  homepage: `${repository}#readme`,
  bugs: `${repository}/issues`,
});
