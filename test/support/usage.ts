import { readFileSync } from 'node:fs';

const ticksPerSecond = 100;
const pageBytes = 4_096;

/** CPU seconds that a process and its children that have ended have used so far, user and system. */
export function cpuSeconds(pid: number): number {
  // After the name, which may hold spaces: utime, stime, cutime and cstime are the 14th to the 17th field (proc(5)).
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0) / ticksPerSecond;
}

/** Resident bytes of a process now. */
export function residentBytes(pid: number): number {
  const [, resident] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
  return Number(resident) * pageBytes;
}
