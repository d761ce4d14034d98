/** What a bounded child is asked. */
export type ToChild = { readonly question: unknown; readonly memoryMiB: number };

/** What it says: an answer, the code of a failure, or that it lives. */
export type FromChild = { readonly answer: unknown } | { readonly code: string } | { readonly pulse: true };
