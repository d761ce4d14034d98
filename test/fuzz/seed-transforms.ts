import { createTransform } from '@weir/plugin-transforms/contract';
import { type Api, inTurn } from './seed-sources.ts';

/** Transforms that may be deleted by examples that do no more than that. */
const VICTIMS = 10;

/** Things of `transforms` that paths name, and those that are spoilt. */
export interface TransformSeeds {
  read: Record<'transform_id', string[]>;
  deleted: string[];
}

/** Makes transforms that never run. */
export async function seedTransforms(api: Api, alias: string): Promise<TransformSeeds> {
  const make = async (name: string) => {
    const body = { name, sql: 'select 1 as one', output: `gold.${alias}.${name}` };
    return (await api(createTransform, { body })).transform_id;
  };
  return { read: { transform_id: [await make('read')] }, deleted: await inTurn(VICTIMS, (at) => make(`victim_${at}`)) };
}
