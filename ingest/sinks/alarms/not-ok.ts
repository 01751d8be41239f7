import type { RuleState } from '../../../infra/runtime/alarms/machine.ts';
import { uuidFromHex } from '../../codecs/uuid.ts';

/** A thing that is not ok under a rule, as PostgreSQL has it. */
export type NotOk = {
  state: RuleState;
  sequence: number;
  /** Null: it is pending. */
  alarmId: string | null;
  episode: number | null;
  /** When it was written last, in seconds of a steady clock. */
  savedAtS: number;
};

/** Seconds of a clock that nobody sets. */
export const steadyS = (): number => Math.floor(performance.now() / 1_000);

/** So often the newest record of a thing that is not ok is written, while it stays so. */
const savedEveryS = 60;

export const isDueToSave = (savedAtS: number, nowS: number): boolean =>
  nowS - savedAtS >= savedEveryS;

const kinds = ['ok', 'pending', 'firing', 'clearing'] as const;
const firing = kinds.indexOf('firing');
const idBytes = 16;
const firstRoom = 256;
const growth = 1.25;
const noId = '0'.repeat(2 * idBytes);

/** The states of slots, in columns: some 65 bytes for each. */
export class NotOkStates {
  /** Of each slot its place in the columns. */
  readonly #places = new Map<number, number>();
  readonly #free: number[] = [];
  #end = 0;
  #kinds = new Uint8Array(firstRoom);
  #since = new Float64Array(firstRoom);
  #gaps = new Float64Array(firstRoom);
  #fired = new Float64Array(firstRoom);
  /** Of all changes there ever were: some thousand a second are more than 32 bits within weeks. */
  #sequences = new Float64Array(firstRoom);
  #episodes = new Uint32Array(firstRoom);
  #saved = new Uint32Array(firstRoom);
  #alarms = Buffer.alloc(firstRoom * idBytes);

  get size(): number {
    return this.#places.size;
  }

  /** Undefined: it is ok. */
  savedAtS(slot: number): number | undefined {
    const at = this.#places.get(slot);
    return at === undefined ? undefined : this.#saved[at];
  }

  isFiring(slot: number): boolean {
    const at = this.#places.get(slot);
    return at !== undefined && this.#kinds[at] === firing;
  }

  get(slot: number): NotOk | undefined {
    const at = this.#places.get(slot);
    if (at === undefined) return undefined;
    const episode = this.#episodes[at] ?? 0;
    const hex = this.#alarms.toString('hex', at * idBytes, (at + 1) * idBytes);
    return {
      state: this.#stateAt(at),
      sequence: this.#sequences[at] ?? 0,
      alarmId: episode === 0 ? null : uuidFromHex(hex),
      episode: episode === 0 ? null : episode,
      savedAtS: this.#saved[at] ?? 0,
    };
  }

  set(slot: number, { state, sequence, alarmId, episode, savedAtS }: NotOk): void {
    if (state.kind === 'ok') return this.delete(slot);
    const at = this.#places.get(slot) ?? this.#take(slot);
    this.#kinds[at] = kinds.indexOf(state.kind);
    this.#since[at] = state.sinceUs;
    this.#gaps[at] = state.kind === 'firing' ? 0 : state.gapUs;
    this.#fired[at] = state.kind === 'clearing' ? state.firedUs : 0;
    this.#sequences[at] = sequence;
    this.#episodes[at] = episode ?? 0;
    this.#saved[at] = savedAtS;
    this.#alarms.write(alarmId?.replaceAll('-', '') ?? noId, at * idBytes, 'hex');
    return undefined;
  }

  delete(slot: number): void {
    const at = this.#places.get(slot);
    if (at === undefined) return;
    this.#places.delete(slot);
    this.#free.push(at);
  }

  #stateAt(at: number): RuleState {
    const kind = kinds[this.#kinds[at] ?? 0] ?? 'ok';
    const sinceUs = this.#since[at] ?? 0;
    const gapUs = this.#gaps[at] ?? 0;
    switch (kind) {
      case 'ok':
        return { kind };
      case 'pending':
        return { kind, sinceUs, gapUs };
      case 'firing':
        return { kind, sinceUs };
      case 'clearing':
        return { kind, sinceUs, gapUs, firedUs: this.#fired[at] ?? 0 };
      default:
        return kind satisfies never;
    }
  }

  #take(slot: number): number {
    const at = this.#free.pop() ?? this.#end++;
    if (at === this.#kinds.length) this.#grow();
    this.#places.set(slot, at);
    return at;
  }

  #grow(): void {
    const room = Math.ceil(this.#kinds.length * growth);
    const [kindsBefore, since, gaps, fired] = [this.#kinds, this.#since, this.#gaps, this.#fired];
    const [sequences, episodes, saved] = [this.#sequences, this.#episodes, this.#saved];
    this.#kinds = new Uint8Array(room);
    this.#kinds.set(kindsBefore);
    this.#since = new Float64Array(room);
    this.#since.set(since);
    this.#gaps = new Float64Array(room);
    this.#gaps.set(gaps);
    this.#fired = new Float64Array(room);
    this.#fired.set(fired);
    this.#sequences = new Float64Array(room);
    this.#sequences.set(sequences);
    this.#episodes = new Uint32Array(room);
    this.#episodes.set(episodes);
    this.#saved = new Uint32Array(room);
    this.#saved.set(saved);
    this.#alarms = Buffer.concat([this.#alarms], room * idBytes);
  }
}
