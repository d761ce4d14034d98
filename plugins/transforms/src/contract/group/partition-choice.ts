/** The value of a partition column as JSON: texts of dates, times, decimals and ids; null is a partition too. */
export type PartitionValue = string | number | boolean | null;

/** The partitions that a run replaces: those of these values, or those from one value up to another, which is left out. */
export type PartitionChoice = { readonly column: string } & (
  | { readonly values: readonly PartitionValue[] }
  | { readonly from: PartitionValue; readonly to: PartitionValue }
);

/** Values that one choice lists at most. */
export const MAX_CHOSEN_VALUES = 1_000;
