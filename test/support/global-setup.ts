import type { TestProject } from 'vitest/node';
import { startSystem } from './system.ts';

/** Starts the one system that all tests of a project share, for as long as the tests run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const shared = await startSystem();
  project.provide('systemDataDir', shared.dataDir);
  return () => {
    const own = project.vitest.state
      .getTestModules()
      .filter((one) => one.project.name === project.name);
    return shared.stop(own.some((one) => !one.ok()));
  };
}
