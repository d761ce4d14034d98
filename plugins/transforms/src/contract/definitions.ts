import { contributionPoint, type Input, type Output, service, type Tenant } from '@weir/kernel/contract';
import type { CallerTransaction } from '@weir/plugin-datasets/contract';
import type { TransformOriginView } from './origin.ts';
import type { runQuery } from './queries.ts';
import type { createTransform, TransformView } from './transforms.ts';
import type { validateTransform } from './validate.ts';

type Body = Input<typeof createTransform>['body'];
/** A transform as a request describes it: by a statement or by a pattern. */
export type GivenTransform = Body;
type Written = Pick<Body, 'materialization' | 'key' | 'partition_by' | 'incremental' | 'checks'>;

/** A statement, how its rows are written, and the checks that come with it. */
export interface Definition extends Written {
  sql: string;
}

/** A transform to be made, of a statement or of what a form made. */
export interface NewTransform extends Definition, Pick<Body, 'name' | 'output' | 'dialect' | 'description' | 'tags'> {
  origin?: TransformOriginView | undefined;
}

/** Definitions of transforms, for plugins that make them. Throws the problems of the routes that do the same. */
export interface DefinitionsService {
  create(tenant: Tenant, createdBy: string, transform: NewTransform): Promise<TransformView>;
  /** Makes transforms in the transaction of a caller, which is within `whereTaken`. */
  make(tx: CallerTransaction, createdBy: string, given: GivenTransform): Promise<TransformView>;
  /** Carries out a transaction that makes transforms, and says which name or table was taken meanwhile. */
  whereTaken<T>(work: () => Promise<T>): Promise<T>;
  /** Finds what is wrong in a definition, and what it would read and make; nothing is stored. */
  validate(tenant: Tenant, definition: Definition, signal: AbortSignal): Promise<Output<typeof validateTransform>>;
  /** The first rows of a statement. */
  preview(tenant: Tenant, query: Input<typeof runQuery>['body']): Promise<Output<typeof runQuery>>;
}
export const Definitions = service<DefinitionsService>('transforms.definitions@1');

/** Makes definitions of transform patterns; throws the problems of whoever gives it. */
export interface PatternMaker {
  make(
    patternId: string,
    parameters: Readonly<Record<string, unknown>>,
  ): Promise<{ definition: Definition; origin: TransformOriginView }>;
}
/** Where the plugin that knows transform patterns offers to make definitions of them. */
export const PatternMakers = contributionPoint<PatternMaker>('transform.pattern');

/** What became of a transform. `changed` is any change of its draft, its name or its words, and its return from the archive. */
export interface TransformChange {
  readonly transform_id: string;
  /** Its etag after the change, or the last one of a transform that is deleted. */
  readonly version: number;
  readonly change: 'made' | 'changed' | 'hydrated' | 'archived' | 'deleted';
}

/** Called in the transaction of the change; before the rows go where it is `deleted`. A throw refuses the change. */
export type TransformChanged = (tx: CallerTransaction, change: TransformChange) => Promise<void>;

/** Who follows the changes of transforms, or keeps them from being made. */
export const TransformChanges = contributionPoint<TransformChanged>('transform.changed');
