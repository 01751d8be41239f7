/** Lets in who asks, in order, as long as no more than `max` are within; one that is more than that, alone. */
export function createLine(max: number): {
  enter(count: number): Promise<void>;
  leave(count: number): void;
  /** Whether anybody stands in it. */
  isLong(): boolean;
} {
  const waiting: { count: number; enter: () => void }[] = [];
  let within = 0;

  function letIn(): void {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (within > 0 && within + next.count > max) return;
      waiting.shift();
      within += next.count;
      next.enter();
    }
  }

  return {
    enter(count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ count, enter: resolve });
      letIn();
      return promise;
    },
    leave(count) {
      within -= count;
      letIn();
    },
    isLong: () => waiting.length > 0,
  };
}
