import { readFileSync } from 'node:fs';

export const ORDERS = 'bronze.acme.orders';

/** Statements of the gate's own test, over a table that may be read. */
const known = (
  JSON.parse(readFileSync(new URL('../../../lib/sql/test/fixtures/hostile.json', import.meta.url), 'utf8')) as [
    string,
  ][]
).map(([sql]) => sql.replaceAll(/(?<=(?:from|table|describe|summarize|copy|into|join) )t\b/g, ORDERS));

/** Statements about a file of the input, a folder of this machine, and tables of another tenant; none may answer. */
export function hostileStatements(file: string, folder: string): string[] {
  const own = [...ofFiles(file, folder), ...ofSettings(file, folder)];
  return [...new Set([...own, ...known])].filter((sql) => sql !== '');
}

const ofFiles = (file: string, folder: string) => [
  `copy (select 1) to '${file}' (use_tmp_file false)`,
  `copy ${ORDERS} to '${folder}/x.parquet'`,
  `copy (from ${ORDERS}) to '${folder}/x.csv'`,
  `export database '${folder}'`,
  `import database '${folder}'`,
  `attach '${folder}/x.db' as x`,
  `attach '${file}'`,
  `select 1; attach '${folder}/x.db'`,
  `select * from glob('${folder}/**')`,
  `select * from glob('/proc/self/*')`,
  `from '${file}'`,
  `from "${file}"`,
  `select * from read_parquet('${file}')`,
  `select * from parquet_metadata('${file}')`,
  `from read_blob('${file}')`,
  `select * from ${ORDERS}, '${file}'`,
  `select (select count(*) from "${file}")`,
  `with x as (from '${file}') from x`,
  "select * from duckdb_settings() where name = 'allowed_paths'",
  "from read_text('/proc/self/environ')",
  `select current_setting('allowed_paths') from ${ORDERS}`,
  'pragma database_list',
  'from pragma_show_tables()',
  `from query('from "${file}"')`,
  `from query_table('${file}')`,
  `from query_table(['${ORDERS}'])`,
  `select x from (select 1) y, lateral (from read_csv('${file}')) x`,
  `from (from (from sniff_csv('${file}')))`,
  "set variable x = 1; select getvariable('x')",
  'reset lock_configuration',
  "set allowed_paths = ['/']",
  "load '/tmp/x.duckdb_extension'",
  'install httpfs from community',
  'create macro f() as table from glob(0)',
  `create or replace view ${ORDERS} as select 1`,
];

const ofSettings = (file: string, folder: string) => [
  `update ${ORDERS} set id = 0`,
  `delete from ${ORDERS}`,
  'begin',
  `truncate ${ORDERS}`,
  `alter table ${ORDERS} drop id`,
  `insert into ${ORDERS} values (1)`,
  `select 1 /* ' */; copy (select 1) to '${folder}/y'`,
  `select 1 --\n; drop view ${ORDERS}`,
  `;;from '${file}'`,
  `\u00a0from\u2003'${file}'`,
  'from \ufeff"/etc/passwd"',
  "from '/etc/pass\u200bwd'",
  'select * from bronze.other.orders',
  'from "bronze"."other"."orders"',
  'from bronze.other.absent',
  'from orders',
  'from bronze.main.orders',
  'from "bronze.acme".orders',
  `from "${ORDERS}"`,
  'from memory.main.orders',
  'show tables',
  'from bronze.information_schema.tables',
  'from system.information_schema.columns',
  'from temp.sqlite_master',
  `select columns(*) from ${ORDERS}, duckdb_functions()`,
  `from ${ORDERS} at (timestamp => now())`,
  'checkpoint',
  `select getenv(name) from ${ORDERS}`,
  "select list_transform(['HOME'], x -> getenv(x))",
  'from duckdb_secrets()',
  `select error(name) as v from ${ORDERS}`,
  `select name::int as v from ${ORDERS}`,
  `select json(name) as v from ${ORDERS}`,
  `select strptime(name, '%Y') as v from ${ORDERS}`,
  `select name::date as v from ${ORDERS}`,
];

/** Statements that have no end, or need more than a machine has. */
export const RUNAWAYS: readonly string[] = [
  'with recursive r(n) as (select 1 union all select n % 7 from r) select max(n) as n from r',
  "select length(repeat('x', 2000000000)) as n",
  'select count(*) as n from range(1000000000000) a, range(1000000000000) b where a.range * b.range = 7',
  'select list(range) as n from range(10000000000)',
  "select levenshtein(repeat('ab', 200000), repeat('ba', 200000)) as n",
  'select string_agg(md5(range::varchar)) as n from range(10000000000)',
  'select md5(range::varchar) as n from range(10000000000) order by 1',
  `select ${'abs('.repeat(400)}range${')'.repeat(400)} as n from range(10000000000) order by random()`,
  `select ${Array.from({ length: 40 }, (_, at) => `count(distinct range + ${at}) as c${at}`)} from range(100000000000)`,
];
