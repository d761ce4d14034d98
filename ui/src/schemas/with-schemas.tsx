import type { ReactNode } from 'react';
import { WithPlugin } from '../session/with-plugin.tsx';

/** The pages of schemas, for tenants that have them. */
export const WithSchemas = ({ title, children }: { title: string; children: ReactNode }) => (
  <WithPlugin
    plugin="schema-registry"
    title={title}
    purpose="Here teams agree on shapes: published models, versions of their own schemas, and what a change would break."
  >
    {children}
  </WithPlugin>
);
