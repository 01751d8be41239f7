import { Type } from 'typebox';
import {
  deleteQuery,
  type DeleteQuery,
  exportQuery,
  type ExportAsked,
  filters,
  type Filters,
  type ReadAsked,
  readQuery,
  searchQuery,
} from '../../schemas/messages/query.ts';

/** The reader's queries as routes take them. */
const query = <Asked>(properties: object) => Type.Unsafe<Asked>({ type: 'object', properties });

export const ReadQuery = query<ReadAsked>(readQuery);
export const SearchQuery = query<ReadAsked>(searchQuery);
export const ExportQuery = query<ExportAsked>(exportQuery);
export const LiveQuery = query<Filters>(filters);
export const MessagesToDelete = query<DeleteQuery>(deleteQuery);
