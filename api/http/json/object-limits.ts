import type { FuncKeywordDefinition, SchemaValidateFunction } from 'ajv';
import { objectLimits, type ObjectLimits } from '../../../schemas/http/common.ts';

/** The keyword that checks an object against its `ObjectLimits`. */
export const limitsKeyword: FuncKeywordDefinition = {
  keyword: objectLimits,
  errors: true,
  compile(limits: ObjectLimits) {
    const validate: SchemaValidateFunction = (value: unknown) => {
      const message = problemOfSize(limits, value);
      if (message === undefined) return true;
      validate.errors = [{ keyword: objectLimits, message, params: {} }];
      return false;
    };
    return validate;
  },
};

/** Says in which way a value is too large; only objects and arrays are measured. */
function problemOfSize({ bytes, values }: ObjectLimits, value: unknown): string | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  if (valuesLeft(value, values) < 0) return `holds more than ${values} values`;
  if (Buffer.byteLength(JSON.stringify(value)) > bytes) return `is larger than ${bytes / 1024} KiB`;
  return undefined;
}

/** The rest of `allowed` once the values in an object are taken; less than nothing if they are more. */
function valuesLeft(value: object, allowed: number): number {
  let left = allowed;
  for (const inner of Object.values(value)) {
    left -= 1;
    if (left < 0) return left;
    if (typeof inner === 'object' && inner !== null) left = valuesLeft(inner, left);
  }
  return left;
}
