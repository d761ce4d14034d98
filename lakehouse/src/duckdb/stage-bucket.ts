import {
  BIGINT,
  BLOB,
  type DuckDBBlobValue,
  type DuckDBConnection,
  DuckDBScalarFunction,
  type DuckDBType,
  INTEGER,
  VARCHAR,
} from '@duckdb/node-api';
import { BUCKET_FUNCTIONS } from '../partition/bucket-functions.ts';
import { murmur3 } from '../partition/murmur3.ts';
import { encodeUnscaled } from '../schema/bounds.ts';

const eight = Buffer.alloc(8);

function integerBytes(value: unknown): Buffer {
  eight.writeBigInt64LE(value as bigint);
  return eight;
}

function register(
  connection: DuckDBConnection,
  name: string,
  type: DuckDBType,
  bytesOf: (value: unknown) => Buffer,
): void {
  const bucket = DuckDBScalarFunction.create({
    name,
    parameterTypes: [type, INTEGER],
    returnType: INTEGER,
    mainFunction: (_info, chunk, output) => {
      const [values, widths] = [chunk.getColumnVector(0), chunk.getColumnVector(1)];
      for (let row = 0; row < chunk.rowCount; row++) {
        const value = values.getItem(row);
        const width = widths.getItem(row) as number;
        output.setItem(row, value === null ? null : (murmur3(bytesOf(value)) & 0x7fffffff) % width);
      }
      output.flush();
    },
  });
  connection.registerScalarFunction(bucket);
}

/** Makes the bucket transform known to a connection: its hash is not among DuckDB's functions. */
export function registerBuckets(connection: DuckDBConnection): void {
  register(connection, BUCKET_FUNCTIONS.integer, BIGINT, integerBytes);
  register(connection, BUCKET_FUNCTIONS.unscaled, VARCHAR, (value) => encodeUnscaled(BigInt(value as string)));
  register(connection, BUCKET_FUNCTIONS.bytes, BLOB, (value) => Buffer.from((value as DuckDBBlobValue).bytes));
}
