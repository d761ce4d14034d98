import type { ReactNode } from 'react';
import { WithPlugin } from '../session/with-plugin.tsx';

/** The pages of the ontology, for tenants that have it. */
export const WithOntology = ({ title, children }: { title: string; children: ReactNode }) => (
  <WithPlugin
    plugin="ontology"
    title={title}
    purpose="Here you say what the things of your business are: their properties, keys and relationships, with versions."
  >
    {children}
  </WithPlugin>
);
