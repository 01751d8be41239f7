import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import packageJson from '../../../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '../../..');
const gitMsMax = 2_000;

/** What `/health` and `/metrics` say about a process. */
export type About = { version: string; commit: string; description: string; build_time: string };

/** The commit and its time. An image has no git, so its build sets them. */
export const aboutSettings = {
  BUILD_COMMIT: Type.Optional(Type.String()),
  BUILD_TIME: Type.Optional(Type.String()),
};

type Settings = Static<ReturnType<typeof Type.Object<typeof aboutSettings>>>;

/** A value that is not known is `unknown`. */
export function readAbout(description: string, settings: Settings): About {
  const [commit, time] =
    settings.BUILD_COMMIT === undefined ? askGit() : [settings.BUILD_COMMIT, settings.BUILD_TIME];
  const unknown = 'unknown';
  const { version } = packageJson;
  return { version, commit: commit ?? unknown, description, build_time: time ?? unknown };
}

function askGit(): (string | undefined)[] {
  // A directory above may be another project's.
  if (!existsSync(join(root, '.git'))) return [];
  try {
    const args = ['-C', root, 'log', '-1', '--format=%H %cI'];
    const text = execFileSync('git', args, {
      encoding: 'utf8',
      timeout: gitMsMax,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return text.trim().split(' ');
  } catch {
    return [];
  }
}
