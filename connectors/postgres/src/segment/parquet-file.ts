import { type ColumnPage, fileWriter, flatSchema, leafOf, type NamedType, pagePacker } from '@weir/parquet';

/** A Parquet file whose bytes are gathered in memory. */
export type ParquetFile = {
  readonly rows: () => number;
  /** As it lies on disk. */
  readonly bytes: () => number;
  /** As it is when it is unpacked. */
  readonly plainBytes: () => number;
  /** Adds rows: a page for each column. Their memory is used until it is settled, and only then the next rows are added. */
  readonly add: (rows: number, pages: readonly ColumnPage[]) => Promise<void>;
  /** Ends the file and gives its bytes in their order. */
  readonly end: () => Buffer[];
};

/** Begins a file of columns that may all be NULL. */
export function parquetFile(columns: readonly NamedType[]): ParquetFile {
  const parts: Buffer[] = [];
  const file = fileWriter(
    { schema: flatSchema(columns), leaves: columns.map(leafOf) },
    (part) => void parts.push(part),
  );
  const packer = pagePacker();
  const { rows, bytes, plainBytes } = file;
  return {
    ...{ rows, bytes, plainBytes },
    async add(count, pages) {
      file.add(count, await Promise.all(pages.map((page) => packer.pack(count, page))));
    },
    end() {
      packer.close();
      file.end();
      return parts;
    },
  };
}
