import type { DevState } from '../folder/state.ts';
import { DEMO_FILES, DEMO_TENANT } from './demo-data.ts';

/** The table of the demo with the most rows. */
export const DEMO_TABLE = `bronze.${DEMO_TENANT}.${DEMO_FILES[0]?.table}`;

/** One way to open a table with an independent reader: a line to install it once, and a line to run. */
export interface OpenLine {
  reader: string;
  install: string;
  run: string;
}

/** Quotes a word for a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * Lines that can be pasted into a shell and count the rows of a table without us: PyIceberg by the catalog, and
 * DuckDB's own Iceberg reader by the metadata file, with its signed extensions as packages rather than a download.
 */
export function openLines(
  state: Pick<DevState, 'catalog' | 'warehouse'>,
  table: string,
  metadataLocation: string,
): OpenLine[] {
  const { name, uri } = state.catalog;
  const load = [
    'from pyiceberg.catalog import load_catalog',
    `t = load_catalog("${name}", type="sql", uri="${uri}", warehouse="file://${state.warehouse}", init_catalog_tables="false").load_table("${table}")`,
  ];
  const python = (...lines: string[]) => `python3 -c ${quoted(lines.join('; '))}`;
  return [
    {
      reader: 'PyIceberg',
      install: "pip install 'pyiceberg[sql-postgres,pyarrow]==0.12.0'",
      run: python(...load, 'print(t.scan().count())'),
    },
    {
      reader: 'DuckDB',
      install: 'pip install duckdb==1.5.5 duckdb-extension-avro==1.5.5 duckdb-extension-iceberg==1.5.5',
      run: python(
        'import duckdb, duckdb_extension_avro as a, duckdb_extension_iceberg as i',
        'c = duckdb.connect()',
        '[c.load_extension(m.__path__[0] + "/extensions/v" + duckdb.__version__ + "/" + m.__name__[17:] + ".duckdb_extension") for m in (a, i)]',
        `print(c.execute("select count(*) from iceberg_scan(?)", [${JSON.stringify(metadataLocation)}]).fetchone()[0])`,
      ),
    },
  ];
}
