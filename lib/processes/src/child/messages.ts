/** What a bounded child is asked, and that it is sealed as it asked to be. */
export type ToChild = { readonly question: unknown; readonly memoryMiB: number } | { readonly sealed: true };

/** What it says: an answer, the code of a failure, that it lives, or that it begins no more threads. */
export type FromChild =
  | { readonly answer: unknown }
  | { readonly code: string }
  | { readonly pulse: true }
  | { readonly seal: true };
