/** Lines that read a table by its metadata file, each for one engine. */
export function openLines(location: string, snapshot: string | undefined): [engine: string, line: string][] {
  const at = location.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  const scan = snapshot === undefined ? 'scan()' : `scan(snapshot_id=${snapshot})`;
  const duck = snapshot === undefined ? '' : `, snapshot_from_id = ${snapshot}`;
  const spark = snapshot === undefined ? '' : `.option('snapshot-id', '${snapshot}')`;
  return [
    ['PyIceberg', `from pyiceberg.table import StaticTable\nStaticTable.from_metadata('${at}').${scan}.to_arrow()`],
    [
      'DuckDB',
      `install iceberg; load iceberg;\nselect * from iceberg_scan('${location.replaceAll("'", "''")}'${duck}) limit 10;`,
    ],
    ['Spark', `spark.read.format('iceberg')${spark}.load('${at}').show()`],
  ];
}
