import type { JsonSchema } from '@weir/connector-sdk';
import { identifier, literal } from '../sql-text.ts';
import { isNested } from './column-type.ts';

const ISO = '%Y-%m-%dT%H:%M:%S.%f';
const ISO_NANOSECONDS = '%Y-%m-%dT%H:%M:%S.%n';
const JSON_NUMBER = '-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?';
const JSON_INTEGER = '-?(0|[1-9][0-9]{0,17})';
/** Longer numerals stay text: they cannot be doubles as they stand. */
const MAX_NUMERAL_CHARS = 40;

/** A text of a moment that is no longer has no digits behind its microseconds. */
export const MICROSECOND_CHARS = 'yyyy-mm-ddThh:mm:ss.uuuuuu'.length;

const quoted = (text: string) => `'"' || ${text} || '"'`;
const asText = (value: string) => `to_json(${value}::VARCHAR)::VARCHAR`;
const matches = (value: string, pattern: string) => `regexp_full_match(${value}, ${literal(pattern)})`;

/**
 * The SQL of a typed value as JSON text, NULL for NULL: 64-bit integers and finite numbers as JSON numbers that
 * read back exactly, wider integers and decimals as strings, times in ISO form with microseconds, UTC times with Z.
 */
export function typedJson(name: string, type: string): string {
  const value = identifier(name);
  if (isNested(type)) return `to_json(${value})::VARCHAR`;
  switch (type) {
    case 'BOOLEAN':
    case 'TINYINT':
    case 'SMALLINT':
    case 'INTEGER':
    case 'BIGINT':
    case 'UTINYINT':
    case 'USMALLINT':
    case 'UINTEGER':
      return `${value}::VARCHAR`;
    case 'FLOAT':
    case 'DOUBLE':
      return `if(isfinite(${value}), ${value}::VARCHAR, ${quoted(`${value}::VARCHAR`)})`;
    case 'DATE':
    case 'TIME':
    case 'UUID':
    case 'UBIGINT':
    case 'HUGEINT':
    case 'UHUGEINT':
      return quoted(`${value}::VARCHAR`);
    case 'TIMESTAMP_NS':
      return quoted(`strftime(${value}, '${ISO_NANOSECONDS}')`);
    case 'TIMESTAMP':
    case 'TIMESTAMP_S':
    case 'TIMESTAMP_MS':
      return quoted(`strftime(${value}::TIMESTAMP, '${ISO}')`);
    case 'TIMESTAMP WITH TIME ZONE':
      return quoted(utcText(value));
    case 'BLOB':
      return quoted(`base64(${value})`);
    default:
      return asText(value);
  }
}

/**
 * The SQL of a CSV field as JSON text. A field that has the form of its column's type is written in that type's
 * JSON form; every other is passed on as the text it is, for the platform to judge. An empty field is null, and so
 * is a quoted empty one outside of text columns.
 */
export function fieldJson(name: string, schema: JsonSchema): string {
  const raw = identifier(name);
  const text = asText(inner(raw, schema));
  switch (schema.weir_type) {
    case 'int':
    case 'long':
      return `if(${matches(raw, JSON_INTEGER)}, ${raw}, ${text})`;
    case 'float':
    case 'double': {
      const isNumber = `length(${raw}) <= ${MAX_NUMERAL_CHARS} AND ${matches(raw, JSON_NUMBER)}`;
      return `if(${isNumber} AND isfinite(try_cast(${raw} AS DOUBLE)), ${raw}, ${text})`;
    }
    case 'boolean':
      return `coalesce(${booleanText(raw)}, ${text})`;
    default: {
      const parsed = parsedText(raw, schema);
      if (parsed === undefined) return text;
      const padded = parsedText(trimmed(raw), schema) ?? 'NULL';
      return `coalesce(${quoted(parsed)}, ${quoted(padded)}, ${text})`;
    }
  }
}

/** The SQL of a CSV field as the text that a reader finds in its JSON. */
export function fieldText(name: string, schema: JsonSchema): string {
  const raw = identifier(name);
  const text = inner(raw, schema);
  if (schema.weir_type === 'boolean') return `coalesce(${booleanText(raw)}, ${text})`;
  const parsed = parsedText(raw, schema);
  return parsed === undefined ? text : `coalesce(${parsed}, ${parsedText(trimmed(raw), schema)}, ${text})`;
}

/** A field without the blanks around it, NULL for an empty one. Few have a blank, and only those are looked at closely. */
export const trimmed = (raw: string) =>
  `CASE WHEN ${raw} = '' THEN NULL WHEN starts_with(${raw}, ' ') OR ends_with(${raw}, ' ') THEN trim(${raw}) ELSE ${raw} END`;
/** A field of a column of text as it is; of any other, blanks around a value are none of it. */
const inner = (raw: string, schema: JsonSchema) => (schema.weir_type === undefined ? raw : trimmed(raw));
/** Only these two words are truth values; others that a cast takes say something else. */
const booleanText = (raw: string) =>
  `CASE lower(${trimmed(raw)}) WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' END`;

/** A date or time in ISO form, NULL where the field has not the form of its column's type; undefined for other types. */
function parsedText(raw: string, schema: JsonSchema): string | undefined {
  const moment = momentSql(raw, schema);
  if (moment === undefined) return undefined;
  if (schema.weir_type === 'date') return `${moment}::VARCHAR`;
  return unlessFiner(raw, schema.weir_type === 'timestamp' ? `strftime(${moment}, '${ISO}')` : utcText(moment));
}

/** The day or moment that a field says, NULL where it has not the form of its column's type; undefined for other types. */
export function momentSql(raw: string, schema: JsonSchema): string | undefined {
  const format = typeof schema.weir_format === 'string' ? literal(schema.weir_format) : undefined;
  switch (schema.weir_type) {
    case 'date': {
      const date = format === undefined ? `try_cast(${raw} AS DATE)` : `try_strptime(${raw}, ${format})::DATE`;
      return `if(length(${raw}) <= 10, ${date}, NULL)`;
    }
    case 'timestamp': {
      const plain = `if(${matches(raw, '[0-9-]{8,10}[ T][0-9:.]+')}, try_cast(${raw} AS TIMESTAMP), NULL)`;
      return format === undefined ? plain : `try_strptime(${raw}, ${format})::TIMESTAMP`;
    }
    case 'timestamptz': {
      // Without an offset the text names no instant; it is not ours to choose one.
      const hasOffset = `CASE WHEN ends_with(${raw}, 'Z') THEN true ELSE ${matches(raw, '.*[0-9][+-][0-9:]{2,6}')} END`;
      return `if(${hasOffset}, try_cast(${raw} AS TIMESTAMPTZ), NULL)`;
    }
    default:
      return undefined;
  }
}

/** A moment of more digits than microseconds stays the text it is, for the platform to cut and to mark. */
function unlessFiner(raw: string, text: string): string {
  return `CASE WHEN length(${raw}) > ${MICROSECOND_CHARS} AND ${matches(raw, '.*[.][0-9]{7}.*')} THEN NULL ELSE ${text} END`;
}

function utcText(value: string): string {
  const time = `strftime(make_timestamp(epoch_us(if(isfinite(${value}), ${value}, NULL))), '${ISO}Z')`;
  return `coalesce(${time}, ${value}::VARCHAR)`;
}
