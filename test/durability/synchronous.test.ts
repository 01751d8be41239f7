import { constants, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { expect, it } from 'vitest';
import { system } from '../support/system.ts';

/** How the files of the log are open in a process, by their paths. */
function openSegments(pid: number): Map<string, number> {
  const directory = `/proc/${pid}/fd`;
  const open = readdirSync(directory).flatMap((fd): [string, number][] => {
    try {
      const info = readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8');
      const flags = Number.parseInt(/^flags:\s+(\d+)$/m.exec(info)?.[1] ?? '', 8);
      return [[readlinkSync(`${directory}/${fd}`), flags]];
    } catch {
      // It was closed between the two looks.
      return [];
    }
  });
  return new Map(open.filter(([path]) => path.endsWith('.segment')));
}

it('what is written to the log is on the disk when the write returns', async () => {
  const isWriter = (flags: number) => (flags & constants.O_WRONLY) !== 0;
  const writers = [...openSegments(await system().pid('ingest')).values()].filter(isWriter);
  expect(writers.length).toBeGreaterThan(0);
  for (const flags of writers) expect(flags & constants.O_DSYNC).toBe(constants.O_DSYNC);
});
