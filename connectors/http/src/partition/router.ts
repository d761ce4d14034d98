import { valuesAt } from '../answer/field-path.ts';
import type { Row } from '../answer/row.ts';
import { fault } from '../fault.ts';
import { flagIn, type Part, partIn, partsIn, placeOf, textIn, valueIn } from '../manifest/part.ts';
import { injectorOf, mergeOptions, NO_OPTIONS, type Options } from '../request/request-options.ts';
import { literalOf } from '../template/literal.ts';
import { type Dictionary, isDictionary, type Value } from '../template/value.ts';

/** One part of a stream that is read by itself. */
export type Partition = { readonly values: Dictionary; readonly extra: Dictionary };

/** A page of records of a parent stream, with the partition of the parent that it is of. */
export type ParentPage = { readonly rows: readonly Row[]; readonly partition: Dictionary };
export type ParentStream = {
  readonly name: string;
  /** Its records, page by page; incrementally from a state if one is given. */
  readonly pages: (state: unknown, signal: AbortSignal) => AsyncGenerator<ParentPage>;
  /** The state that its last reading came to. */
  readonly state: () => Dictionary | undefined;
};

export type Router = {
  readonly partitions: (parentState: unknown, signal: AbortSignal) => AsyncGenerator<Partition>;
  readonly options: (slice: Dictionary) => Options;
  /** The states of the parents that this stream depends on, once its partitions are all gone through. */
  readonly parentState: () => Dictionary | undefined;
};

export const WHOLE: Router = {
  async *partitions() {
    yield { values: {}, extra: {} };
  },
  options: () => NO_OPTIONS,
  parentState: () => undefined,
};

/** The router of a retriever; several of them give every combination. */
export function routerOf(parts: readonly Part[], config: Dictionary, parentOf: (part: Part) => ParentStream): Router {
  const routers = parts.map((part) =>
    part.type === 'ListPartitionRouter' ? listRouter(part, config) : substreamRouter(part, config, parentOf),
  );
  const [first, ...rest] = routers;
  return first === undefined ? WHOLE : rest.reduce(combined, first);
}

function combined(one: Router, two: Router): Router {
  return {
    async *partitions(state, signal) {
      const inner: Partition[] = [];
      for await (const second of two.partitions(state, signal)) inner.push(second);
      for await (const first of one.partitions(state, signal)) {
        for (const second of inner)
          yield { values: { ...first.values, ...second.values }, extra: { ...first.extra, ...second.extra } };
      }
    },
    options: (slice) => mergeOptions([one.options(slice), two.options(slice)]),
    parentState() {
      const [a, b] = [one.parentState(), two.parentState()];
      return a === undefined && b === undefined ? undefined : { ...a, ...b };
    },
  };
}

function listRouter(part: Part, config: Dictionary): Router {
  const field = textIn(part, 'cursor_field', config) ?? '';
  const given = part.fields.values;
  const made = valueIn(part, 'values', [])?.({ config });
  const values = typeof given === 'string' && typeof made === 'string' ? (literalOf(made) ?? made) : made;
  if (!Array.isArray(values))
    throw fault('config_invalid', { at: placeOf(part, 'values'), what: 'a list is expected' });
  const option = partIn(part, 'request_option');
  const inject = option === undefined ? undefined : injectorOf(option, config);
  return {
    async *partitions() {
      for (const value of values) yield { values: { [field]: value }, extra: {} };
    },
    options: (slice) => (inject === undefined || slice[field] === undefined ? NO_OPTIONS : inject(slice[field])),
    parentState: () => undefined,
  };
}

function substreamRouter(part: Part, config: Dictionary, parentOf: (part: Part) => ParentStream): Router {
  const parents = partsIn(part, 'parent_stream_configs').map((item) => {
    const [stream, option] = [partIn(item, 'stream') as Part, partIn(item, 'request_option')];
    const extra = item.fields.extra_fields;
    return {
      stream: parentOf(stream),
      key: (textIn(item, 'parent_key', config) ?? '').split('/'),
      field: textIn(item, 'partition_field', config) ?? '',
      inject: option === undefined ? undefined : injectorOf(option, config),
      depends: flagIn(item, 'incremental_dependency', config),
      extra: Array.isArray(extra) ? extra.map((path) => (Array.isArray(path) ? path.map(String) : [String(path)])) : [],
    };
  });
  return {
    async *partitions(state, signal) {
      const stored = isDictionary(state) ? state : {};
      for (const { stream, key, field, depends, extra } of parents) {
        for await (const { rows, partition } of stream.pages(depends ? stored[stream.name] : undefined, signal)) {
          for (const row of rows) {
            const [value] = valuesAt(row, key);
            if (value === undefined || value === null) continue;
            yield { values: { [field]: value, parent_slice: partition }, extra: extraOf(row, extra) };
          }
        }
      }
    },
    options: (slice) =>
      mergeOptions(
        parents.map(({ inject, field }) => {
          const value = slice[field];
          return inject === undefined || value === undefined ? NO_OPTIONS : inject(value);
        }),
      ),
    parentState() {
      const states = parents
        .filter(({ depends }) => depends)
        .map(({ stream }) => [stream.name, stream.state() ?? {}] as const);
      return Object.fromEntries(states);
    },
  };
}

function extraOf(row: Row, paths: readonly (readonly string[])[]): Dictionary {
  return Object.fromEntries(paths.map((path) => [path.join('.'), valuesAt(row, path)[0] ?? null] as [string, Value]));
}
