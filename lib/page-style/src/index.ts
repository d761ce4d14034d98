import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A file that plain pages load, as it is sent. */
export interface PageFile {
  type: string;
  body: Buffer;
}

const own = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const font = (family: string) =>
  createRequire(import.meta.url).resolve(`@fontsource-variable/${family}/files/${family}-latin-wght-normal.woff2`);

const CSS = 'text/css; charset=utf-8';
const WOFF2 = 'font/woff2';
/** By the name under which a page asks for it, beside its style. */
const FILES: Readonly<Record<string, { type: string; place: () => string }>> = {
  'tokens.css': { type: CSS, place: () => own('tokens.css') },
  'plain.css': { type: CSS, place: () => own('plain.css') },
  'icon.svg': { type: 'image/svg+xml', place: () => own('icon.svg') },
  'inter.woff2': { type: WOFF2, place: () => font('inter') },
  'jetbrains-mono.woff2': { type: WOFF2, place: () => font('jetbrains-mono') },
};

/** A file of the style of plain pages; undefined for a name that is not one. */
export async function pageFile(name: string): Promise<PageFile | undefined> {
  const file = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
  return file && { type: file.type, body: await readFile(file.place()) };
}

/** What the head of a plain page needs to look so, when its files lie below `folder`, such as `/docs/assets`. */
export const pageHead = (folder: string): string =>
  `<meta name="color-scheme" content="light dark"><link rel="icon" href="${folder}/icon.svg" type="image/svg+xml">` +
  `<link rel="stylesheet" href="${folder}/tokens.css"><link rel="stylesheet" href="${folder}/plain.css">`;

/** The start tag of a plain page: its scheme is that of the system. */
export const PAGE_START = '<html lang="en" data-mantine-color-scheme="auto">';

/** What a plain page begins with. */
export const pageHeader = (folder: string): string =>
  `<header class="brand"><img src="${folder}/icon.svg" alt="" width="22" height="22">Weir</header>`;
