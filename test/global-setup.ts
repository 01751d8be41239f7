import type { TestProject } from 'vitest/node';
import { startSystem } from './system.ts';

/** Starts the one system that all tests share, for as long as the tests run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const shared = await startSystem();
  project.provide('systemDataDir', shared.dataDir);
  return () => shared.stop(project.vitest.state.getCountOfFailedTests() > 0);
}
