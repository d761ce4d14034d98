import type { SearchSchemaInput } from '@tanstack/react-router';

/** The servers take texts of this length in every filter. */
const MAX_TEXT = 255;
const MAX_LONG_TEXT = 8_000;

/** Reads the text of a search parameter; undefined for a text that is no legal value. */
type Rule<V extends string = string> = (value: string) => V | undefined;
type Rules = Readonly<Record<string, Rule>>;
type Found<R extends Rules> = { [N in keyof R]?: ReturnType<R[N]> };
type Given<R extends Rules> = { [N in keyof R]?: string | undefined } & SearchSchemaInput;

export const oneOf =
  <const V extends string>(...values: readonly V[]): Rule<V> =>
  (value) =>
    values.find((one) => one === value);

/** A column that rows are ordered by, with `-` before it for the greatest first. */
export const sortBy = (...names: readonly string[]): Rule => oneOf(...names, ...names.map((name) => `-${name}`));

const like =
  (shape: RegExp): Rule =>
  (value) =>
    shape.test(value) ? value : undefined;

/** What somebody types into a filter. */
export const text: Rule = (value) => value.slice(0, MAX_TEXT);
/** What a page writes of its own; an address that is longer reaches no server. */
export const longText: Rule = (value) => (value.length > MAX_LONG_TEXT ? undefined : value);
export const uuid = like(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
export const uuidOrNew: Rule = (value) => (value === 'new' ? value : uuid(value));
export const position = like(/^\d{1,15}$/);
/** A version of an entity type. */
export const version = like(/^[1-9]\d{0,5}$/);
export const versionOrDraft = like(/^(?:draft|\d{1,7})$/);
export const snapshotId = like(/^\d{1,19}$/);
export const snapshotIds = like(/^\d{1,19}(,\d{1,19})?$/);
/** Lines of `column:op` or `column:op:value`. */
export const conditions = like(/^(?:.+:(?:(?:eq|ne|gt|ge|lt|le|contains|starts_with):.*|is_null|not_null)(?:\n|$))+$/);
/** A time as the pages write it. */
export const instant: Rule = (value) => {
  const at = Date.parse(value);
  return Number.isNaN(at) || new Date(at).toISOString() !== value ? undefined : value;
};

/**
 * The search parameters of a route: one that is empty or has no legal value is as if it were absent. Names stay, undefined,
 * since the router lays what is found here over what the address says.
 */
export const params =
  <const R extends Rules>(rules: R) =>
  (given: Given<R>): Found<R> =>
    Object.fromEntries(
      Object.entries(rules).map(([name, read]) => {
        const value: unknown = given[name];
        return [name, typeof value === 'string' && value !== '' ? read(value) : undefined];
      }),
    ) as Found<R>;

/** Every parameter is a text: digits of an id would lose their last ones as a number. */
export const parseSearch = (search: string): Record<string, string> => Object.fromEntries(new URLSearchParams(search));

/** No address has an empty member. */
export function stringifySearch(search: Record<string, unknown>): string {
  const members = Object.entries(search).filter(([, value]) => typeof value === 'string' && value !== '');
  return members.length === 0 ? '' : `?${new URLSearchParams(members as [string, string][])}`;
}
