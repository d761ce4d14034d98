/** How a partition value is made of a column's value, in the words of the specification. */
export type Transform =
  | 'identity'
  | 'year'
  | 'month'
  | 'day'
  | 'hour'
  | 'void'
  | `bucket[${number}]`
  | `truncate[${number}]`;

/** One field of a partition tuple. */
export type PartitionField = {
  readonly 'source-id': number;
  readonly 'field-id': number;
  readonly name: string;
  readonly transform: Transform;
};

/** How the rows of a table are divided among files; a spec without fields divides nothing. */
export type PartitionSpec = { readonly 'spec-id': number; readonly fields: readonly PartitionField[] };

/** How a user asks for partitions: top-level columns by name. */
export type PartitionBy = readonly { readonly column: string; readonly transform: Transform }[];

/** The partition of one file: base64 of the single-value encoding, or null, by the id of the partition field. */
export type PartitionValues = Readonly<Record<string, string | null>>;
