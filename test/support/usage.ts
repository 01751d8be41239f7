import { readFileSync } from 'node:fs';

const ticksPerSecond = 100;
const pageBytes = 4_096;

/** CPU seconds that a process has used so far, user and system. */
export function cpuSeconds(pid: number): number {
  // After the name, which may hold spaces: utime and stime are the 14th and 15th fields (proc(5)).
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Resident bytes of a process now. */
export function residentBytes(pid: number): number {
  const [, resident] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
  return Number(resident) * pageBytes;
}
