import type {
  Answers,
  OperationName,
  Requests,
} from '../../../../schemas/client/generated/types.ts';
import type { AnyRequest } from '../../../../schemas/client/request.ts';
import { type Exact, parseExactly } from '../../../../schemas/json/exact.ts';
import type { Asked } from './asked.ts';
import { callForText } from './call.ts';

/** As `call`, for what devices sent: integers that a double would round keep their digits. */
export function callExactly<Name extends Exclude<OperationName, Asked>>(
  name: Name,
  request: Requests[Name],
  signal?: AbortSignal,
): Promise<Exact<Answers[Name]>>;
export async function callExactly(
  name: Exclude<OperationName, Asked>,
  request: AnyRequest,
  signal?: AbortSignal,
): Promise<unknown> {
  return parseExactly(await callForText(name, request, signal));
}
