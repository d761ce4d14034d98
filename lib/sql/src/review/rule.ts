import { type AstNode, offsetOf } from '../ast.ts';
import type { Select } from '../selects/bound.ts';
import type { Statement } from '../selects/selects.ts';

/** `error`: it does not do what it says. `warning`: it may give other rows than are meant. `note`: there is a better way. */
export type Severity = 'error' | 'warning' | 'note';

/** A way in which a statement may not do what its author means. */
export interface Rule {
  readonly id: string;
  readonly severity: Severity;
  /** What happens and what to do about it, for people. */
  readonly message: string;
  /** A statement that breaks the rule, and one that says the same without. */
  readonly bad: string;
  readonly good: string;
}

/** Where a statement breaks a rule. */
export interface Broken {
  readonly rule: Rule;
  readonly offset: number;
  /** The name that is at fault, as the author wrote it. */
  readonly name?: string | undefined;
}

export type OfSelect = (select: Select, statement: Statement) => Broken[];
export type OfStatement = (statement: Statement) => Broken[];

/** A place where a rule is broken; a node without a place in the text is found at the statement's begin. */
export const broken = (rule: Rule, node: AstNode, name?: string): Broken => ({
  rule,
  offset: placeIn(node) ?? 0,
  name,
});

/** The first byte of a node, or of what is in it. */
function placeIn(node: AstNode): number | undefined {
  const own = offsetOf(node);
  if (own !== undefined) return own;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      const found = typeof child === 'object' && child !== null ? placeIn(child as AstNode) : undefined;
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
