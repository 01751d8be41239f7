import { createDisk, type Disk, type SegmentFile } from '../disk.ts';

/** How the disk fails from now on. */
export type Fault =
  | 'none'
  | 'failWrite'
  | 'tearWrite'
  | 'failLate'
  | 'full'
  | 'short'
  | 'failLink'
  | 'failOpen'
  | 'failRemove';

type FaultyDisk = Disk & { fault: Fault; abandon: () => Promise<void> };

/**
 * The real disk, with a fault that can be switched on. A torn write leaves half of it. Abandoned, it
 * answers nobody any more: a process that was killed does nothing more either.
 */
export function faultyDisk(reserveBytes: number): FaultyDisk {
  const disk = createDisk({ dataSync: true });
  const files: SegmentFile[] = [];
  const allocations = new Set<Promise<void>>();
  let abandoned = false;
  const never = new Promise<never>(() => undefined);
  const faulty: FaultyDisk = {
    ...disk,
    fault: 'none',
    /** Closes its files, as the system does for a process that is killed. */
    async abandon() {
      abandoned = true;
      await Promise.allSettled(allocations);
      await Promise.allSettled(files.splice(0).map((file) => file.close()));
    },
    async allocate(path, length, isUrgent, spare) {
      if (abandoned) await never;
      if (faulty.fault === 'full') throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      const allocation = disk.allocate(path, length, isUrgent, spare);
      allocations.add(allocation);
      await allocation.finally(() => allocations.delete(allocation));
      if (abandoned) await never;
      if (faulty.fault === 'failLink') throw new Error('EIO');
    },
    async freeBytes(at) {
      return faulty.fault === 'short' ? reserveBytes : disk.freeBytes(at);
    },
    async setAside(path, bytesMin) {
      if (abandoned) await never;
      if (faulty.fault === 'failRemove') throw new Error('EIO');
      return disk.setAside(path, bytesMin);
    },
    async remove(path) {
      if (abandoned) await never;
      if (faulty.fault === 'failRemove') throw new Error('EIO');
      await disk.remove(path);
    },
    async openSegment(path) {
      if (faulty.fault === 'failOpen') throw new Error('EIO');
      const file = await disk.openSegment(path);
      files.push(file);
      if (abandoned) {
        await file.close();
        await never;
      }
      return faultyFile(file, () => faulty.fault);
    },
  };
  return faulty;
}

function faultyFile(file: SegmentFile, fault: () => Fault): SegmentFile {
  return {
    ...file,
    write(buffer, length, position, done) {
      if (fault() === 'failWrite') done(new Error('EIO'));
      else if (fault() === 'failLate') {
        file.write(buffer, length, position, () => done(new Error('EIO')));
      } else if (fault() === 'tearWrite') {
        file.write(buffer, Math.floor(length / 2), position, () => done(new Error('EIO')));
      } else file.write(buffer, length, position, done);
    },
  };
}
