"""Spark over the tables of our JDBC catalog."""
import datetime
import functools
import os

from pyspark.sql import SparkSession
from pyspark.sql.functions import lit
from pyspark.sql.types import ArrayType, TimestampType

from shown import serve

SYMBOLS = {"eq": "=", "ge": ">=", "lt": "<"}
TYPES = {"long": "bigint", "timestamp": "timestamp_ntz", "timestamptz": "timestamp", "uuid": "string"}
ROWS_TO_APPEND = 2
PART = "_part_of_the_answer"


def quoted(name):
    return "`" + name.replace("`", "``") + "`"


def literal(text):
    return "r'" + text + "'"


def condition(column, type, op, text=None):
    if op == "is_null":
        return f"{quoted(column)} IS NULL"
    return f"{quoted(column)} {SYMBOLS[op]} CAST({literal(text)} AS {TYPES.get(type, type)})"


def plain(value):
    """Rows are tuples, and so are structs in them; maps are the only dictionaries."""
    if isinstance(value, dict):
        return [[plain(key), plain(one)] for key, one in sorted(value.items())]
    return [plain(one) for one in value] if isinstance(value, (tuple, list)) else value


def values(frame):
    # A time with a zone would come to Python without it, in the zone of the machine.
    zoned = [isinstance(field.dataType, TimestampType) for field in frame.schema.fields]
    columns = [f"CAST({quoted(name)} AS timestamp_ntz) AS {quoted(name)}" if zone else quoted(name)
               for name, zone in zip(frame.columns, zoned)]
    utc = lambda value, zone: value.replace(tzinfo=datetime.timezone.utc) if zone and value else plain(value)
    return [[utc(value, zone) for value, zone in zip(row, zoned)] for row in frame.selectExpr(*columns).collect()]


def read(table, conditions):
    """All rows, and those that fit each condition: one job, as each costs more than its rows do."""
    parts = [table.withColumn(PART, lit("rows"))]
    parts += [table.where(condition(**one)).withColumn(PART, lit(str(at))) for at, one in enumerate(conditions)]
    answer = {"rows": [], **{str(at): [] for at in range(len(conditions))}}
    for *row, part in values(functools.reduce(lambda one, other: one.union(other), parts)):
        answer[part].append(row)
    return answer


def engine(request):
    options = {
        "spark.jars": os.environ["WEIR_TEST_SPARK_JARS"],
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.catalog.weir": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.weir.catalog-impl": "org.apache.iceberg.jdbc.JdbcCatalog",
        "spark.sql.catalog.weir.uri": request["catalog"]["jdbc"],
        "spark.sql.catalog.weir.jdbc.schema-version": "V1",
        "spark.sql.catalog.weir.warehouse": request["warehouse"],
        "spark.sql.catalog.weir.cache-enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
    }
    builder = SparkSession.builder.master("local[1]")
    for key, value in options.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")

    def work(asked):
        name = f"weir.{request['namespace']}.{quoted(asked['name'])}"
        table = session.table(name)
        if not request["append"]:
            return read(table, asked["conditions"])
        some = table.limit(ROWS_TO_APPEND).localCheckpoint()
        if some.count() == 0:
            empty = tuple([] if isinstance(field.dataType, ArrayType) else None for field in table.schema.fields)
            some = session.createDataFrame([empty], table.schema)
        rows = values(some)
        some.writeTo(name).append()
        return {"rows": rows}

    return work


serve(engine)
