import type { StreamDescriptor } from '@weir/connector-sdk';

/** One stream's identity as text; equal exactly when the protocol says that two descriptors are the same stream. */
export type StreamKey = string;

/**
 * The identity of a stream. Namespace null, empty and absent are one thing, and a namespace that repeats the
 * stream's own name is none.
 */
export function streamKey({ name, namespace }: StreamDescriptor): StreamKey {
  const own = namespace === undefined || namespace === null || namespace === '' || namespace === name;
  return JSON.stringify([own ? null : namespace, name]);
}

/** The descriptor that a key was made from, in its one normal form. */
export function streamOfKey(key: StreamKey): StreamDescriptor {
  const [namespace, name] = JSON.parse(key) as [string | null, string];
  return namespace === null ? { name } : { name, namespace };
}
