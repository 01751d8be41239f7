import type { Commands, CommandListener, Listening } from '../../commands/commands.ts';
import type { TakenCommand } from '../../commands/sql.ts';
import { uuidFromRowBinary } from '../../codecs/uuid.ts';
import { limits } from '../../limits.ts';
import type { Stream } from './stream.ts';

/** A frame about commands. No message of any format begins so: it can't be taken for one. */
type Control = { kind: 'listen' } | { kind: 'acknowledge'; ids: string[] };

const [a, c] = [0x61, 0x63];
const id = '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}';
const acknowledgement = new RegExp(`^acknowledge((?: ${id})+)\\s*$`, 'i');

/** Undefined: the frame has messages. */
export function controlIn(frame: Uint8Array): Control | undefined {
  const [first] = frame;
  if (first !== a && first !== c) return undefined;
  const text = Buffer.from(frame).toString('latin1');
  if (text.trimEnd() === 'commands') return { kind: 'listen' };
  const ids = acknowledgement.exec(text)?.[1];
  if (ids === undefined) return undefined;
  return { kind: 'acknowledge', ids: ids.trim().toLowerCase().split(' ') };
}

/** The commands of a stream's thing, which asked for them. */
export class StreamCommands implements CommandListener {
  readonly thingId: string;
  readonly way = 'ws';
  readonly unacknowledgedMax = limits.commandsPerListenerMax;

  readonly #stream: Stream;
  readonly #commands: Commands;
  #listening: Listening | undefined;

  constructor(stream: Stream, commands: Commands) {
    this.#stream = stream;
    this.#commands = commands;
    this.thingId = uuidFromRowBinary(Buffer.from(stream.owner.thing, 'latin1'), 0);
  }

  take(control: Control): void {
    if (control.kind === 'listen') {
      this.#listening ??= this.#commands.listen(this, { isNew: true });
    } else {
      for (const one of control.ids) this.#commands.acknowledge(this.thingId, one);
    }
  }

  wants(): boolean {
    return this.#stream.isOpen;
  }

  deliver({ text }: TakenCommand): void {
    this.#stream.send(`{"command":${text}}`);
  }

  /** The stream has ended. */
  end(): void {
    if (this.#listening !== undefined) this.#commands.leave(this.#listening, { isGone: true });
    this.#listening = undefined;
  }
}
