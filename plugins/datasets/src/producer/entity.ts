import { defineEntity, p } from '@mikro-orm/core';

const PRODUCER_KINDS = ['source', 'transform', 'pipeline'] as const;

/** A row of `datasets.producer`: who writes which table. */
export const ProducerEntity = defineEntity({
  name: 'DatasetProducer',
  schema: 'datasets',
  tableName: 'producer',
  properties: {
    tenantId: p.uuid().primary(),
    namespace: p.text().primary(),
    tableName: p.text().primary(),
    kind: p.enum(PRODUCER_KINDS),
    producerId: p.uuid(),
    createdAt: p.datetime(),
  },
});
