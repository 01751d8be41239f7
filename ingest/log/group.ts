import {
  type FrameFormat,
  formatCodes,
  frameFormats,
  frameHeaderBytes,
  type Marks,
  sealFrames,
  writeHeader,
} from './format.ts';

/** Who is told what became of its messages: they are on the disk, or the disk failed. */
export type Waiter = { afterCommit(isDurable: boolean, nowMs: number): void };

/**
 * The content of one write to the disk: messages, of one frame or two each, and their waiters. A message is written
 * into it in place: `begin`; then for each frame, the payload at `payloadAt` of `buffer` and `frame`; last `append`. The
 * next message overwrites what was not appended. Before it is written, its frames are sealed for their segment.
 */
export class Group {
  readonly kind = 'group';
  readonly buffer: Buffer;
  /** The same bytes, for what is written in words. */
  readonly view: DataView;
  /** Where its last message ends. */
  length = 0;
  waiters: Waiter[] = [];
  messages = 0;
  records = 0;

  /** The formats of its frames: a bit for each. */
  #formats = 0;
  // The message that is being written.
  #end = 0;
  #sequence = 0;
  #records = 0;
  #messageFormats = 0;

  constructor(bytesMax: number) {
    this.buffer = Buffer.allocUnsafeSlow(bytesMax);
    this.view = new DataView(this.buffer.buffer);
  }

  hasRoom(frameBytes: number): boolean {
    return this.length + frameBytes <= this.buffer.length;
  }

  /** A message follows, whose first frame has this number in the log. */
  begin(sequence: number): void {
    this.#end = this.length;
    this.#sequence = sequence;
    this.#records = 0;
    this.#messageFormats = 0;
  }

  /** The formats of its messages' frames. */
  formats(): FrameFormat[] {
    return frameFormats.filter((format) => (this.#formats & bitOf(format)) !== 0);
  }

  /** Where the next payload of the message goes. */
  get payloadAt(): number {
    return this.#end + frameHeaderBytes;
  }

  /** Makes a frame of the payload from `payloadAt` to `payloadEnd`. Of its head, the sink of alarms is told as well. */
  frame(format: FrameFormat, records: number, payloadEnd: number, headBytes = 0): void {
    const { buffer } = this;
    const bytes = payloadEnd - this.payloadAt;
    const sequence = this.#sequence++;
    this.#end = writeHeader(buffer, this.#end, bytes, format, records, sequence, headBytes);
    this.#records += records;
    this.#messageFormats |= headBytes === 0 ? bitOf(format) : bitOf(format) | bitOf('alarm');
  }

  /** The message is whole, or that many are that share its frame. Returns the number of the next frame. */
  append(waiter: Waiter, messages = 1): number {
    this.length = this.#end;
    this.waiters.push(waiter);
    this.messages += messages;
    this.records += this.#records;
    this.#formats |= this.#messageFormats;
    return this.#sequence;
  }

  /** Makes its frames valid for the segment that has these marks. */
  seal(marks: Marks): void {
    sealFrames(this.buffer, this.length, marks);
  }

  clear(): void {
    this.length = 0;
    this.waiters = [];
    this.messages = 0;
    this.records = 0;
    this.#formats = 0;
  }
}

const bitOf = (format: FrameFormat): number => 1 << formatCodes[format];
