import type { RunImage } from '@weir/connector-runtime';

/** How many images are remembered; patterns name far fewer. */
const MAX_KNOWN = 1_000;

/** The connectors whose specification was found good, by reference and digest; those without an image by reference alone. */
export interface KnownSpecs {
  /** Whether any image was, under this reference. */
  has(reference: string): boolean;
  /** Whether this one was. */
  isOf(reference: string, image: RunImage | null): boolean;
  add(reference: string, image: RunImage | null): void;
}

/** Remembers them for as long as the process lives: what a connector says of its configuration goes by its image. */
export function knownSpecs(): KnownSpecs {
  const known = new Map<string, string>();
  const keyOf = (image: RunImage | null) => image?.digest ?? '';
  return {
    has: (reference) => known.has(reference),
    isOf: (reference, image) => known.get(reference) === keyOf(image),
    add(reference, image) {
      if (known.size >= MAX_KNOWN) known.clear();
      known.set(reference, keyOf(image));
    },
  };
}
