import type { Operation } from '../../permissions.ts';
import { devices } from './words/devices.ts';
import { messages } from './words/messages.ts';
import type { OperationDocs } from './words/operation.ts';
import { people } from './words/people.ts';

/** What the documentation says of each operation: the compiler asks for one that has no words. */
export const operationDocs: Readonly<Record<Operation, OperationDocs>> = {
  ...people,
  ...devices,
  ...messages,
};
