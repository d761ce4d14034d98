import type { RunImage } from '@weir/connector-runtime';

/** An image that was run, and the name by which the pattern has it. */
export type NamedImage = RunImage & { readonly reference: string };

/** The image of a sync, and the version of the pattern that had it then; runs of earlier releases do not say the version. */
export type SyncImage = NamedImage & { readonly patternVersion?: string };
