"""Writes the golden tables of Spark: `python write_with_spark.py <folder of the iceberg-spark-runtime jar>`."""
import glob
import sys

from pyspark.sql import SparkSession

from golden import PREFIX, keep, newest_metadata

HOME = f"{PREFIX}/spark"
OPTIONS = {
    "spark.jars": ",".join(glob.glob(f"{sys.argv[1]}/*.jar")),
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.sql.catalog.g": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.g.type": "hadoop",
    "spark.sql.catalog.g.warehouse": f"file:{HOME}",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "1",
    "spark.ui.enabled": "false",
}

PLAIN = "id int, s string, m decimal(9, 2), at timestamp"
ROWS = """SELECT CAST(id AS int) id, concat('text ', id) s, CAST(id + 0.25 AS decimal(9, 2)) m,
  timestamp'2024-01-01 00:00:00.000001Z' + make_interval(0, 0, 0, CAST(id AS int), CAST(id AS int)) at FROM range({}, {})"""

TABLES = {
    "v1": [
        f"CREATE TABLE g.n.v1 ({PLAIN}) USING iceberg PARTITIONED BY (s) "
        "TBLPROPERTIES ('format-version' = '1', 'write.metadata.compression-codec' = 'gzip')",
        f"INSERT INTO g.n.v1 {ROWS.format(1, 4)}",
        f"INSERT INTO g.n.v1 {ROWS.format(10, 12)}",
        "DELETE FROM g.n.v1 WHERE s = 'text 2'",
    ],
    "position_deletes": [
        f"CREATE TABLE g.n.position_deletes ({PLAIN}) USING iceberg PARTITIONED BY (bucket(2, id)) TBLPROPERTIES "
        "('format-version' = '2', 'write.delete.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read', "
        "'write.merge.mode' = 'merge-on-read', 'write.delete.granularity' = 'partition')",
        f"INSERT INTO g.n.position_deletes {ROWS.format(1, 20)}",
        f"INSERT INTO g.n.position_deletes {ROWS.format(20, 26)}",
        "DELETE FROM g.n.position_deletes WHERE id IN (3, 4, 21)",
        "UPDATE g.n.position_deletes SET s = 'new' WHERE id = 7",
        "MERGE INTO g.n.position_deletes t USING (SELECT 8 id UNION SELECT 99) f ON t.id = f.id "
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, s) VALUES (f.id, 'merged')",
    ],
    "rewritten": [
        f"CREATE TABLE g.n.rewritten ({PLAIN}) USING iceberg TBLPROPERTIES ('format-version' = '2', "
        "'write.delete.mode' = 'merge-on-read', 'write.parquet.compression-codec' = 'gzip')",
        *[f"INSERT INTO g.n.rewritten {ROWS.format(at, at + 3)}" for at in (1, 10, 20)],
        "DELETE FROM g.n.rewritten WHERE id = 11",
        "CALL g.system.rewrite_data_files(table => 'n.rewritten', "
        "options => map('rewrite-all', 'true', 'delete-file-threshold', '1'))",
        f"INSERT INTO g.n.rewritten {ROWS.format(30, 33)}",
        "CALL g.system.rewrite_manifests('n.rewritten')",
        "DELETE FROM g.n.rewritten WHERE id = 31",
    ],
    "renamed": [
        f"CREATE TABLE g.n.renamed ({PLAIN}, gone string, f float) USING iceberg",
        f"INSERT INTO g.n.renamed SELECT *, 'g', CAST(1.5 AS float) FROM ({ROWS.format(1, 4)})",
        "ALTER TABLE g.n.renamed RENAME COLUMN s TO t",
        "ALTER TABLE g.n.renamed DROP COLUMN gone",
        "ALTER TABLE g.n.renamed ADD COLUMN gone int FIRST",
        "ALTER TABLE g.n.renamed ALTER COLUMN id TYPE bigint",
        "ALTER TABLE g.n.renamed ALTER COLUMN f TYPE double",
        "ALTER TABLE g.n.renamed ALTER COLUMN m TYPE decimal(20, 2)",
        "INSERT INTO g.n.renamed VALUES (7, 5000000000, 'later', 123456789012.25, null, 0.1)",
    ],
    "nested": [
        "CREATE TABLE g.n.nested (id int, st struct<a: bigint, b: struct<c: string>>, li array<struct<x: double>>, "
        "ma map<string, array<int>>) USING iceberg",
        "INSERT INTO g.n.nested VALUES (1, named_struct('a', 1L, 'b', named_struct('c', 'c1')), "
        "array(named_struct('x', 0.5D), null), map('one', array(1, null), 'two', null)), (2, null, null, null), "
        "(3, named_struct('a', null, 'b', null), array(), map())",
        "ALTER TABLE g.n.nested ADD COLUMN st.late string",
        "ALTER TABLE g.n.nested RENAME COLUMN st.a TO z",
        "ALTER TABLE g.n.nested ADD COLUMN li.element.y int",
        "INSERT INTO g.n.nested VALUES (4, named_struct('z', 4L, 'b', null, 'late', 'l'), "
        "array(named_struct('x', 1D, 'y', 9)), map('k', array()))",
    ],
    "types": [
        "CREATE TABLE g.n.types (id int, b boolean, l bigint, f float, d double, m4 decimal(9, 2), m8 decimal(18, 4), "
        "m16 decimal(38, 10), day date, ts timestamp_ntz, tz timestamp, s string, bin binary) USING iceberg",
        "INSERT INTO g.n.types VALUES (1, true, 9223372036854775807, 1.5, 0.1, 9999999.99, 12345678901234.5678, "
        "9999999999999999999999999999.9999999999, date'2024-02-29', timestamp_ntz'2024-05-06 07:08:09.123456', "
        "timestamp'2024-05-06 07:08:09.123456Z', 'ü and more text than a bound keeps', X'00FF00'), "
        "(2, false, -9223372036854775808, -0.25, -1e300, -0.01, -0.0001, -1.0000000001, date'1969-12-31', "
        "timestamp_ntz'1969-12-31 23:59:59.999999', timestamp'1969-12-31 23:59:59.999999Z', '', X''), "
        "(3, null, null, float('NaN'), double('-Infinity'), null, null, null, null, null, null, null, null)",
    ],
    "spec_evolved": [
        f"CREATE TABLE g.n.spec_evolved ({PLAIN}) USING iceberg PARTITIONED BY (truncate(6, s))",
        f"INSERT INTO g.n.spec_evolved {ROWS.format(1, 3)}",
        "ALTER TABLE g.n.spec_evolved REPLACE PARTITION FIELD s_trunc WITH days(at)",
        f"INSERT INTO g.n.spec_evolved {ROWS.format(10, 12)}",
        "ALTER TABLE g.n.spec_evolved DROP PARTITION FIELD at_day",
        f"INSERT INTO g.n.spec_evolved {ROWS.format(20, 22)}",
    ],
    "names_only": [
        f"CREATE TABLE g.n.names_only ({PLAIN}) USING iceberg",
        f"CREATE TABLE names_source USING parquet LOCATION 'file:{HOME}/source' AS {ROWS.format(1, 4)}",
        f"CALL g.system.add_files(table => 'n.names_only', source_table => '`parquet`.`file:{HOME}/source`')",
        "ALTER TABLE g.n.names_only RENAME COLUMN s TO t",
        "INSERT INTO g.n.names_only VALUES (9, 'with ids', 9.25, null)",
    ],
    "empty": [f"CREATE TABLE g.n.empty ({PLAIN}) USING iceberg"],
}
for transform in ("identity(s)", "bucket(4, id)", "truncate(6, s)", "years(at)", "months(at)", "days(at)", "hours(at)"):
    name = f"by_{transform.split('(', maxsplit=1)[0]}"
    by = "s" if name == "by_identity" else transform
    TABLES[name] = [
        f"CREATE TABLE g.n.{name} ({PLAIN}) USING iceberg PARTITIONED BY ({by})",
        f"INSERT INTO g.n.{name} {ROWS.format(1, 5)}",
        f"INSERT INTO g.n.{name} VALUES (50, null, null, null)",
    ]


def values(row):
    """Rows are tuples, and so are structs in them; maps are the only dictionaries."""
    if isinstance(row, dict):
        return [[values(key), values(value)] for key, value in sorted(row.items())]
    return [values(one) for one in row] if isinstance(row, (tuple, list)) else row


def instants(table, session):
    """Times with a zone come to Python without one, in the zone of the session."""
    zoned = [f"date_format({f.name}, \"yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'\") {f.name}" if f.dataType.typeName() == "timestamp"
             else f.name for f in session.table(table).schema.fields]
    return session.sql(f"SELECT {', '.join(zoned)} FROM {table}").collect()


def main():
    builder = SparkSession.builder.master("local[1]")
    for key, value in OPTIONS.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    session.sql("CREATE NAMESPACE g.n")
    kept = {}
    for name, statements in TABLES.items():
        print(name, flush=True)
        for statement in statements:
            session.sql(statement)
        kept[name] = (f"file:{newest_metadata(f'{HOME}/n/{name}')}", values(instants(f"g.n.{name}", session)))
    session.stop()
    keep("spark", kept)


main()
