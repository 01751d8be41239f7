import { DomainError } from '../../schemas/http/errors.ts';
import { compileCheck, problemOf } from './json/validation.ts';
import { IdParams } from './schemas.ts';

const hasId = compileCheck(IdParams);

/** The id in a path, also before the route has checked its parameters. @throws DomainError `malformed` */
export function pathIdOf(params: unknown): string {
  if (hasId(params)) return params.id;
  throw new DomainError('malformed', problemOf(hasId.errors?.[0], 'request'));
}
