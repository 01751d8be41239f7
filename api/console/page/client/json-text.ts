import { describeFault, findFaultInText } from '../../../../schemas/json/fault.ts';
import { partsTexts } from '../texts/parts.ts';
import { FieldError } from './failure.ts';

/** A JSON object that somebody typed into the field of that name; an empty text is an empty object. @throws FieldError */
export function objectIn(text: string, field: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const fault = findFaultInText(text);
    const place = fault === undefined ? '' : describeFault(fault, {}, 'element');
    throw new FieldError(field, partsTexts.noJson(place));
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new FieldError(field, partsTexts.noObject);
}
