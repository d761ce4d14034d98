import { type Static, Type } from '@sinclair/typebox';
import { Closed } from '@weir/kernel/contract';

/** Document of an identity policy of kind `entity_resolution`. */
export const EntityResolutionDocument = Closed({ entity_type: Type.String({ minLength: 1, maxLength: 63 }) });
export type EntityResolutionDocumentBody = Static<typeof EntityResolutionDocument>;

/** What a dry run of the kind looks at. */
export const EntitySample = Closed({ dataset_id: Type.String({ maxLength: 255 }) });
export type EntitySampleBody = Static<typeof EntitySample>;

/** What a dry run of the kind answers. */
export const EntityDryRun = Type.Object({ kind: Type.Literal('entity_resolution') });
export type EntityDryRunView = Static<typeof EntityDryRun>;
