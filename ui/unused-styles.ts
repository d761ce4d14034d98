import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { transform } from 'lightningcss';

/** A class of a component of the library; its script names it when it is in the build. */
const COMPONENT = /\bm_[0-9a-f]+\b/g;
const SHELL_STYLE = /^index-[\w-]+\.css$/;
const HASH_CHARS = 8;

/**
 * Leaves out of the style of a build the rules of components that no script of it names: two of five rules. The file gets a
 * name of its own content, since browsers keep files by their name.
 */
export async function dropUnusedStyles(folder: string): Promise<void> {
  const assets = path.join(folder, 'assets');
  const names = await readdir(assets);
  const style = names.find((name) => SHELL_STYLE.test(name));
  if (style === undefined) throw new Error('the build has no style');
  const scripts = await Promise.all(
    names
      .filter((name) => name.endsWith('.js'))
      .map(async (name) => ({ name, text: await readFile(path.join(assets, name), 'utf8') })),
  );
  const used = new Set(scripts.flatMap(({ text }) => text.match(COMPONENT) ?? []));
  const { code } = transform({
    filename: style,
    code: await readFile(path.join(assets, style)),
    minify: true,
    visitor: {
      Rule: {
        style({ value: { selectors } }) {
          const isUnused = selectors.every((selector) =>
            selector.some((part) => part.type === 'class' && part.name.match(COMPONENT) && !used.has(part.name)),
          );
          return isUnused ? [] : undefined;
        },
      },
    },
  });
  const name = `index-${createHash('sha256').update(code).digest('hex').slice(0, HASH_CHARS)}.css`;
  await writeFile(path.join(assets, name), code);
  await rm(path.join(assets, style));
  // Scripts of pages wait for the style by its name too.
  for (const { name: script, text } of scripts)
    if (text.includes(style)) await writeFile(path.join(assets, script), text.replaceAll(style, name));
  const page = path.join(folder, 'index.html');
  await writeFile(page, (await readFile(page, 'utf8')).replaceAll(style, name));
}
