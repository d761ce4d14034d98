import type { RunImage } from '@weir/connector-runtime';

/** An image that was run, and the name by which the pattern has it. */
export type NamedImage = RunImage & { readonly reference: string };
