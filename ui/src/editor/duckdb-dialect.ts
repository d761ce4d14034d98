import { SQLDialect } from '@codemirror/lang-sql';

/** The words of a SELECT: whole dialects name hundreds that no statement here may have. */
export const DUCKDB = SQLDialect.define({
  keywords:
    'all and any anti array as asc asof between both by case cast collate columns cross cube current date_part desc distinct else end escape except exclude exists extract fetch filter first following for from full group grouping having ilike in inner intersect interval into is isnull join last lateral left like limit natural not notnull nulls offset on only or order outer over partition percent pivot positional preceding qualify range recursive replace respect right rollup row rows sample select semi sets similar some struct table tablesample then to try_cast unbounded union unique unnest unpivot using values when where window with within without true false null',
  types:
    'bigint bit blob boolean bool char date datetime decimal double float hugeint int integer interval json numeric real smallint string text time timestamp timestamptz tinyint ubigint uhugeint uinteger usmallint utinyint uuid varchar',
  builtin:
    'abs avg ceil coalesce concat count date_diff date_trunc dense_rank floor greatest lag lead least length list lower max median min mode nullif rank regexp_matches regexp_replace round row_number split_part strftime strptime substring sum trim upper',
  operatorChars: '+-*/<>=~!@#%^&|`?',
  doubleDollarQuotedStrings: false,
  charSetCasts: false,
  identifierQuotes: '"',
});
