import type { ProfileConfig } from '../../../schemas/resources/profile-config.ts';

/** A configuration, and how many of the remembered credentials have it. */
export type SharedConfig = {
  readonly config: ProfileConfig | null;
  readonly text: string;
  users: number;
};

/** The bytes of a configuration for each character of its text, and besides: it is prepared for reading. */
const bytesPerChar = 8;
const bytesMin = 1_024;

/** Each configuration once: one that many things share is prepared for reading once. */
export class SharedConfigs {
  readonly #byText = new Map<string, SharedConfig>();
  #bytes = 0;

  /** The bytes that all of them take, roughly. */
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
