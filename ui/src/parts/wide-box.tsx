// biome-ignore-all lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
import type { ReactNode } from 'react';

/** Something that may be wider than the window, which scrolls by itself then. */
export function WideBox({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section className="panel scroll-x" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
