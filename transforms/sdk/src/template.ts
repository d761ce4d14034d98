import { type Context, Liquid, type Template } from 'liquidjs';
import { fresh } from './fresh.ts';
import { dataset, ident, idents, literal, literals, SqlText, slug, sqlType, UnfitValue, word } from './sql-text.ts';

const TAGS: readonly string[] = ['if', 'unless', 'for', 'comment', '#'];
const MAX_TEMPLATE_CHARS = 50_000;
/** Characters and items that rendering may hold, as the template engine counts them. */
const MAX_MEMORY = 5_000_000;

/** The functions by which a value becomes SQL, as templates name them. */
const FILTERS = { ident, idents, literal, literals, dataset, type: sqlType, word, slug };

/**
 * Liquid with `if`, `unless` and `for` alone, and with no filter but ours. What is printed must come from one of these,
 * so no value of a parameter reaches the statement unquoted.
 */
function sqlLiquid(): Liquid {
  const liquid = new Liquid({
    strictVariables: true,
    strictFilters: true,
    lenientIf: true,
    ownPropertyOnly: true,
    memoryLimit: MAX_MEMORY,
    parseLimit: MAX_TEMPLATE_CHARS,
    templates: {},
    outputEscape(value: unknown) {
      if (value instanceof SqlText) return value.text;
      throw new UnfitValue('a value is printed without a function that makes it SQL');
    },
  });
  for (const name of Object.keys(liquid.tags)) if (!TAGS.includes(name)) Reflect.deleteProperty(liquid.tags, name);
  for (const name of Object.keys(liquid.filters)) Reflect.deleteProperty(liquid.filters, name);
  for (const [name, filter] of Object.entries(FILTERS)) liquid.registerFilter(name, filter);
  liquid.registerFilter('fresh', function (this: { context: Context }, stem: unknown) {
    return fresh(stem, this.context.environments);
  });
  return liquid;
}

let shared: Liquid | undefined;
const engine = () => (shared ??= sqlLiquid());

/** A template that cannot be used. */
export class TemplateInvalid extends Error {
  override readonly name = 'TemplateInvalid';
}

/** A template of SQL; `render` throws `UnfitValue`. */
export interface SqlTemplate {
  readonly text: string;
  render(values: Readonly<Record<string, unknown>>): string;
}

/** Reads a template that may print only these values. Throws `TemplateInvalid`. */
export function sqlTemplate(text: string, declared: readonly string[]): SqlTemplate {
  const parsed = parsedTemplate(text);
  const undeclared = engine()
    .globalVariablesSync(parsed)
    .filter((name) => !declared.includes(name));
  if (undeclared.length > 0) throw new TemplateInvalid(`names no parameter: ${undeclared.join(', ')}`);
  return {
    text,
    render(values) {
      try {
        return String(engine().renderSync(parsed, values)).trim();
      } catch (error) {
        throw causeOf(error);
      }
    },
  };
}

function parsedTemplate(text: string): Template[] {
  try {
    return engine().parse(text);
  } catch (error) {
    throw new TemplateInvalid((error as Error).message);
  }
}

/** What went wrong while a template was rendered: the engine's own messages may quote values. */
function causeOf(error: unknown): Error {
  let cause = error;
  while (cause instanceof Error && !(cause instanceof UnfitValue)) {
    const { originalError, cause: inner } = cause as { originalError?: unknown; cause?: unknown };
    cause = originalError ?? inner;
  }
  return cause instanceof UnfitValue ? cause : new UnfitValue('the template has no text for these values');
}
