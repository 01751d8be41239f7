/** A look-up under way, and the next one, for those who asked after it had begun. */
type Asked<Answer> = { underWay: Promise<Answer>; next: Promise<Answer> | undefined };

/**
 * Shares look-ups among all who ask for the same at the same time: who asks while one is under way shares the next
 * one. A thousand requests of one user look it up twice. No answer is older than its question: the look-up under
 * way may have begun before a change that came before the question.
 */
export class SharedAnswers<Answer> {
  readonly #asked = new Map<string, Asked<Answer>>();

  /** `question` is what `key` names, whoever asks. */
  ask(key: string, question: () => Promise<Answer>): Promise<Answer> {
    const before = this.#asked.get(key);
    if (before === undefined) return this.#begin(key, question);
    before.next ??= this.#after(before.underWay, key, question);
    return before.next;
  }

  async #after(
    underWay: Promise<Answer>,
    key: string,
    question: () => Promise<Answer>,
  ): Promise<Answer> {
    await Promise.allSettled([underWay]);
    return this.#begin(key, question);
  }

  #begin(key: string, question: () => Promise<Answer>): Promise<Answer> {
    const underWay = question().finally(() => {
      if (one.next === undefined) this.#asked.delete(key);
    });
    const one: Asked<Answer> = { underWay, next: undefined };
    this.#asked.set(key, one);
    return underWay;
  }
}
