// The program that maps the rows of a table to entities. It answers one question, and has no credential and no store.
import { createSelector, givenFiles, LakehouseError, loadSelector } from '@weir/plugin-datasets/stage';
import { answerParent } from '@weir/processes';
import { gate, volatileOf } from '@weir/sql';
import type { MapAnswer, MapCode, MapQuestion } from '../model/sync/map-question.ts';
import { mappingSql } from '../model/sync/mapping.ts';

class Refused extends Error {
  readonly code: MapCode;

  constructor(code: MapCode) {
    super(code);
    this.code = code;
  }
}

/** The one plain SELECT that the mapping makes: what its author wrote adds no column, no group and no second query. */
function isPlain(ast: unknown, columns: number): boolean {
  const { statements } = ast as { statements?: { node?: Record<string, unknown> }[] };
  const {
    type,
    select_list: list,
    group_expressions: groups,
    modifiers,
    having,
    qualify,
  } = statements?.[0]?.node ?? {};
  const isEmpty = (value: unknown) =>
    value === null || value === undefined || (Array.isArray(value) && value.length === 0);
  return (
    type === 'SELECT_NODE' &&
    (Array.isArray(list) ? list.length : 0) === columns &&
    [groups, modifiers, having, qualify].every(isEmpty)
  );
}

async function map(question: MapQuestion, seal: () => Promise<void>): Promise<MapAnswer> {
  const { mapping, rows, scratch, lines, memoryLimit, threads, deadlineMs } = question;
  await loadSelector();
  const { sql, columns, over } = mappingSql(mapping);
  const name = mapping.spec.dataset_id;
  const selector = createSelector({
    io: givenFiles({ paths: question.paths, drafts: scratch }),
    scratch,
    memoryLimit,
    threads,
    deadlineMs,
    async gate({ ast, sql: text }) {
      if (gate(ast, { sql: text, inputs: [name.split('.')] }).length > 0 || !isPlain(ast, columns))
        throw new Refused('mapping_refused');
      const { clock, chance } = volatileOf(ast);
      if (clock.length + chance.length > 0) throw new Refused('mapping_volatile');
      // DuckDB has its threads by then, and has run nothing that the author wrote.
      await seal();
    },
  });
  return selector.over({ sql, inputs: new Map([[name, rows]]), folder: 'lines' }, async (found) => {
    const statements = over(found.result);
    const [counts] = await found.rows<{ read: string; nulls: string }>(statements.counts);
    const doubled = await found.rows<{ hash: string; keys: string }>(statements.doubled);
    await found.lines(statements.lines, lines);
    const hashes = doubled.map(({ hash }) => hash);
    return {
      read: Number(counts?.read ?? 0),
      nulls: Number(counts?.nulls ?? 0),
      doubled: { keys: Number(doubled[0]?.keys ?? 0), hashes },
    };
  });
}

// Messages of DuckDB quote values: none of them leaves this process.
answerParent<MapQuestion>(map, (error) => {
  if (error instanceof Refused) return error.code;
  if (!(error instanceof LakehouseError)) return 'mapping_failed' satisfies MapCode;
  return error.code === 'query_failed' || error.fault !== undefined ? ('mapping_failed' satisfies MapCode) : error.code;
});
