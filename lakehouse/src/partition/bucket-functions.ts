/** The SQL functions of the bucket transform, each over the value to be hashed and the number of buckets. */
export const BUCKET_FUNCTIONS = {
  integer: 'weir_bucket_integer',
  unscaled: 'weir_bucket_unscaled',
  bytes: 'weir_bucket_bytes',
} as const;
