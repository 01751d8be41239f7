/** The options of a select, by their words. */
export function Options<Value extends string>({
  values,
  named,
}: {
  values: readonly Value[];
  named: Readonly<Record<Value, string>>;
}) {
  return (
    <>
      {values.map((value) => (
        <option key={value} value={value}>
          {named[value]}
        </option>
      ))}
    </>
  );
}

/** The one that is chosen in a select. */
export const chosenIn = <Value extends string>(
  values: readonly Value[],
  { currentTarget: { value } }: { currentTarget: HTMLSelectElement },
  or: Value,
): Value => values.find((one) => one === value) ?? or;
