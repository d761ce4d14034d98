/** The output formats; `table` is the default on a terminal and in a pipe alike. */
export const OUTPUTS = ['table', 'wide', 'json', 'yaml', 'ndjson', 'csv', 'name'] as const;
export type Output = (typeof OUTPUTS)[number];
