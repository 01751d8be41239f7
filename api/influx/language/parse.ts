import { DomainError } from '../../../schemas/http/errors.ts';
import { limits } from '../../limits.ts';
import type { Statement } from './ast.ts';
import { Cursor, type Parameters } from './cursor.ts';
import { parseSelect } from './select.ts';
import { parseShow } from './show.ts';

/*
 * The grammar of InfluxQL as `/query` understands it. Words in capitals are keywords, in any case; `[ ]` may be missing,
 * `{ }` may come any number of times.
 *
 *   query        = [ statement ] { ";" [ statement ] }
 *   statement    = "SELECT" field { "," field } "FROM" sources [ where ] [ group ] [ fill ] [ order ]
 *                           [ limit ] [ "SLIMIT" integer ] [ "SOFFSET" integer ] [ "tz" "(" string ")" ]
 *                | "SHOW" "DATABASES"
 *                | "SHOW" "RETENTION" "POLICIES" [ on ]
 *                | "SHOW" "MEASUREMENTS" [ on ] [ "WITH" "MEASUREMENT" ( "=" source | "=~" source ) ] [ where ] range
 *                | "SHOW" "FIELD" "KEYS" [ on ] [ from ] range
 *                | "SHOW" "TAG" "KEYS" [ on ] [ from ] [ where ] range [ "SLIMIT" integer ] [ "SOFFSET" integer ]
 *                | "SHOW" "TAG" "VALUES" [ on ] [ from ] "WITH" "KEY" keys [ where ] range
 *                | "SHOW" "SERIES" [ on ] [ from ] [ where ] range
 *                | "SHOW" ( "SERIES" | "MEASUREMENT" ) [ "EXACT" ] "CARDINALITY" [ on ] [ from ] [ where ] range
 *                | "CREATE" "DATABASE" name [ "WITH" anything ]
 *   field        = ( regex | expression ) [ "AS" name ]
 *   on           = "ON" name
 *   from         = "FROM" sources
 *   sources      = source { "," source }
 *   source       = regex | [ [ name ] "." [ name ] "." ] ( name | regex )          without spaces
 *   where        = "WHERE" expression
 *   group        = "GROUP" "BY" ( regex | expression ) { "," ( regex | expression ) }
 *   fill         = "fill" "(" ( "null" | "none" | "previous" | "linear" | number ) ")"
 *   order        = "ORDER" "BY" [ "time" ] [ "ASC" | "DESC" ]
 *   limit        = [ "LIMIT" integer ] [ "OFFSET" integer ]
 *   range        = [ order ] limit
 *   keys         = "=" name | "!=" name | "=~" regex | "!~" regex | "IN" "(" name { "," name } ")"
 *   expression   = operand { operator operand }                                    see `operatorRows`
 *   operand      = reference | call | string | number | integer | duration | "true" | "false" | parameter
 *                | "*" [ "::" ( "field" | "tag" ) ] | "DISTINCT" name | "(" expression ")" | ( "+" | "-" ) operand
 *   reference    = name { "." name } [ "::" type ]
 *   call         = name "(" [ ( regex | expression ) { "," ( regex | expression ) } ] ")"
 *   name         = letters, digits and "_", no keyword | '"' text '"'
 *   string       = "'" text "'"
 *   regex        = "/" RE2 "/"
 *   duration     = integer unit { integer unit }            ns, u, µ, ms, s, m, h, d, w
 *   parameter    = "$" name
 *   space        = white space | "--" text to the end of its line | a comment as in C
 */

/**
 * The statements of a query. `parameters` has the values of `$name`.
 *
 * @throws DomainError `malformed`, whose detail is told as InfluxDB tells it: `error parsing query: found …`.
 */
export function parseQuery(text: string, parameters: Parameters = {}): Statement[] {
  if (text.length > limits.influxQueryCharsMax) {
    throw new DomainError(
      'malformed',
      `error parsing query: it is longer than ${limits.influxQueryCharsMax} characters`,
    );
  }
  const cursor = new Cursor(text, parameters);
  const statements: Statement[] = [];
  for (;;) {
    while (cursor.takeSign(';'));
    if (cursor.isAtEnd) return statements;
    if (statements.length === limits.influxStatementsMax) {
      cursor.refuse(`more than ${limits.influxStatementsMax} statements`);
    }
    statements.push(parseStatement(cursor));
    if (!cursor.isAtEnd && !cursor.isSign(';')) cursor.fail(';');
  }
}

function parseStatement(cursor: Cursor): Statement {
  if (cursor.takeKeyword('SELECT')) return parseSelect(cursor);
  if (cursor.takeKeyword('SHOW')) return parseShow(cursor);
  if (!cursor.takeKeyword('CREATE')) return cursor.fail('SELECT', 'SHOW', 'CREATE');
  cursor.mustTakeKeyword('DATABASE');
  const name = cursor.mustTakeName();
  if (cursor.takeKeyword('WITH')) {
    while (!cursor.isAtEnd && !cursor.isSign(';')) cursor.take();
  }
  return { kind: 'createDatabase', name };
}
