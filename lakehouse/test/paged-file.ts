import { type ColumnPage, fileWriter, flatSchema, leafOf, type NamedType, placesPage, storedType } from '@weir/parquet';
import { packedPage } from '../../lib/parquet/test/packed-page.ts';
import type { PrimitiveType } from '../src/index.ts';
import type { TypedValue } from './typed-values.ts';

/** A column of a file with its values in each row group. */
export type PagedColumn = {
  readonly name: string;
  readonly type: PrimitiveType;
  readonly groups: readonly (readonly (TypedValue | null)[])[];
};

const DAY_MS = 86_400_000;

function int64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return bytes;
}
function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
const wide = (value: bigint) => Buffer.from(BigInt.asUintN(128, value).toString(16).padStart(32, '0'), 'hex');

/** A value in Parquet's plain encoding; a truth value as one byte. */
function plain(type: PrimitiveType, { text, key }: TypedValue): Buffer {
  switch (type) {
    case 'boolean':
      return Buffer.from([Number(key)]);
    case 'int':
    case 'decimal(9, 2)':
      return int32(Number(key));
    case 'float': {
      const bytes = Buffer.alloc(4);
      bytes.writeFloatLE(Number(key));
      return bytes;
    }
    case 'double': {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleLE(Number(key));
      return bytes;
    }
    case 'date':
      return int32(Date.parse(`${text}T00:00:00Z`) / DAY_MS);
    case 'string':
      return Buffer.concat([int32(Buffer.byteLength(text)), Buffer.from(text)]);
    case 'uuid':
      return Buffer.from(text.replaceAll('-', ''), 'hex');
    case 'decimal(38, 10)':
      return wide(BigInt(key));
    default:
      return int64(BigInt(key));
  }
}

const bits = (flags: readonly boolean[]): Buffer => {
  const bytes = Buffer.alloc(Math.ceil(flags.length / 8));
  flags.forEach((flag, at) => {
    if (flag) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (1 << (at & 7));
  });
  return bytes;
};

/** Values behind each other, or each once with the places of all. */
function encodedOf(values: readonly Buffer[], isDictionary: boolean): Pick<ColumnPage, 'values' | 'dictionary'> {
  const known = new Map(values.map((value) => [value.toString('hex'), value]));
  if (!isDictionary || known.size === 0) return { values: Buffer.concat(values) };
  const places = new Map([...known.keys()].map((value, place) => [value, place]));
  return {
    values: placesPage(Buffer.from(values.map((value) => places.get(value.toString('hex')) ?? 0))),
    dictionary: { count: known.size, values: Buffer.concat([...known.values()]) },
  };
}

/** A Parquet file as a connector writes its segments; pages of every second row group have dictionaries. */
export function pagedFile(columns: readonly PagedColumn[]): Buffer {
  const named = columns.map(({ name, type }): NamedType => {
    const stored = storedType(type);
    if (stored === undefined) throw new Error(`${type} has no form`);
    return { name, type: stored };
  });
  const parts: Buffer[] = [];
  const writer = fileWriter({ schema: flatSchema(named), leaves: named.map(leafOf) }, (part) => void parts.push(part));
  const groups = columns[0]?.groups ?? [];
  for (const [at, { length: rows }] of groups.entries()) {
    const pages = columns.map(({ type, groups: all }) => {
      const values = all[at] ?? [];
      const own = values.filter((value) => value !== null);
      const encoded: Pick<ColumnPage, 'values' | 'dictionary'> =
        type === 'boolean'
          ? { values: bits(own.map(({ key }) => key === 1n)) }
          : encodedOf(
              own.map((value) => plain(type, value)),
              at % 2 === 0,
            );
      const nulls = values.length - own.length;
      const present = nulls === 0 ? undefined : bits(values.map((value) => value !== null));
      return packedPage(rows, { ...encoded, nulls, present });
    });
    writer.add(rows, pages);
  }
  writer.end();
  return Buffer.concat(parts);
}
