import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import koffi from 'koffi';

/** The least that Linux takes. */
const shortNs = 100_000;
/** What the system gives a thread that asks for nothing. */
const usualNs = 0;

/** Numbers of the system call sched_setattr(2). */
const setAttributesCalls: Readonly<Partial<Record<NodeJS.Architecture, number>>> = {
  arm64: 274,
  x64: 314,
};
/** `struct sched_attr` of sched_setattr(2) without its later fields; the policy 0 is SCHED_OTHER. */
const attributesBytes = 48;
const at = { size: 0, nice: 16, runtime: 24 } as const;

/**
 * Lets the threads of this process that answer, the main one and libuv's, run in short turns: where the cores are busy,
 * Linux lets a thread in the sooner after it woke, the less it asks for at a time. Their share of a core stays the same.
 * It works from Linux 6.12 on; elsewhere nothing changes. Threads that are started later inherit it.
 */
export function shortenTimeSlices(): void {
  if (process.platform !== 'linux') return;
  for (const name of readdirSync('/proc/self/task')) {
    const thread = Number(name);
    const command = readFileSync(`/proc/self/task/${name}/comm`, 'utf8').trim();
    if (thread === process.pid || command === 'libuv-worker') setTimeSlice(thread, shortNs);
  }
}

/** Gives a thread of this process the usual turns. */
export function restoreTimeSlice(thread: number): void {
  setTimeSlice(thread, usualNs);
}

/** A container may forbid it: then the thread keeps what it has, which is only slower. */
function setTimeSlice(thread: number, sliceNs: number): void {
  const call = setAttributesCalls[process.arch];
  if (call === undefined) return;
  const attributes = Buffer.alloc(attributesBytes);
  attributes.writeUInt32LE(attributesBytes, at.size);
  attributes.writeInt32LE(getPriority(thread), at.nice);
  attributes.writeBigUInt64LE(BigInt(sliceNs), at.runtime);
  const syscall = koffi.load(null).func('long syscall(long number, ...)');
  syscall(call, 'int', thread, 'void *', attributes, 'uint', 0);
}
