import { fault } from '../fault.ts';
import { conditionIn, type Part, partIn, partsIn, placeOf, templateAt } from '../manifest/part.ts';
import { pointerTo } from '../manifest/resolve-refs.ts';
import { type Dictionary, isDictionary, type Value } from '../template/value.ts';
import { valuesAt } from './field-path.ts';
import { normaliserOf } from './normalise.ts';
import type { Row } from './row.ts';
import { transformationOf } from './transform.ts';

export type Slice = Dictionary;
type RecordScope = { readonly config: Dictionary; readonly stream_slice: Slice; readonly next_page_token: Value };

export type Selector = {
  /** What the answer holds at the field path, before anything is left out of it. */
  readonly extract: (values: readonly Value[]) => Row[];
  /** The records that pass the filter, transformed and brought to the schema. */
  readonly refine: (rows: readonly Row[], scope: RecordScope) => Row[];
};

const FILTER_NAMES = ['record', 'stream_slice', 'next_page_token'];

/** How a stream finds its records in an answer. */
export function selectorOf(stream: Part, selector: Part, config: Dictionary): Selector {
  const extractor = partIn(selector, 'extractor') as Part;
  const given = extractor.fields.field_path;
  if (!Array.isArray(given))
    throw fault('manifest_invalid', { at: placeOf(extractor, 'field_path'), what: 'a list is expected' });
  const path = given.map((name, index) => {
    const at = pointerTo(placeOf(extractor, 'field_path'), index);
    return templateAt(String(name), at, extractor.parameters, []).raw({ config });
  });
  const filter = partIn(selector, 'record_filter');
  const passes = filter === undefined ? undefined : conditionIn(filter, 'condition', FILTER_NAMES);
  const transformations = partsIn(stream, 'transformations').map((part) => transformationOf(part, config));
  const transform = (row: Row, scope: RecordScope) => {
    for (const apply of transformations) apply(row, scope);
  };
  const normalise = normaliserOf(stream, selector, config);
  const transformsFirst = selector.fields.transform_before_filtering === true;
  return {
    extract: (values) => values.flatMap((value) => rowsAt(value, path, extractor.at)),
    refine(rows, scope) {
      if (transformsFirst) for (const row of rows) transform(row, scope);
      const kept = passes === undefined ? [...rows] : rows.filter((record) => passes({ ...scope, record }));
      for (const row of kept) {
        if (!transformsFirst) transform(row, scope);
        normalise(row);
      }
      return kept;
    },
  };
}

function rowsAt(value: Value, path: readonly string[], at: string): Row[] {
  const found = valuesAt(value, path);
  // With a wildcard everything found is one list; without, what is found may itself be the list.
  const [only] = found;
  const items = path.includes('*') ? found : Array.isArray(only) ? only : found.filter(isSomething);
  return items
    .filter((item) => item !== null)
    .map((item) => {
      if (!isDictionary(item)) throw fault('record_not_object', { at });
      return item as Row;
    });
}

const isSomething = (value: Value) => value !== null && !(isDictionary(value) && Object.keys(value).length === 0);
