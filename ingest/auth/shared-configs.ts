import type { ProfileConfig } from '../../schemas/resources/profile-config.ts';

/** A configuration, and how many of the credentials remembered have it. */
export type SharedConfig = {
  readonly config: ProfileConfig | null;
  readonly text: string;
  users: number;
};

/** What a configuration takes for each character of its text, and in all: it is made ready for reading. */
const bytesPerChar = 8;
const bytesMin = 1_024;

/** Each configuration once, so that one that many things have is made ready for reading once. */
export class SharedConfigs {
  readonly #byText = new Map<string, SharedConfig>();
  #bytes = 0;

  /** What all of them take, about. */
  get bytes(): number {
    return this.#bytes;
  }

  take(config: ProfileConfig | null): SharedConfig {
    const text = JSON.stringify(config);
    const shared = this.#byText.get(text) ?? { config, text, users: 0 };
    if (shared.users === 0) this.#bytes += bytesOf(shared);
    shared.users += 1;
    this.#byText.set(text, shared);
    return shared;
  }

  giveBack(shared: SharedConfig | undefined): void {
    if (shared === undefined) return;
    shared.users -= 1;
    if (shared.users > 0) return;
    this.#byText.delete(shared.text);
    this.#bytes -= bytesOf(shared);
  }

  clear(): void {
    this.#byText.clear();
    this.#bytes = 0;
  }
}

const bytesOf = ({ text }: SharedConfig): number => bytesMin + text.length * bytesPerChar;
