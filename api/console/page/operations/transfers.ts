import { signal } from '@preact/signals';
import { failureOf } from '../client/failure.ts';
import { loadFile, saveFile, sendFile } from '../client/transfer.ts';
import { backupsTexts } from '../texts/backups.ts';
import { withUnit } from './units.ts';

const words = backupsTexts;

/** A backup or a restore: under way, with what cancels it, or how it ended. It goes on while other pages are open. */
export type Transfer =
  | { kind: 'idle' }
  | { kind: 'underWay'; text: string; share: number | undefined; cancel?: () => void }
  | { kind: 'ended'; text: string; isGood: boolean };

export const backup = signal<Transfer>({ kind: 'idle' });
export const restore = signal<Transfer>({ kind: 'idle' });

export const sizeOf = (bytes: number) => withUnit('bytes', bytes);

/** Loads a backup, and saves it once it is whole. */
export async function startBackup(): Promise<void> {
  const controller = new AbortController();
  const cancel = () => controller.abort();
  const tell = (text: string) => {
    backup.value = { kind: 'underWay', text, share: undefined, cancel };
  };
  let loaded = 0;
  tell(words.preparing);
  try {
    const file = await loadFile(
      '/reader/backup',
      (bytes) => {
        loaded = bytes;
        tell(words.loaded(sizeOf(bytes)));
      },
      controller.signal,
    );
    saveFile(file);
    backup.value = { kind: 'ended', text: words.saved(file.name, sizeOf(loaded)), isGood: true };
  } catch (error) {
    const text = controller.signal.aborted
      ? words.canceled
      : words.broken(sizeOf(loaded), failureOf(error).message || words.noAnswer);
    backup.value = { kind: 'ended', text, isGood: false };
  }
}

/** Sends a backup, and waits until what is missing of it is added. */
export async function startRestore(file: File): Promise<void> {
  const controller = new AbortController();
  let isSent = false;
  const tell = (bytes: number) => {
    isSent = bytes >= file.size;
    const share = file.size === 0 ? 1 : Math.min(1, bytes / file.size);
    // A file that is whole on the server can't be called back.
    restore.value = isSent
      ? { kind: 'underWay', text: words.working, share: undefined }
      : {
          kind: 'underWay',
          text: words.sending(sizeOf(bytes), sizeOf(file.size), share),
          share,
          cancel: () => controller.abort(),
        };
  };
  tell(0);
  try {
    const header = await sendFile('/reader/restore', file, tell, controller.signal);
    const leftOut = Number(header('millrace-messages-left-out') ?? 0);
    const text = leftOut > 0 ? words.leftOut(leftOut) : words.restored;
    restore.value = { kind: 'ended', text, isGood: true };
  } catch (error) {
    restore.value = { kind: 'ended', text: whyNot(error, controller.signal), isGood: false };
  }
}

function whyNot(error: unknown, { aborted }: AbortSignal): string {
  if (aborted) return words.restoreCanceled;
  const { status, message } = failureOf(error);
  return status === 0 ? words.brokenOff : words.refused(message);
}
