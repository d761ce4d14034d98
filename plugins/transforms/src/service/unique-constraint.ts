/**
 * The name of the unique constraint that refused a row, or undefined for any other error. Inside a transaction the
 * driver's own error arrives, at its end the kernel's; both carry the name.
 */
export function uniqueConstraint(error: unknown): string | undefined {
  const { constraint, cause } = (error ?? {}) as { constraint?: unknown; cause?: unknown };
  if (typeof constraint === 'string') return constraint;
  return cause === undefined ? undefined : uniqueConstraint(cause);
}
