/** An attempt, as a sign of whether its webhook fails. */
export type AttemptSign = {
  webhookId: string;
  isSuccess: boolean;
  triedAtMs: number;
};

/** Changes to be written, in this order: which webhooks succeeded, and which have been failing (again) since when. */
type FailingChanges = { succeeded: string[]; failing: { webhookId: string; at: Date }[] };

/**
 * Finds how attempts, in order, change whether their webhooks fail. `failingBefore`: those whose rows say so. It is read when
 * attempts are written, never remembered: users and other workers change it too. A success of a webhook that was not
 * failing changes nothing, nor does one more failure.
 */
export function failingChanges(
  attempts: readonly AttemptSign[],
  failingBefore: ReadonlySet<string>,
): FailingChanges {
  const changed = new Map<string, { hasSucceeded: boolean; failingSince: Date | undefined }>();
  for (const { webhookId, isSuccess, triedAtMs } of attempts) {
    const before = changed.get(webhookId);
    const isFailing =
      before === undefined ? failingBefore.has(webhookId) : before.failingSince !== undefined;
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
