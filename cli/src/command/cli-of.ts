import type { Endpoint } from '@weir/kernel/contract';

export type CliCommand = Exclude<NonNullable<Endpoint['cli']>, string>;

/** The command of an endpoint; undefined when it has none. */
export const cliOf = ({ cli }: Pick<Endpoint, 'cli'>): CliCommand | undefined =>
  typeof cli === 'string' ? { words: cli } : cli;

/** Words of commands that have a short form. */
export const SHORT_WORDS: Readonly<Record<string, string>> = { 'backing-datasets': 'bd' };
