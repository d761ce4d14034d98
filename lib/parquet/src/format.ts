/** Numbers of the format (https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift). */
export const PHYSICAL = { boolean: 0, int32: 1, int64: 2, float: 4, double: 5, bytes: 6, fixed: 7 } as const;
export const CONVERTED = { utf8: 0, list: 3, decimal: 5, date: 6, timeMicros: 8, timestampMicros: 10 } as const;
export const REPETITION = { required: 0, optional: 1, repeated: 2 } as const;
export const PAGE = { dictionary: 2, dataV2: 3 } as const;
export const ENCODING = { plain: 0, rle: 3, rleDictionary: 8 } as const;
export const CODEC = { none: 0, zstd: 6 } as const;

/** A file begins and ends with these bytes. */
export const MAGIC: Buffer = Buffer.from('PAR1');
