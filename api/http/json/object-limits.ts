import { type ObjectLimits, objectLimits } from '../../../schemas/http/common.ts';

/** What ajv is told of an object that is too large. */
type Problem = { keyword: string; message: string; params: Record<string, never> };

type Validate = {
  (limits: ObjectLimits, value: unknown): boolean;
  errors?: Problem[];
};

/** The keyword that holds an object against its `ObjectLimits`. */
export const limitsKeyword = {
  keyword: objectLimits,
  errors: true,
  get validate(): Validate {
    const validate: Validate = ({ bytes, values }, value) => {
      if (value === null || typeof value !== 'object') return true;
      const message =
        valuesLeft(value, values) < 0
          ? `holds more than ${values} values`
          : Buffer.byteLength(JSON.stringify(value)) > bytes
            ? `is larger than ${bytes / 1024} KiB`
            : undefined;
      if (message === undefined) return true;
      validate.errors = [{ keyword: objectLimits, message, params: {} }];
      return false;
    };
    return validate;
  },
};

/** What is left of `allowed` once the values in an object are taken; less than nothing if they are more. */
function valuesLeft(value: object, allowed: number): number {
  let left = allowed;
  for (const inner of Object.values(value)) {
    left -= 1;
    if (left < 0) return left;
    if (typeof inner === 'object' && inner !== null) left = valuesLeft(inner, left);
  }
  return left;
}
