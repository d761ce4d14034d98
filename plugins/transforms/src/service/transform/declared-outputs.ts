import type { Kernel } from '@weir/kernel';
import type { DeclaredTable, TablesDeclared, TypedColumn } from '@weir/plugin-datasets/contract';
import { ArtifactEntity, TransformEntity } from '../../model/entities.ts';
import { tableRefOf } from '../../model/output.ts';

/** The outputs of transforms that are in use: with the columns of the version in force, where one is. */
export function declaredOutputs({ db }: Pick<Kernel, 'db'>): TablesDeclared {
  return (tenant, refs) =>
    db(tenant).transaction(async (tx) => {
      const outputs = refs.map(({ namespace, table }) => `${namespace}.${table}`);
      const rows = await tx.find(TransformEntity, { output: { $in: outputs }, archivedAt: null });
      const artifactId = { $in: rows.flatMap((row) => row.artifactId ?? []) };
      const artifacts = await tx.find(ArtifactEntity, { artifactId });
      const contents = new Map(artifacts.map((row) => [row.artifactId, row.content]));
      return rows.map((row): DeclaredTable => {
        const { transformId: id, name } = row;
        const content = contents.get(row.artifactId ?? '');
        const declared = { ref: tableRefOf(row.output), producer: { kind: 'transform' as const, id, name } };
        const params = { transform_id: id };
        if (content === undefined) {
          const text = `Put the transform ${name} in force`;
          return { ...declared, next: { operation: 'transforms.hydrate_transform', params, text } };
        }
        const next = { operation: 'transforms.materialize', params, text: `Run the transform ${name}` };
        const exactly = content.columns as readonly TypedColumn[];
        return { ...declared, next, columns: { jsonSchema: {}, columns: { exactly } } };
      });
    });
}
