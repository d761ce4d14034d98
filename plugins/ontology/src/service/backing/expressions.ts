import type { FieldFault, Tenant } from '@weir/kernel/contract';
import type { DefinitionsService } from '@weir/plugin-transforms/contract';
import type { BackingSpecView } from '../../contract/backing/document.ts';
import type { PropertyDocument, VersionDocumentView } from '../../contract/documents.ts';
import { isCastable } from '../../model/backing/castable.ts';
import { notCastable, type TableColumn } from '../../model/backing/faults.ts';
import { rowValueFaults } from '../../model/backing/row-values.ts';

/** An expression of a mapping, where it is, and the property that it fills; undefined of the row filter. */
interface Written {
  sql: string;
  pointer: string;
  property: PropertyDocument | undefined;
}

/** A statement with each expression on lines of its own. */
interface Statement {
  sql: string;
  /** The first line of each expression. */
  starts: readonly number[];
}

const OPENED = '(\n';
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const linesOf = (text: string): number => text.split('\n').length - 1;

/**
 * What is wrong in the expressions of a mapping, by pointers. They are judged as parts of one SELECT over the table, in a process
 * apart: by the gate of statements, and by the types of their results.
 */
export async function expressionFaults(
  { definitions }: { definitions: Pick<DefinitionsService, 'validate'> },
  tenant: Tenant,
  asked: { spec: BackingSpecView; type: VersionDocumentView; columns: readonly TableColumn[]; signal: AbortSignal },
): Promise<FieldFault[]> {
  const written = writtenIn(asked.spec, asked.type);
  if (written.length === 0) return [];
  const names = new Set(asked.columns.map(({ name }) => name.toLowerCase()));
  const beyond = written.flatMap(({ sql, pointer }) => rowValueFaults(sql, pointer, names));
  if (beyond.length > 0) return beyond;
  const { sql, starts } = statementOf(written, asked);
  const found = await definitions.validate(tenant, { sql }, asked.signal);
  if (found.faults.length > 0)
    return found.faults.map(({ code, line, message, nearest }) => {
      const meant = nearest === undefined ? '' : `; did you mean \`${nearest}\`?`;
      return { pointer: pointerAt(written, starts, line), code, message: `${message ?? 'is refused'}${meant}` };
    });
  const isWhole = found.inputs.length === 1 && found.columns.length === written.length + 1;
  if (!isWhole) return written.map(({ pointer }) => ({ pointer, code: 'not_one_value', message: 'is not one value' }));
  return written.flatMap(({ pointer, property }, at) => {
    const type = typeText(found.columns[at + 1]?.type);
    if (property !== undefined)
      return isCastable(type, property) || isJsonText(type, property) ? [] : [notCastable(type, property, pointer)];
    return type === 'boolean'
      ? []
      : [{ pointer, code: 'not_boolean', message: `is of the type ${type}, and has to be true or false` }];
  });
}

/** JSON is text in the words of the table format, also of an expression that casts to it. */
const isJsonText = (type: string, { value_type }: PropertyDocument): boolean =>
  value_type === 'json' && type === 'string';

function writtenIn({ property_mappings, row_filter }: BackingSpecView, { properties }: VersionDocumentView): Written[] {
  const values = property_mappings.flatMap(({ expression, property }, index) => {
    const filled = properties.find(({ code }) => code === property);
    const pointer = `/property_mappings/${index}/expression`;
    return expression === undefined ? [] : [{ sql: expression, pointer, property: filled }];
  });
  return [
    ...values,
    ...(row_filter === null ? [] : [{ sql: row_filter, pointer: '/row_filter', property: undefined }]),
  ];
}

/** A column of the table goes first: beside it an aggregate is refused, as a row has one value. */
function statementOf(
  written: readonly Written[],
  { spec, columns }: { spec: BackingSpecView; columns: readonly TableColumn[] },
): Statement {
  const [first] = columns;
  let sql = `select ${first === undefined ? '1' : quoted(first.name)} as r`;
  const starts: number[] = [];
  const add = (before: string, text: string, after: string) => {
    sql += `${before}${OPENED}`;
    starts.push(linesOf(sql) + 1);
    sql += `${text}\n)${after}`;
  };
  for (const [at, { sql: text }] of written.entries()) add(', ', text, ` as e${at}`);
  return { sql: `${sql} from ${spec.dataset_id.split('.').map(quoted).join('.')}`, starts };
}

/** The expression that has this line of the statement. */
function pointerAt(written: readonly Written[], starts: readonly number[], line: number | undefined): string {
  const at = starts.findLastIndex((start) => line !== undefined && start <= line);
  return written[Math.max(0, at)]?.pointer ?? '';
}

/** A type in the words of the table format. */
function typeText(type: unknown): string {
  if (typeof type === 'string') return type.replace(/,\s+/g, ',');
  const { list, struct } = type as { list?: unknown; struct?: unknown };
  if (list !== undefined) return `list<${typeText(list)}>`;
  return struct === undefined ? 'map<>' : 'struct<>';
}
