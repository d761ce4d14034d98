import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { createRewriter, type LiveFile, localFileIO } from '../src/index.ts';
import { plannedFiles } from '../src/scan/plan-read.ts';
import { makeTable, someTable } from './deleted-rows.ts';
import { liveFile } from './live-file.ts';
import { readingPlace, schemaOf } from './typed-table.ts';
import { VALUES } from './typed-values.ts';

const TABLES = 16;
const SCHEMA = schemaOf(['int', ...VALUES.map(([type]) => type)]);
const TABLE = { schemas: [SCHEMA], properties: {}, 'current-schema-id': 0 };

t.test(
  'files with deletes of every kind → files with the rows that are left, sorted where asked, proved',
  async (t) => {
    const { folder, writer, pool } = await readingPlace(t);
    const rewriter = await createRewriter({
      io: localFileIO({ root: folder }),
      scratch: join(folder, 'scratch'),
      threads: 1,
    });
    t.teardown(() => rewriter.close());
    const idsOf = async (files: readonly LiveFile[]) => {
      const page = { files: plannedFiles(files), schema: SCHEMA, table: TABLE, columns: ['c1'], limit: 1_000 };
      return (await pool.preview(page)).rows.flat().map(Number);
    };
    let gone = 0;
    for (const [at, table] of fc.sample(someTable, TABLES).entries()) {
      const made = await makeTable(writer, SCHEMA, table);
      gone += made.gone;
      if (made.live.length === 0) continue;
      const isSorted = at % 2 === 0;
      const request = {
        files: made.live,
        schema: SCHEMA,
        table: TABLE,
        targetBytes: 2 ** 20,
        folder: `file://${folder}/w${at}`,
      };
      const result = await rewriter.rewrite({ ...request, sortBy: isSorted ? [100] : [] });
      const left = made.live.flatMap(({ location }) => made.left.get(location) ?? []).map(({ id }) => id);
      t.match(result, { deletedRows: String(made.gone), before: { rows: String(left.length) }, after: result.before });
      const files = result.files.map(({ location, record_count: rows }) =>
        liveFile({ location, recordCount: BigInt(rows) }),
      );
      const found = await idsOf(files);
      t.strictSame(
        isSorted ? found : found.toSorted((a, b) => a - b),
        left.toSorted((a, b) => a - b),
      );
    }
    t.ok(gone > 0);
  },
);
