import { isObject } from '../../schemas/json/shown.ts';

/** How a body is read. `either`: as SenML when every element looks like it, otherwise as JSON. */
export type BodyKind = 'senml+json' | 'senml+cbor' | 'json' | 'either';

/** By a request's `Content-Type`. */
export function bodyKindOf(contentType: string): BodyKind | 'unknown' {
  switch (contentType) {
    case 'application/senml+json':
      return 'senml+json';
    case 'application/json':
      return 'either';
    case 'application/senml+cbor':
      return 'senml+cbor';
    default:
      return kindOfLoose(contentType);
  }
}

/** In upper or lower case, and with parameters. */
function kindOfLoose(contentType: string): BodyKind | 'unknown' {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return type === contentType ? 'unknown' : bodyKindOf(type);
}

/** By a profile's `content_type`: a profile that says JSON means it. */
export function bodyKindInProfile(contentType: string): BodyKind | 'unknown' {
  const kind = bodyKindOf(contentType);
  return kind === 'either' ? 'json' : kind;
}

const valueFields = ['v', 'vs', 'vb', 'vd'] as const;

/** Whether a JSON value is read as SenML when the request does not say. */
export function looksLikeSenml(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every(
    (element: unknown) =>
      isObject(element) &&
      (typeof element['n'] === 'string' || typeof element['bn'] === 'string') &&
      valueFields.some((field) => Object.hasOwn(element, field)),
  );
}
