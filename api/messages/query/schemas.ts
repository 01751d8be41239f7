import { Type } from 'typebox';
import {
  deleteParameters,
  type DeleteQuery,
  exportParameters,
  type ExportQuery,
  filterParameters,
  type Filters,
  readParameters,
  type ReaderQuery,
  searchParameters,
} from '../../../schemas/messages/query.ts';

/** The reader's queries as routes take them. */
const query = <Query>(properties: object) => Type.Unsafe<Query>({ type: 'object', properties });

export const ReadQuerySchema = query<ReaderQuery>(readParameters);
export const SearchSchema = query<ReaderQuery>(searchParameters);
export const ExportQuerySchema = query<ExportQuery>(exportParameters);
export const LiveQuerySchema = query<Filters>(filterParameters);
export const DeleteQuerySchema = query<DeleteQuery>(deleteParameters);
