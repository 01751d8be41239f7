import type { TestProject } from 'vitest/node';
import { startStoredSystem } from './services/stored-system.ts';

/** Starts the one system that all tests of a project share, for as long as the tests run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const shared = await startStoredSystem(project.config.env ?? {});
  project.provide('systemDataDir', shared.dataDir);
  project.provide('cluster', shared.cluster);
  return () => {
    const own = project.vitest.state
      .getTestModules()
      .filter((one) => one.project.name === project.name);
    return shared.stop(own.some((one) => !one.ok()));
  };
}
