/** A value of a JSON column as Postgres wrote it, for what only passes it on. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** For what writes JSON and does not know of it. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}
