import { put } from '../answer/row.ts';
import { fault } from '../fault.ts';
import { type Part, placeOf, templateAt } from '../manifest/part.ts';
import { pointerTo } from '../manifest/resolve-refs.ts';
import { type Dictionary, isDictionary, member, type Value } from '../template/value.ts';

/** What a request carries, beside its address: by where it goes. A body is a text, or members. */
export type Options = {
  readonly params: Dictionary;
  readonly headers: Dictionary;
  readonly data: Dictionary | string;
  readonly json: Value;
};
export const NO_OPTIONS: Options = { params: {}, headers: {}, data: {}, json: {} };

const PLACES: ReadonlyMap<string, keyof Options> = new Map(
  Object.entries({ request_parameter: 'params', header: 'headers', body_data: 'data', body_json: 'json' } as const),
);

/** Puts a value where a RequestOption says. */
export type Inject = (value: Value) => Options;

/** How a RequestOption puts a value into a request. */
export function injectorOf(part: Part, config: Dictionary): Inject {
  const into = PLACES.get(String(part.fields.inject_into));
  if (into === undefined)
    throw fault('manifest_unsupported', { at: placeOf(part, 'inject_into'), what: 'a place that no request has here' });
  const { field_name: name, field_path: path } = part.fields;
  const given = path ?? (name === undefined || name === null ? undefined : [name]);
  if (!Array.isArray(given) || given.length === 0 || (path !== undefined && into !== 'json'))
    throw fault('manifest_invalid', {
      at: part.at,
      what: 'field_name is missing, or field_path is not for this place',
    });
  const names = given.map((segment, index) =>
    templateAt(String(segment), pointerTo(placeOf(part, 'field_path'), index), part.parameters, []).text({ config }),
  );
  return (value) => ({ ...NO_OPTIONS, [into]: nested(names, value) });
}

function nested(names: readonly string[], value: Value): Dictionary {
  const [name = '', ...rest] = names;
  const made = {};
  put(made, name, rest.length === 0 ? value : nested(rest, value));
  return made;
}

/** Options together; a later one wins where two set the same. */
export function mergeOptions(all: readonly Options[]): Options {
  return all.reduce(
    (one, two) => ({
      params: { ...one.params, ...two.params },
      headers: { ...one.headers, ...two.headers },
      data:
        typeof two.data === 'string'
          ? two.data
          : typeof one.data === 'string'
            ? one.data
            : { ...one.data, ...two.data },
      json: mergeDeep(one.json, two.json),
    }),
    NO_OPTIONS,
  );
}

function mergeDeep(one: Value, two: Value): Value {
  if (!isDictionary(one) || !isDictionary(two)) return isDictionary(two) && Object.keys(two).length === 0 ? one : two;
  const merged = { ...one };
  for (const [name, value] of Object.entries(two))
    put(merged, name, Object.hasOwn(one, name) ? mergeDeep(member(one, name), value) : value);
  return merged;
}
