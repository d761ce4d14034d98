/** Names of SQL for types of the table format. */
const NAMES: Readonly<Record<string, string>> = {
  bool: 'boolean',
  integer: 'int',
  int4: 'int',
  smallint: 'int',
  bigint: 'long',
  int8: 'long',
  real: 'float',
  float4: 'float',
  float8: 'double',
  numeric: 'decimal',
  varchar: 'string',
  text: 'string',
  char: 'string',
  'timestamp with time zone': 'timestamptz',
  blob: 'binary',
  bytea: 'binary',
};

/** A type without its arguments, in the words of the table format. */
export function typeName(sqlType: string): string {
  const name = sqlType.replace(/\(.*$/, '').trim().toLowerCase();
  return Object.hasOwn(NAMES, name) ? (NAMES[name] ?? name) : name;
}
