import type { Kernel } from '@weir/kernel';
import type { DeclaredTable, TablesDeclared } from '@weir/plugin-datasets/contract';
import { SourceEntity } from '../../model/source/entity.ts';
import { StreamEntity } from '../../model/stream/entity.ts';
import { columnKind, isOfFiles } from '../../model/stream/needed-columns.ts';
import { bronzeNamespace } from '../../model/stream/view.ts';

/** The tables of enabled streams, with the columns of their schemas. */
export function declaredTables({ db }: Pick<Kernel, 'db'>): TablesDeclared {
  return (tenant, refs) =>
    db(tenant).transaction(async (tx) => {
      const namespace = bronzeNamespace(tenant);
      const tables = refs.filter((ref) => ref.namespace === namespace).map(({ table }) => table);
      if (tables.length === 0) return [];
      const streams = await tx.find(StreamEntity, { destinationTable: { $in: tables }, enabled: true });
      const sourceId = { $in: streams.map((row) => row.sourceId) };
      const sources = await tx.find(SourceEntity, { sourceId, status: { $ne: 'retired' } });
      const byId = new Map(sources.map((row) => [row.sourceId, row]));
      return streams.flatMap((row): DeclaredTable[] => {
        const source = byId.get(row.sourceId);
        if (source === undefined) return [];
        const { sourceId: id, name } = source;
        const next = { operation: 'sources.start_sync', params: { source_id: id }, text: `Sync the source ${name}` };
        const columns = {
          jsonSchema: row.jsonSchema,
          columns: columnKind(row),
          ofFiles: isOfFiles(source, row),
        } as const;
        return [
          { ref: { namespace, table: row.destinationTable }, producer: { kind: 'source', id, name }, next, columns },
        ];
      });
    });
}
