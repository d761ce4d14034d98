import { COMPONENTS } from '../src/manifest/components.ts';

/** The table of the README: every component with its fields. */
export function supportedTable(): string {
  const rows = Object.entries(COMPONENTS).map(([type, { fields, parts = {} }]) => {
    const names = [...fields, ...Object.keys(parts)].sort().map((name) => `\`${name}\``);
    return `| \`${type}\` | ${names.join(', ')} |`;
  });
  return ['| component | fields |', '| --- | --- |', ...rows, ''].join('\n');
}
