/**
 * Flags for the Node of a process that reads a connector. Its heap is small, and every chunk that it reads is memory
 * beside it, for which V8 would begin to mark the heap again and again, on threads of its own: a tenth of all the work.
 */
export const READER_FLAGS: readonly string[] = ['--no-incremental-marking'];
