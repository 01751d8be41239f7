/** A value is taken for a `Type` if it is an object with these members. Their own types are the word of who wrote it. */
export type Shape<Type extends object> = {
  members: readonly string[];
  fits(value: unknown): value is Type;
};

export function having<Type extends object>(...members: (keyof Type & string)[]): Shape<Type> {
  return {
    members,
    fits: (value): value is Type =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      members.every((member) => member in value),
  };
}

/** An object or a list. */
export const anyJson: Shape<object> = {
  members: [],
  fits: (value): value is object => typeof value === 'object' && value !== null,
};
