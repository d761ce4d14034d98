import pg from 'pg';
import type { Place } from '../proof.ts';

const PAGE_ROWS = 500;
const SEPARATOR = Buffer.from('\n');
const OWN = `select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'm', 'p') and n.nspname not in ('pg_catalog', 'information_schema')
  and n.nspname !~ '^pg_(toast|temp)' order by 1, 2`;

/** Every column of every table, as the superuser reads it: texts as they are, and bytes as bytes. */
export const database: Place = {
  name: 'database',
  about: 'every row of every table, column by column; a sealed column holds no canary, so none is left out',
  // What anybody may see of a source lies in a table too.
  async leak({ platform, fault }, control) {
    const source_config = { path: '/nowhere', glob: control.text };
    const body = { name: 'control-database', pattern_id: 'files', source_config };
    const { status } = await platform.call({ method: 'POST', path: '/sources', body, label: '/sources (control)' });
    if (status !== 201) fault(`the control of the database was answered ${status}`);
  },
  async lookAlive({ platform }, look) {
    const client = new pg.Client({ connectionString: platform.services.databaseUrl });
    // Everything as the server writes it, so that no type is turned into something else first.
    const plain = { getTypeParser: (type: number) => (type === pg.types.builtins.BYTEA ? bytesOf : String) };
    await client.connect();
    try {
      await client.query('begin');
      const tables = (await client.query<{ schema: string; name: string }>(OWN)).rows;
      for (const { schema, name } of tables) {
        const table = `${client.escapeIdentifier(schema)}.${client.escapeIdentifier(name)}`;
        await client.query(`declare rows cursor for select * from ${table}`);
        const columns = new Map<string, Uint8Array[]>();
        for (;;) {
          const page = await client.query({ text: `fetch ${PAGE_ROWS} from rows`, types: plain, rowMode: 'array' });
          for (const row of page.rows as unknown[][])
            for (const [at, value] of row.entries()) {
              const column = page.fields[at]?.name ?? String(at);
              const parts = columns.get(column) ?? [];
              columns.set(column, parts);
              if (value !== null)
                parts.push(value instanceof Uint8Array ? value : Buffer.from(String(value)), SEPARATOR);
            }
          if (page.rows.length < PAGE_ROWS) break;
        }
        await client.query('close rows');
        for (const [column, parts] of columns) await look.chunks(`${schema}.${name}.${column}`, parts);
      }
      await client.query('rollback');
    } finally {
      await client.end();
    }
  },
};

const bytesOf = (text: string) => Buffer.from(text.slice(2), 'hex');
