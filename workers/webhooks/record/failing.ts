/** An attempt, as a sign of whether its webhook fails. `wasFailing`: whether its row said so when it was read. */
export type AttemptSign = {
  webhookId: string;
  isSuccess: boolean;
  wasFailing: boolean;
  triedAtMs: number;
};

/** Changes to be written, in this order: which webhooks succeeded, and which have been failing (again) since when. */
type FailingChanges = { succeeded: string[]; failing: { webhookId: string; at: Date }[] };

/**
 * Finds how attempts, in order, change whether their webhooks fail. `isNotedFailing` knows what was written lately: rows that were
 * read may be older. A success of a webhook that was not failing changes nothing, nor does one more failure.
 */
export function failingChanges(
  attempts: readonly AttemptSign[],
  isNotedFailing: (webhookId: string) => boolean,
): FailingChanges {
  const changed = new Map<string, { hasSucceeded: boolean; failingSince: Date | undefined }>();
  for (const { webhookId, isSuccess, wasFailing, triedAtMs } of attempts) {
    const before = changed.get(webhookId);
    const isFailing =
      before === undefined
        ? wasFailing || isNotedFailing(webhookId)
        : before.failingSince !== undefined;
    if (isFailing !== isSuccess) continue;
    changed.set(webhookId, {
      hasSucceeded: isSuccess || before?.hasSucceeded === true,
      failingSince: isSuccess ? undefined : new Date(triedAtMs),
    });
  }
  const all = [...changed];
  return {
    succeeded: all.flatMap(([id, { hasSucceeded }]) => (hasSucceeded ? [id] : [])),
    failing: all.flatMap(([webhookId, { failingSince: at }]) =>
      at === undefined ? [] : [{ webhookId, at }],
    ),
  };
}
