import { idsOf, type Seeds } from './seeds.ts';

interface Operation {
  parameters?: { name: string; in: string; example?: unknown; schema: object }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
}

/** The parts of an OpenAPI document that examples go into. */
export interface Document {
  paths: Record<string, Record<string, Operation>>;
}

/** A copy of the document in which parameters and bodies have examples of things that exist. */
export function withExamples(document: Document, seeds: Seeds): Document {
  const copy = structuredClone(document);
  for (const [path, operations] of Object.entries(copy.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const label = `${method.toUpperCase()} ${path}`;
      const ids = idsOf(seeds, label);
      if (ids['If-Match'] !== undefined)
        operation.parameters?.push({ name: 'If-Match', in: 'header', schema: { type: 'string' } });
      for (const parameter of operation.parameters ?? []) {
        const [example] = ids[parameter.name] ?? [];
        if (example !== undefined && ['path', 'header'].includes(parameter.in)) parameter.example = example;
      }
      const body = seeds.calls.get(label)?.body;
      for (const media of Object.values(operation.requestBody?.content ?? {}))
        if (body !== undefined) media.example = body;
    }
  }
  return copy;
}
