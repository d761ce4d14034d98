/** Bytes that are no Parquet, or more of it than is read here. */
export class ParquetError extends Error {
  override readonly name = 'ParquetError';
}
