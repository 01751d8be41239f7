import { ClickHouseError } from '@clickhouse/client';
import { type Failure, failureOf } from '../../../infra/runtime/network/failure.ts';

/** ClickHouse error codes that blame the data. Names as in ClickHouse's ErrorCodes.cpp. */
const refusals = new Set([
  6, // CANNOT_PARSE_TEXT
  27, // CANNOT_PARSE_INPUT_ASSERTION_FAILED
  33, // CANNOT_READ_ALL_DATA
  38, // CANNOT_PARSE_DATE
  41, // CANNOT_PARSE_DATETIME
  53, // TYPE_MISMATCH
  69, // ARGUMENT_OUT_OF_BOUND
  70, // CANNOT_CONVERT_TYPE
  72, // CANNOT_PARSE_NUMBER
  117, // INCORRECT_DATA
  128, // TOO_LARGE_ARRAY_SIZE
  131, // TOO_LARGE_STRING_SIZE
  190, // SIZES_OF_ARRAYS_DONT_MATCH
  321, // VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
  349, // CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN
  395, // FUNCTION_THROW_IF_VALUE_IS_NON_ZERO
  407, // DECIMAL_OVERFLOW
  469, // VIOLATED_CONSTRAINT
  691, // UNKNOWN_ELEMENT_OF_ENUM
]);

/** Codes that blame the moment: overload, a restart, a replica away, a full disk. */
const passing = new Set([
  3, // UNEXPECTED_END_OF_FILE
  32, // ATTEMPT_TO_READ_AFTER_EOF: a shard went away
  159, // TIMEOUT_EXCEEDED
  160, // TOO_SLOW
  164, // READONLY
  202, // TOO_MANY_SIMULTANEOUS_QUERIES
  203, // NO_FREE_CONNECTION
  209, // SOCKET_TIMEOUT
  210, // NETWORK_ERROR
  225, // NO_ZOOKEEPER
  236, // ABORTED
  241, // MEMORY_LIMIT_EXCEEDED
  242, // TABLE_IS_READ_ONLY
  243, // NOT_ENOUGH_SPACE
  252, // TOO_MANY_PARTS
  279, // ALL_CONNECTION_TRIES_FAILED
  285, // TOO_FEW_LIVE_REPLICAS
  286, // UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE
  319, // UNKNOWN_STATUS_OF_INSERT
  394, // QUERY_WAS_CANCELLED
  425, // SYSTEM_ERROR
  473, // DEADLOCK_AVOIDED
  999, // KEEPER_EXCEPTION
]);

/** Classifies a failed insert of a batch by the store's error code, or else by the shared rule. */
export function classify(error: unknown): Failure {
  if (!(error instanceof ClickHouseError)) return failureOf(error);
  const code = Number(error.code);
  const reason = `${error.code} ${error.type ?? ''}: ${error.message}`;
  if (refusals.has(code)) return { decision: 'refuse', code: error.code, reason };
  return { decision: passing.has(code) ? 'retry' : 'halt', code: error.code, reason };
}
