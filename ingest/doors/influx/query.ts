import { type Precision, precisionOf } from '../../codecs/line/precision.ts';

/** The query of a write. `db`, `org`, `bucket` and `rp` are not looked at: the key alone says whose points these are. */
type WriteQuery = {
  user: string;
  password: string;
  precision: Precision | undefined;
  precisionName: string;
};

const knownMax = 1_000;

/** Reads the queries of writes. Clients send the same one again and again, and to read it takes as long as ten lines. */
export class WriteQueries {
  readonly #known = new Map<string, WriteQuery>();

  read(query: string): WriteQuery {
    const known = this.#known.get(query);
    if (known !== undefined) return known;
    const parameters = new URLSearchParams(query);
    const text = (name: string) => parameters.get(name) ?? '';
    const precisionName = text('precision');
    const read = {
      user: text('u'),
      password: text('p'),
      precision: precisionOf(precisionName),
      precisionName,
    };
    if (this.#known.size >= knownMax) this.#known.clear();
    this.#known.set(query, read);
    return read;
  }
}
