import type { Cursor } from './cursor.ts';
import { type Expression, type Operator, operatorRows, referenceTypes } from './ast.ts';

/** An expression of operators, which bind as `operatorRows` tells. */
export function parseExpression(cursor: Cursor, row = 0): Expression {
  const operators: readonly Operator[] | undefined = operatorRows[row];
  if (operators === undefined) return parseOperand(cursor);
  let left = parseExpression(cursor, row + 1);
  for (;;) {
    const operator = takeOperator(cursor, operators);
    if (operator === undefined) return left;
    const right = isOfRegex(operator) ? mustTakeRegex(cursor) : parseExpression(cursor, row + 1);
    left = { kind: 'binary', operator, left, right };
  }
}

/** An expression, or a regular expression in its place, as fields, arguments and dimensions may have it. */
export function parseExpressionOrRegex(cursor: Cursor): Expression {
  const pattern = cursor.takeRegex();
  return pattern === undefined ? parseExpression(cursor) : { kind: 'regex', pattern };
}

const isOfRegex = (operator: Operator) => operator === '=~' || operator === '!~';

function takeOperator(cursor: Cursor, operators: readonly Operator[]): Operator | undefined {
  const { next } = cursor;
  const written = next.kind === 'sign' ? next.sign : next.kind === 'keyword' ? next.word : '';
  const operator = operators.find((one) => one === written);
  if (operator === undefined) return undefined;
  cursor.countOperator();
  cursor.take();
  return operator;
}

function mustTakeRegex(cursor: Cursor): Expression {
  const pattern = cursor.takeRegex();
  return pattern === undefined ? cursor.fail('regex') : { kind: 'regex', pattern };
}

const expectedOperands = ['identifier', 'string', 'number', 'bool'];

function parseOperand(cursor: Cursor): Expression {
  const { next } = cursor;
  switch (next.kind) {
    case 'name':
      return parseReferenceOrCall(cursor);
    case 'string':
      cursor.take();
      return { kind: 'string', value: next.value };
    case 'number':
      cursor.take();
      return { kind: 'number', value: next.value };
    case 'integer':
      return parseInteger(cursor, next.digits);
    case 'duration':
      cursor.take();
      return { kind: 'duration', nanoseconds: next.nanoseconds };
    case 'parameter':
      cursor.take();
      return parameterValue(cursor, next.name);
    case 'keyword':
      return parseKeyword(cursor, next.word);
    case 'sign':
      return parseSign(cursor, next.sign);
    case 'bad':
    case 'end':
      break;
  }
  return cursor.fail(...expectedOperands);
}

/** Refuses what 64 bits don't hold. */
function parseInteger(cursor: Cursor, digits: string, sign: 1n | -1n = 1n): Expression {
  const value = BigInt(digits) * sign;
  if (BigInt.asIntN(64, value) !== value) cursor.refuse('unable to parse integer');
  cursor.take();
  return { kind: 'integer', value };
}

function parameterValue(cursor: Cursor, name: string): Expression {
  const value = cursor.valueOf(name);
  if (typeof value === 'string') return { kind: 'string', value };
  if (typeof value === 'boolean') return { kind: 'boolean', value };
  return Number.isSafeInteger(value)
    ? { kind: 'integer', value: BigInt(value) }
    : { kind: 'number', value };
}

function parseKeyword(cursor: Cursor, word: string): Expression {
  if (word === 'TRUE' || word === 'FALSE') {
    cursor.take();
    return { kind: 'boolean', value: word === 'TRUE' };
  }
  if (word !== 'DISTINCT') return cursor.fail(...expectedOperands);
  cursor.take();
  if (cursor.isSign('(')) return parseCall(cursor, 'distinct');
  return { kind: 'distinct', name: cursor.mustTakeName() };
}

function parseSign(cursor: Cursor, sign: string): Expression {
  if (sign === '(') {
    cursor.take();
    const expression = cursor.within(() => parseExpression(cursor));
    cursor.mustTakeSign(')');
    return { kind: 'parentheses', expression };
  }
  if (sign === '*') {
    cursor.take();
    return { kind: 'wildcard', type: parseWildcardType(cursor) };
  }
  if (sign === '+' || sign === '-') {
    cursor.take();
    return parseSigned(cursor, sign === '-');
  }
  return cursor.fail(...expectedOperands);
}

function parseWildcardType(cursor: Cursor): 'field' | 'tag' | undefined {
  if (!cursor.takeSign('::')) return undefined;
  if (cursor.takeKeyword('TAG')) return 'tag';
  if (cursor.takeKeyword('FIELD')) return 'field';
  return cursor.fail('field', 'tag');
}

/** The operand after a plus or a minus. */
function parseSigned(cursor: Cursor, isNegative: boolean): Expression {
  const { next } = cursor;
  if (next.kind === 'integer') return parseInteger(cursor, next.digits, isNegative ? -1n : 1n);
  if (next.kind === 'number') {
    cursor.take();
    return { kind: 'number', value: isNegative ? -next.value : next.value };
  }
  if (next.kind === 'duration') {
    cursor.take();
    const { nanoseconds } = next;
    return { kind: 'duration', nanoseconds: isNegative ? -nanoseconds : nanoseconds };
  }
  if (next.kind !== 'name' && !cursor.isSign('(')) {
    return cursor.fail('identifier', 'number', 'duration', '(');
  }
  const right = parseOperand(cursor);
  if (!isNegative) return right;
  return { kind: 'binary', operator: '*', left: { kind: 'integer', value: -1n }, right };
}

function parseReferenceOrCall(cursor: Cursor): Expression {
  const parts = [cursor.mustTakeName()];
  if (cursor.isSignHere('(')) return parseCall(cursor, (parts[0] ?? '').toLowerCase());
  while (cursor.isSignHere('.')) {
    cursor.take();
    parts.push(cursor.mustTakeName());
  }
  return { kind: 'reference', name: parts.join('.'), type: parseReferenceType(cursor) };
}

function parseReferenceType(cursor: Cursor) {
  if (!cursor.takeSign('::')) return undefined;
  const { next } = cursor;
  const written = next.kind === 'name' ? next.name : next.kind === 'keyword' ? next.word : '';
  const type = referenceTypes.find((one) => one === written.toLowerCase());
  if (type === undefined) return cursor.fail(...referenceTypes);
  cursor.take();
  return type;
}

function parseCall(cursor: Cursor, name: string): Expression {
  cursor.mustTakeSign('(');
  const given: Expression[] = [];
  cursor.within(() => {
    if (cursor.isSign(')')) return;
    do given.push(parseExpressionOrRegex(cursor));
    while (cursor.takeSign(','));
  });
  cursor.mustTakeSign(')');
  return { kind: 'call', name, arguments: given };
}
